/* SPDX-License-Identifier: Apache-2.0 */
/* The same with zeros first. */
// check: --grid 1 --block 32 --arg x:i32[32]=iota --arg y:i32[8]

__global__ void count(const int *x, int *y)
{
    __shared__ int bin[8];
    if (threadIdx.x < 8)
        bin[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bin[x[threadIdx.x] % 8], 1);
    __syncthreads();
    if (threadIdx.x < 8)
        y[threadIdx.x] = bin[threadIdx.x];
}
