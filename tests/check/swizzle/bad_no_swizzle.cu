/* SPDX-License-Identifier: Apache-2.0 */
/* arch: 90a.  The map has no swizzle, the descriptors have. */
#include "../run.h"
#include "../tile.h"

__global__ void product(const __grid_constant__ CUtensorMap map, float *c)
{
    multiply(&map, c, 128, [](float *d, char *a, char *b, int k) {
        WGMMA(d, DESCRIPTOR(a + AT(k, 128), 1, 16, 1024), DESCRIPTOR(b + AT(k, 128), 1, 16, 1024)); // expect: swizzle
    });
}

int main()
{
    product<<<1, 128, ROOM>>>(map_of(0), device_array<float>(128));
    return finish();
}
