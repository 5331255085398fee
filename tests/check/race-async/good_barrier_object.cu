/* SPDX-License-Identifier: Apache-2.0 */
/* Copies that arrive at an mbarrier (cuda::barrier) which everybody waits for. */
#include <cuda/barrier>
#include "../run.h"

#pragma nv_diag_suppress static_var_with_dynamic_init

__global__ void copy(const int *a, int *b)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ alignas(16) int s[64];
    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(&s[threadIdx.x], &a[threadIdx.x], sizeof(int), bar);
    bar.arrive_and_wait();
    b[threadIdx.x] = s[63 - threadIdx.x];
}

int main()
{
    copy<<<1, 64>>>(device_array<int>(64), device_array<int>(64));
    return finish();
}
