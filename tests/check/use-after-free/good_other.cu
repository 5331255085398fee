/* SPDX-License-Identifier: Apache-2.0 */
/* Another allocation was freed. */
#include "../run.h"

__global__ void set(int *x)
{
    x[threadIdx.x] = 1;
}

int main()
{
    int *p = device_array<int>(32);
    cudaFree(device_array<int>(32));
    set<<<1, 32>>>(p);
    return finish();
}
