/* SPDX-License-Identifier: Apache-2.0 */
/* What the launch before wrote. */
#include "../run.h"

__global__ void set(int *x)
{
    x[threadIdx.x] = (int)threadIdx.x;
}

__global__ void turn(const int *__restrict__ x, int *__restrict__ y)
{
    y[threadIdx.x] = x[blockDim.x - 1 - threadIdx.x];
}

int main()
{
    int *x = device_array<int>(64), *y = device_array<int>(64);
    set<<<1, 64>>>(x);
    turn<<<1, 64>>>(x, y);
    return finish();
}
