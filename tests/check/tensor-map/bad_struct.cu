/* SPDX-License-Identifier: Apache-2.0 */
/* arch: 90a.  A structure that is packed: its map begins at 8. */
#include <cstring>

#include "../run.h"
#include "../tile.h"

struct alignas(64) Arguments {
    double scale;
    char   map[128];
};

__global__ void k(const __grid_constant__ Arguments p, char *c)
{
    extern __shared__ char room[];
    char                  *s = align(room);
    __shared__ alignas(8) uint64_t bar;
    if (threadIdx.x == 0) {
        BAR_INIT(&bar, 1);
        BAR_FENCE();
        BAR_EXPECT(&bar, TILE);
        BOX_LOAD(s, p.map, 0, 0, &bar); // expect: tensor-map
    }
    __syncthreads();
    BAR_WAIT(&bar, 0);
    c[threadIdx.x] = s[threadIdx.x];
}

int main()
{
    Arguments   p   = {};
    CUtensorMap map = map_of(128);
    memcpy(p.map, &map, sizeof map);
    k<<<1, 128, ROOM>>>(p, device_array<char>(128));
    return finish();
}
