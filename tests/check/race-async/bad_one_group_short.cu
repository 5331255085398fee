/* SPDX-License-Identifier: Apache-2.0 */
/* Two groups in flight; the wait leaves one of them, and it is the one that is read. */
#include <cuda_pipeline.h>
#include "../run.h"

__global__ void copy(const int *a, int *b)
{
    __shared__ int s[2][64];
    for (int k = 0; k < 2; k++) {
        __pipeline_memcpy_async(&s[k][threadIdx.x], &a[k * 64 + threadIdx.x], 4);
        __pipeline_commit();
    }
    __pipeline_wait_prior(1);
    __syncthreads();
    b[threadIdx.x] = s[0][63 - threadIdx.x];
    b[threadIdx.x + 64] = s[1][63 - threadIdx.x]; // expect: race-async
}

int main()
{
    copy<<<1, 64>>>(device_array<int>(128), device_array<int>(128));
    return finish();
}
