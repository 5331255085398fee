/* SPDX-License-Identifier: Apache-2.0 */
/* arch: 90a.  The factors are written again while the product may still read them. */
#include "../run.h"
#include "../bulk.h"

__global__ void product(float *c)
{
    __shared__ alignas(128) unsigned short a[64 * 16], b[8 * 16];
    float d[4] = {};
    for (int k = 0; k < 3; k++) {
        for (int i = threadIdx.x; i < 64 * 16; i += 128)
            a[i] = 0x3f80; // expect: race-async, other end 17
        b[threadIdx.x] = 0x3f80; // expect: race-async, other end 17
        FENCE_ASYNC();
        __syncthreads();
        WGMMA_FENCE();
        WGMMA(d, DESCRIPTOR(a, 0, 1024, 128), DESCRIPTOR(b, 0, 128, 128));
        WGMMA_COMMIT();
        __syncthreads();
    }
    WGMMA_WAIT(0);
    c[threadIdx.x] = d[0];
}

int main()
{
    product<<<1, 128>>>(device_array<float>(128));
    return finish();
}
