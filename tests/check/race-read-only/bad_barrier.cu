/* SPDX-License-Identifier: Apache-2.0 */
/* A barrier orders the threads, but the read-only cache does not know of writes. */
#include "../run.h"

__global__ void turn(int *x, int *y)
{
    x[threadIdx.x] = (int)threadIdx.x;
    __syncthreads();
    y[threadIdx.x] = __ldg(&x[blockDim.x - 1 - threadIdx.x]); // expect: race-read-only, other end 7
}

int main()
{
    turn<<<1, 64>>>(device_array<int>(64), device_array<int>(64));
    return finish();
}
