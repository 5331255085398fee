/* SPDX-License-Identifier: Apache-2.0 */
/* Freed and allocated again. */
#include "../run.h"

__global__ void set(int *x)
{
    x[threadIdx.x] = 1;
}

int main()
{
    cudaFree(device_array<int>(32));
    set<<<1, 32>>>(device_array<int>(32));
    return finish();
}
