/* SPDX-License-Identifier: Apache-2.0 */
/* arch: 90a.  The group is committed before the product. */
#include "../run.h"
#include "../bulk.h"

__global__ void k(float *c)
{
    extern __shared__ char room[]; // without swizzle: cores of 8 rows of 16 bytes
    uint64_t a = DESCRIPTOR(room, 0, 128, 256), b = DESCRIPTOR(room + 2048, 0, 128, 256);
    float    d[4] = {}, e[4] = {};
    for (int i = threadIdx.x; i < 1024; i += 128)
        reinterpret_cast<int *>(room)[i] = 0;
    FENCE_ASYNC();
    __syncthreads();
    WGMMA_FENCE();
    WGMMA_COMMIT();
    WGMMA(d, a, b);
    WGMMA_WAIT(0);
    c[threadIdx.x] = d[0] + e[0]; // expect: wgmma
}

int main()
{
    k<<<1, 128, 4096>>>(device_array<float>(512));
    return finish();
}
