/* SPDX-License-Identifier: Apache-2.0
 *
 * Tiles of several warps: cooperative groups keep what they need for them in the KiB of shared memory that the system reserves, and find it by a special
 * register.  Their own accesses there are no races; the tile's barrier orders the program's.
 * options: --check=memory,race --fail-on error */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "check.h"

namespace cg = cooperative_groups;

__global__ void tiles(int *out)
{
    __shared__ cg::block_tile_memory<256> memory;
    __shared__ int                        turned[256];
    auto                                  tile = cg::tiled_partition<64>(cg::this_thread_block(memory));
    int                                   rank = (int)tile.thread_rank(), sum = cg::reduce(tile, rank, cg::plus<int>());
    turned[threadIdx.x ^ 63] = sum + cg::exclusive_scan(tile, 2, cg::plus<int>());
    tile.sync();
    out[threadIdx.x] = turned[threadIdx.x] + tile.shfl(rank, 40);
}

int main()
{
    int *out, v[256];
    OK(cudaMalloc(&out, sizeof v));
    tiles<<<1, 256>>>(out);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(v, out, sizeof v, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 256; i++)
        CHECK(v[i] == 63 * 32 + 2 * (63 - i % 64) + 40);
    OK(cudaFree(out));
    return passed();
}
