/* SPDX-License-Identifier: Apache-2.0 */
/* A function of the C library that devices do not have. */
// check: --grid 1 --block 64 --arg x:i32[64]=iota

extern "C" __device__ int getpid();

__global__ void library(int *x)
{
    x[threadIdx.x] = getpid(); // expect: undefined-function
}
