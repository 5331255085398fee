/* SPDX-License-Identifier: Apache-2.0 */
/* arch: 90a.  Copies that arrive at an mbarrier: who waits there fences for all of them, then multiplies; and each thread for its own, before a barrier. */
#include "../run.h"
#include "../bulk.h"

__device__ void copy(uint4 *to, const uint4 *from, int i)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(SHARED(to + i)), "l"(from + i) : "memory");
}

__device__ void multiply(uint4 *s, float *out)
{
    float d[4];
    WGMMA_FENCE();
    WGMMA(d, DESCRIPTOR(s, 0, 128, 256), DESCRIPTOR(s + 128, 0, 128, 256));
    WGMMA_COMMIT();
    WGMMA_WAIT(0);
    for (int i = 0; i < 4; i++)
        out[threadIdx.x * 4 + i] = d[i];
}

__global__ void two(const uint4 *a, float *out)
{
    __shared__ alignas(128) uint4    s[2][144];
    __shared__ alignas(8) uint64_t full;
    if (threadIdx.x == 0)
        BAR_INIT(&full, 128);
    __syncthreads();
    if (threadIdx.x >= 128) {
        for (int i = threadIdx.x - 128; i < 144; i += 128)
            copy(s[0], a, i);
        asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(SHARED(&full)) : "memory");
    } else {
        BAR_WAIT(&full, 0);
        FENCE_ASYNC();
        multiply(s[0], out);
    }
    for (int i = threadIdx.x; i < 144; i += 256)
        copy(s[1], a, i);
    asm volatile("cp.async.wait_all;" ::: "memory");
    FENCE_ASYNC();
    __syncthreads();
    if (threadIdx.x < 128)
        multiply(s[1], out);
}

int main()
{
    two<<<1, 256>>>(device_array<uint4>(144), device_array<float>(512));
    return finish();
}
