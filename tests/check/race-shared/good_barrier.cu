/* SPDX-License-Identifier: Apache-2.0 */
/* A block reverses an array through shared memory; a barrier stands between writing and reading. */
#include "../run.h"

__global__ void reverse(int *a)
{
    __shared__ int tile[128];
    int i = threadIdx.x;
    tile[i] = a[i];
    __syncthreads();
    a[i] = tile[127 - i];
}

int main()
{
    reverse<<<1, 128>>>(device_array<int>(128));
    return finish();
}
