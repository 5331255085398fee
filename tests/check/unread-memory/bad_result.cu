/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel's second result is copied nowhere (host lines). */
#include "../run.h"

__global__ void both(const int *x, int *sum, int *difference)
{
    sum[threadIdx.x]        = x[threadIdx.x] + 1;
    difference[threadIdx.x] = x[threadIdx.x] - 1;
}

int main()
{
    int  back[32], *x = device_array<int>(32), *sum, *difference;
    cudaMalloc(&sum, 128);
    cudaMalloc(&difference, 128); // expect: unread-memory
    both<<<1, 32>>>(x, sum, difference);
    cudaMemcpy(back, sum, 128, cudaMemcpyDeviceToHost);
    cudaFree(x);
    cudaFree(sum);
    cudaFree(difference);
    return finish();
}
