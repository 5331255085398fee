/* SPDX-License-Identifier: Apache-2.0 */
/* arch: 90a.  A group of copies that is waited for, as a pipelined product does: the wait is no fence. */
#include "../run.h"
#include "../bulk.h"

__global__ void multiply(const uint4 *a, float *out)
{
    __shared__ alignas(128) uint4 s[144];
    for (int i = threadIdx.x; i < 144; i += 128)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(SHARED(s + i)), "l"(a + i) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    float d[4];
    WGMMA_FENCE();
    WGMMA(d, DESCRIPTOR(s, 0, 128, 256), DESCRIPTOR(s + 128, 0, 128, 256)); // expect: missing-proxy-fence-copy
    WGMMA_COMMIT();
    WGMMA_WAIT(0);
    for (int i = 0; i < 4; i++)
        out[threadIdx.x * 4 + i] = d[i];
}

int main()
{
    multiply<<<1, 128>>>(device_array<uint4>(144), device_array<float>(512));
    return finish();
}
