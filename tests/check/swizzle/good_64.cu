/* SPDX-License-Identifier: Apache-2.0 */
/* arch: 90a.  Tiles in the 64-byte swizzle: two boxes of 32 columns. */
#include "../run.h"
#include "../tile.h"

__global__ void product(const __grid_constant__ CUtensorMap map, float *c)
{
    multiply(&map, c, 64, [](float *d, char *a, char *b, int k) {
        WGMMA(d, DESCRIPTOR(a + AT(k, 64), 2, 16, 512), DESCRIPTOR(b + AT(k, 64), 2, 16, 512));
    });
}

int main()
{
    product<<<1, 128, ROOM>>>(map_of(64), device_array<float>(128));
    return finish();
}
