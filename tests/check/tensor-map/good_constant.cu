/* SPDX-License-Identifier: Apache-2.0 */
/* arch: 90a.  A map in constant memory. */
#include "../run.h"
#include "../tile.h"

__constant__ CUtensorMap table[2];

__global__ void k(int i, char *c)
{
    extern __shared__ char room[];
    char                  *s = align(room);
    __shared__ alignas(8) uint64_t bar;
    if (threadIdx.x == 0) {
        BAR_INIT(&bar, 1);
        BAR_FENCE();
        BAR_EXPECT(&bar, TILE);
        BOX_LOAD(s, &table[i], 0, 0, &bar);
    }
    __syncthreads();
    BAR_WAIT(&bar, 0);
    c[threadIdx.x] = s[threadIdx.x];
}

int main()
{
    CUtensorMap map = map_of(128);
    cudaMemcpyToSymbol(table, &map, sizeof map, sizeof map);
    k<<<1, 128, ROOM>>>(1, device_array<char>(128));
    return finish();
}
