/* SPDX-License-Identifier: Apache-2.0 */
/* Each thread waits for its own copies only, and reads another thread's. */
#include <cuda_pipeline.h>
#include "../run.h"

__global__ void copy(const int *a, int *b)
{
    __shared__ int s[64];
    __pipeline_memcpy_async(&s[threadIdx.x], &a[threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    b[threadIdx.x] = s[63 - threadIdx.x]; // expect: race-async
}

int main()
{
    copy<<<1, 64>>>(device_array<int>(64), device_array<int>(64));
    return finish();
}
