/* SPDX-License-Identifier: Apache-2.0 */
/* A function that is declared only. */
// check: --grid 1 --block 64 --arg x:i32[64]=iota

extern __device__ int elsewhere(int v);

__global__ void called(int *x)
{
    x[threadIdx.x] = elsewhere(x[threadIdx.x]); // expect: undefined-function
}
