/* SPDX-License-Identifier: Apache-2.0
 *
 * Two tiles of 64 columns of bf16, 64 and 8 rows, brought by tensor copies in boxes as wide as the swizzle; and their product. */
#pragma once
#include <cuda.h>

#include "bulk.h"

enum { TILE = 64 * 64 * 2, ROOM = 2 * TILE + 1024 };

/* Where column k begins in rows of `width` bytes; boxes stand one after the other. */
#define AT(k, width) ((k)*2 / (width)*TILE * (width) / 128 + (k)*2 % (width))

#define BOX_LOAD(to, map, x, y, b)                                                                                     \
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(SHARED(to)), \
                 "l"(map), "r"(x), "r"(y), "r"(SHARED(b))                                                              \
                 : "memory")
#define BOX_STORE(map, x, y, from)                                                                                     \
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(x), "r"(y), \
                 "r"(SHARED(from))                                                                                     \
                 : "memory")
/* A map in global memory that the host wrote. */
#define ACQUIRE_MAP(map) asm volatile("fence.proxy.tensormap::generic.acquire.sys [%0], 128;" ::"l"(map) : "memory")

__device__ static char *align(char *p)
{
    return reinterpret_cast<char *>((reinterpret_cast<uintptr_t>(p) + 1023) & ~uintptr_t(1023));
}

/* A tile in shared memory that 64 threads filled with 0, 1, 2, ... for tensor stores. */
__device__ static char *numbered_tile()
{
    extern __shared__ char room[];
    char *tile = align(room);
    for (int i = threadIdx.x; i < TILE / 4; i += 64)
        reinterpret_cast<int *>(tile)[i] = i;
    FENCE_ASYNC();
    __syncthreads();
    return tile;
}

__device__ static void load_box(void *to, const CUtensorMap *map, int x, int y, uint64_t *bar)
{
    BOX_LOAD(to, map, x, y, bar);
}

/* The tile's rows 64 to 127 take the place of the second factor's eight. */
__device__ static void load_tiles(char *a, char *b, const CUtensorMap *map, uint64_t *bar, int width)
{
    if (threadIdx.x == 0) {
        BAR_INIT(bar, 1);
        BAR_FENCE();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        BAR_EXPECT(bar, 2 * TILE);
        for (int x = 0; x < 128; x += width) {
            load_box(a + x * TILE / 128, map, x / 2, 0, bar);
            load_box(b + x * TILE / 128, map, x / 2, 64, bar);
        }
    }
    BAR_WAIT(bar, 0);
}

/* The product of the tiles, brought in boxes `width` bytes wide: step(d, a, b, k) adds that of columns k to k + 15. */
template <class Step> __device__ static void multiply(const CUtensorMap *map, float *c, int width, Step step)
{
    extern __shared__ char room[];
    char *a = align(room), *b = a + TILE;
    __shared__ alignas(8) uint64_t bar;
    float d[4];
    load_tiles(a, b, map, &bar, width);
    WGMMA_FENCE();
    for (int k = 0; k < 64; k += 16)
        step(d, a, b, k);
    WGMMA_COMMIT();
    WGMMA_WAIT(0);
    c[threadIdx.x] = d[0];
}

/* Of 128 x 64 elements.  width: of a box and its swizzle, in bytes; 0: rows of 128 bytes and no swizzle. */
static CUtensorMap map_of(int width)
{
    CUtensorMap      map;
    cuuint64_t       size[] = {64, 128}, pitch[] = {128};
    cuuint32_t       box[] = {static_cast<cuuint32_t>(width ? width / 2 : 64), 64}, step[] = {1, 1};
    CUtensorMapSwizzle mode = width == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
                              : width == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                              : width == 32 ? CU_TENSOR_MAP_SWIZZLE_32B
                                            : CU_TENSOR_MAP_SWIZZLE_NONE;
    void                   *encode = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &found);
    if (!encode ||
        reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode)(
            &map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, device_array<short>(128 * 64), size, pitch, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, mode,
            CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
        exit(4);
    return map;
}
