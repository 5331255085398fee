/* SPDX-License-Identifier: Apache-2.0 */
/* Every lane of a warp issues the very same tensor store, of which one would do. */
#include "../run.h"
#include "../tile.h"

__global__ void store(const __grid_constant__ CUtensorMap map)
{
    char *tile = numbered_tile();
    if (threadIdx.x < 32) {
        BOX_STORE(&map, 0, 64, tile); // expect: race-same-value, other end 10
        BULK_COMMIT();
        BULK_WAIT();
    }
}

int main()
{
    cudaFuncSetAttribute(store, cudaFuncAttributeMaxDynamicSharedMemorySize, ROOM);
    store<<<1, 64, ROOM>>>(map_of(128));
    return finish();
}
