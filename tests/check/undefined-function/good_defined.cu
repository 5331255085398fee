/* SPDX-License-Identifier: Apache-2.0 */
/* Declared, and defined behind. */
// check: --grid 1 --block 64 --arg x:i32[64]=iota

extern __device__ int elsewhere(int v);

__global__ void called(int *x)
{
    x[threadIdx.x] = elsewhere(x[threadIdx.x]);
}

__device__ int elsewhere(int v)
{
    return v + 1;
}
