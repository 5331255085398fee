/* SPDX-License-Identifier: Apache-2.0 */
/* Two lanes of a warp store the same tile in one instruction, to boxes that overlap. */
#include "../run.h"
#include "../tile.h"

__global__ void store(const __grid_constant__ CUtensorMap map)
{
    char *tile = numbered_tile();
    if (threadIdx.x < 2) {
        BOX_STORE(&map, 0, 8 * threadIdx.x, tile); // expect: race-async, other end 10
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
