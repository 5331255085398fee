/* SPDX-License-Identifier: Apache-2.0 */
/* The same, and nothing is added. */
// check: --grid 1 --block 32 --arg x:i32[32]=iota --arg f:u64=0

__device__ void add(int *x)
{
    x[threadIdx.x] += 1;
}

__device__ void twice(int *x)
{
    x[threadIdx.x] *= 2;
}

__global__ void beside(int *x, unsigned long long f)
{
    void (*g)(int *) = threadIdx.x == 40 ? twice : add;
    reinterpret_cast<void (*)(int *)>(reinterpret_cast<unsigned long long>(g) + f)(x);
}
