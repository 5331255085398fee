/* SPDX-License-Identifier: Apache-2.0 */
/* The result is read before anybody waited for it. */
// check: --grid 1 --block 128 --arg c:f32[128]
#include "../bulk.h"

__global__ void product(float *c)
{
    __shared__ alignas(128) unsigned short a[64 * 16], b[8 * 16];
    float d[4] = {};
    for (int i = threadIdx.x; i < 64 * 16; i += 128)
        a[i] = 0x3f80;
    b[threadIdx.x] = 0x3f80;
    FENCE_ASYNC();
    __syncthreads();
    WGMMA_FENCE();
    WGMMA(d, DESCRIPTOR(a, 0, 1024, 128), DESCRIPTOR(b, 0, 128, 128));
    WGMMA_COMMIT();
    c[threadIdx.x] = d[0]; // expect: wgmma
    WGMMA_WAIT(0);
}
