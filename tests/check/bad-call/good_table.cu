/* SPDX-License-Identifier: Apache-2.0 */
/* A table of functions. */
// check: --grid 1 --block 32 --arg x:i32[32]=iota --arg f:u64=1

__device__ void add(int *x)
{
    x[threadIdx.x] += 1;
}

__device__ void twice(int *x)
{
    x[threadIdx.x] *= 2;
}

__device__ void (*table[2])(int *) = {add, twice};

__global__ void choose(int *x, unsigned long long f)
{
    table[(f + threadIdx.x) % 2](x);
}
