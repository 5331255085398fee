/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks count themselves in pinned memory; the host takes what they wrote when all of them are counted. */
#include "../run.h"

__global__ void work(int *out, unsigned *count)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence_system();
        atomicAdd_system(count, 1u);
    }
}

int main()
{
    int      *out, sum = 0;
    unsigned *count;
    cudaMallocManaged(&out, 4096 * sizeof *out);
    cudaHostAlloc(&count, sizeof *count, cudaHostAllocMapped);
    *count = 0;
    work<<<16, 256>>>(out, count);
    while (*(volatile unsigned *)count < 16) {}
    for (int i = 0; i < 4096; i++)
        sum += out[i];
    int r = finish();
    cudaFree(out);
    cudaFreeHost(count);
    return r + (sum != 120 * 256);
}
