/* SPDX-License-Identifier: Apache-2.0 */
/* arch: 90a.  Tiles in the 32-byte swizzle: four boxes of 16 columns. */
#include "../run.h"
#include "../tile.h"

__global__ void product(const __grid_constant__ CUtensorMap map, float *c)
{
    multiply(&map, c, 32, [](float *d, char *a, char *b, int k) {
        WGMMA(d, DESCRIPTOR(a + AT(k, 32), 3, 16, 256), DESCRIPTOR(b + AT(k, 32), 3, 16, 256));
    });
}

int main()
{
    product<<<1, 128, ROOM>>>(map_of(32), device_array<float>(128));
    return finish();
}
