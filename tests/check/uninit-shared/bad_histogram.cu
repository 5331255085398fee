/* SPDX-License-Identifier: Apache-2.0 */
/* Counters in shared memory that nobody set to zero. */
// check: --grid 1 --block 32 --arg x:i32[32]=iota --arg y:i32[8]

__global__ void count(const int *x, int *y)
{
    __shared__ int bin[8];
    atomicAdd(&bin[x[threadIdx.x] % 8], 1); // expect: uninit-shared
    __syncthreads();
    if (threadIdx.x < 8)
        y[threadIdx.x] = bin[threadIdx.x];
}
