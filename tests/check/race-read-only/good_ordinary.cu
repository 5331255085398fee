/* SPDX-License-Identifier: Apache-2.0 */
/* The same loads without the read-only cache. */
#include "../run.h"

__global__ void turn(int *x, int *y)
{
    x[threadIdx.x] = (int)threadIdx.x;
    __syncthreads();
    y[threadIdx.x] = x[blockDim.x - 1 - threadIdx.x];
}

int main()
{
    turn<<<1, 64>>>(device_array<int>(64), device_array<int>(64));
    return finish();
}
