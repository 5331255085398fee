/* SPDX-License-Identifier: Apache-2.0 */
/* Copies with cp.async, read behind a barrier but never waited for. */
#include <cuda_pipeline.h>
#include "../run.h"

__global__ void copy(const int *a, int *b)
{
    __shared__ int s[64];
    __pipeline_memcpy_async(&s[threadIdx.x], &a[threadIdx.x], 4);
    __pipeline_commit();
    __syncthreads();
    b[threadIdx.x] = s[63 - threadIdx.x]; // expect: race-async
}

int main()
{
    copy<<<1, 64>>>(device_array<int>(64), device_array<int>(64));
    return finish();
}
