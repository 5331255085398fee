/* SPDX-License-Identifier: Apache-2.0 */
/* arch: 90a.  Tiles in the 32-byte swizzle: four boxes of 16 columns. */
#include "../run.h"
#include "../tile.h"

__global__ void product(const __grid_constant__ CUtensorMap map, float *c)
{
    extern __shared__ char room[];
    char *a = align(room), *b = a + TILE; // 64 x 64 and 8 x 64 of bf16
    __shared__ alignas(8) uint64_t bar;
    float d[4];
    load_tiles(a, b, &map, &bar, 32);
    WGMMA_FENCE();
    for (int k = 0; k < 64; k += 16)
        WGMMA(d, DESCRIPTOR(a + AT(k, 32), 3, 16, 256), DESCRIPTOR(b + AT(k, 32), 3, 16, 256));
    WGMMA_COMMIT();
    WGMMA_WAIT(0);
    c[threadIdx.x] = d[0];
}

int main()
{
    product<<<1, 128, ROOM>>>(map_of(32), device_array<float>(128));
    return finish();
}
