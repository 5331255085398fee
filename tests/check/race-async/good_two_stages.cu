/* SPDX-License-Identifier: Apache-2.0 */
/* A pipeline of two stages: while one tile is used, the next is on its way. */
#include <cuda_pipeline.h>
#include "../run.h"

__global__ void sums(const int *a, int *b, int tiles)
{
    __shared__ int s[2][64];
    int sum = 0;
    __pipeline_memcpy_async(&s[0][threadIdx.x], &a[threadIdx.x], 4);
    __pipeline_commit();
    for (int t = 0; t < tiles; t++) {
        if (t + 1 < tiles)
            __pipeline_memcpy_async(&s[(t + 1) & 1][threadIdx.x], &a[(t + 1) * 64 + threadIdx.x], 4);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += s[t & 1][63 - threadIdx.x];
        __syncthreads();
    }
    b[threadIdx.x] = sum;
}

int main()
{
    sums<<<1, 64>>>(device_array<int>(64 * 5), device_array<int>(64), 5);
    return finish();
}
