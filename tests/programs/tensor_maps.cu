/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensor maps of the driver: tiles loaded with every swizzle and read back element by element, a matrix transposed through a swizzled tile, multicast in a
 * cluster, im2col, reductions; maps as parameters, in constant and in global memory; what the encoder refuses.
 * nvcc: -w */
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>

#include "check.h"

using barrier = cuda::barrier<cuda::thread_scope_block>;
namespace cde = cuda::device::experimental;
namespace ptx = cuda::ptx;

static decltype(&cuTensorMapEncodeTiled)   encode_tiled;
static decltype(&cuTensorMapEncodeIm2col)  encode_im2col;
static decltype(&cuTensorMapReplaceAddress) replace_address;
static decltype(&cuTensorMapEncodeIm2colWide) encode_wide;

#pragma nv_diag_suppress static_var_with_dynamic_init

enum { W = 96, H = 80, TILE = 32 };

static CUresult encode(CUtensorMap *map, CUtensorMapDataType type, size_t size, void *at, unsigned bx, unsigned by, CUtensorMapSwizzle swizzle)
{
    const cuuint64_t dim[] = {W, H}, stride[] = {W * size};
    const cuuint32_t box[] = {bx, by}, step[] = {1, 1};
    return encode_tiled(map, type, 2, at, dim, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/* A tile of TILE rows of `row` bytes to shared memory; element (r, c) is read from where the swizzle puts it. */
__global__ void read_tile(const __grid_constant__ CUtensorMap map, int x, int y, int row, int swizzle, int *out)
{
    __shared__ alignas(1024) unsigned char tile[TILE * 128];
    __shared__ barrier                     bar;
    if (threadIdx.x == 0) {
        init(&bar, (int)blockDim.x);
        cde::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_2d_global_to_shared(tile, &map, x, y, bar);
        token = cuda::device::barrier_arrive_tx(bar, 1, TILE * row);
    } else {
        token = bar.arrive();
    }
    bar.wait(std::move(token));
    for (int i = (int)threadIdx.x; i < TILE * row / 4; i += (int)blockDim.x) {
        int at = i * 4, mask = swizzle / 16 - 1;
        if (swizzle)
            at ^= (at >> 7 & mask) << 4;
        out[i] = *(int *)(tile + at);
    }
}

static void test_swizzles(void)
{
    static int host[W * H], found[TILE * 32];
    int       *in, *out;
    for (int i = 0; i < W * H; i++)
        host[i] = i * 3 + 1;
    OK(cudaMalloc(&in, sizeof host));
    OK(cudaMalloc(&out, sizeof found));
    OK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    for (int s = 0; s < 4; s++) {
        int         bytes = s ? 16 << s : 128, n = bytes / 4;
        CUtensorMap map;
        CHECK(encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 4, in, (unsigned)n, TILE, (CUtensorMapSwizzle)s) == CUDA_SUCCESS);
        const int corners[][2] = {{0, 0}, {W - n, H - TILE}, {W - n / 2, H - TILE / 2}, {-4, -8}, {8, 13}, {W, 0}};
        for (auto &c : corners) {
            read_tile<<<1, 128>>>(map, c[0], c[1], bytes, s ? bytes : 0, out);
            OK(cudaMemcpy(found, out, (size_t)(TILE * bytes), cudaMemcpyDeviceToHost));
            for (int i = 0; i < TILE * n; i++) {
                int x = c[0] + i % n, y = c[1] + i / n;
                CHECK(found[i] == (x >= 0 && x < W && y >= 0 && y < H ? host[y * W + x] : 0));
            }
        }
    }
    OK(cudaFree(in));
    OK(cudaFree(out));
}

__constant__ CUtensorMap constant_map;

/* Transposes TILE x TILE tiles: loaded with one map, stored with the other; columns of the swizzled tile are read without bank conflicts. */
__global__ void transpose(const CUtensorMap *to)
{
    __shared__ alignas(1024) float tile[TILE * TILE], turned[TILE * TILE];
    __shared__ barrier             bar;
    int                            x = (int)blockIdx.x * TILE, y = (int)blockIdx.y * TILE;
    if (threadIdx.x == 0) {
        init(&bar, (int)blockDim.x);
        cde::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_2d_global_to_shared(tile, &constant_map, x, y, bar);
        token = cuda::device::barrier_arrive_tx(bar, 1, sizeof tile);
    } else {
        token = bar.arrive();
    }
    bar.wait(std::move(token));
    for (int i = (int)threadIdx.x; i < TILE * TILE; i += (int)blockDim.x) {
        int r = i % TILE, c = i / TILE;
        turned[c * TILE + r] = tile[r * TILE + (c ^ (r & 7) * 4)];
    }
    cde::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_2d_shared_to_global(to, y, x, turned);
        cde::cp_async_bulk_commit_group();
        cde::cp_async_bulk_wait_group_read<0>();
    }
}

static void test_transpose(void)
{
    static float host[W * H], found[W * H];
    float       *in, *out;
    CUtensorMap  from, to, *to_device;
    const cuuint64_t dim[] = {H, W}, stride[] = {H * 4};
    const cuuint32_t box[] = {TILE, TILE}, step[] = {1, 1};
    for (int i = 0; i < W * H; i++)
        host[i] = (float)i * 0.5f;
    OK(cudaMalloc(&in, sizeof host));
    OK(cudaMalloc(&out, sizeof host));
    OK(cudaMalloc(&to_device, sizeof to));
    OK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(encode(&from, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, out, TILE, TILE, CU_TENSOR_MAP_SWIZZLE_128B) == CUDA_SUCCESS);
    CHECK(replace_address(&from, in) == CUDA_SUCCESS);
    CHECK(encode_tiled(&to, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, out, dim, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                       CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    OK(cudaMemcpyToSymbol(constant_map, &from, sizeof from));
    OK(cudaMemcpy(to_device, &to, sizeof to, cudaMemcpyHostToDevice));
    transpose<<<dim3(W / TILE, (H + TILE - 1) / TILE), 256>>>(to_device);
    OK(cudaMemcpy(found, out, sizeof host, cudaMemcpyDeviceToHost));
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            CHECK(found[x * H + y] == host[y * W + x]);
    OK(cudaFree(in));
    OK(cudaFree(out));
    OK(cudaFree(to_device));
}

/* Each block of the cluster loads a quarter of the tile for all four. */
__global__ void __cluster_dims__(4, 1, 1) multicast(const __grid_constant__ CUtensorMap map, int *out)
{
    __shared__ alignas(128) int tile[16 * 16];
    __shared__ uint64_t         bar;
    unsigned                    rank, at = (unsigned)__cvta_generic_to_shared(tile), b = (unsigned)__cvta_generic_to_shared(&bar);
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof tile);
    }
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(
                         at + rank * 256),
                     "l"(&map), "r"(16), "r"((int)rank * 4), "r"(b), "h"((short)15)
                     : "memory");
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
    out[blockIdx.x * 256 + threadIdx.x] = tile[threadIdx.x];
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
}

static void test_multicast(void)
{
    static int  host[W * H], found[8 * 256];
    int        *in, *out;
    CUtensorMap map;
    for (int i = 0; i < W * H; i++)
        host[i] = i;
    OK(cudaMalloc(&in, sizeof host));
    OK(cudaMalloc(&out, sizeof found));
    OK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 4, in, 16, 4, CU_TENSOR_MAP_SWIZZLE_NONE) == CUDA_SUCCESS);
    multicast<<<8, 256>>>(map, out);
    OK(cudaMemcpy(found, out, sizeof found, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 8 * 256; i++)
        CHECK(found[i] == i % 256 / 16 * W + 16 + i % 16);
    OK(cudaFree(in));
    OK(cudaFree(out));
}

/* Rows of pixels of an N H W C image, each pixel's channels, shifted by (dx, dy) of a 3 by 3 filter. */
__global__ void pixels(const __grid_constant__ CUtensorMap map, int n, int dx, int dy, int *out)
{
    __shared__ alignas(128) int tile[32 * 8];
    __shared__ uint64_t         bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        cde::fence_proxy_async_shared_cta();
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof tile);
        asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(
                         (unsigned)__cvta_generic_to_shared(tile)),
                     "l"(&map), "r"(0), "r"(-1), "r"(-1), "r"(n), "r"((unsigned)__cvta_generic_to_shared(&bar)), "h"((short)dx), "h"((short)dy)
                     : "memory");
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
    for (unsigned i = threadIdx.x; i < 32 * 8; i += blockDim.x)
        out[i] = tile[i];
}

static void test_im2col(void)
{
    enum { C = 8, IW = 6, IH = 5, N = 3 };
    static int       host[C * IW * IH * N], found[32 * 8];
    int             *in, *out;
    CUtensorMap      map;
    const cuuint64_t dim[] = {C, IW, IH, N}, stride[] = {C * 4, C * IW * 4, C * IW * IH * 4};
    const cuuint32_t step[] = {1, 1, 1, 1};
    const int        lower[] = {-1, -1}, upper[] = {-1, -1};
    for (int i = 0; i < C * IW * IH * N; i++)
        host[i] = i + 1;
    OK(cudaMalloc(&in, sizeof host));
    OK(cudaMalloc(&out, sizeof found));
    OK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(encode_im2col(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 4, in, dim, stride, lower, upper, C, 32, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                        CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    for (int n = 0; n < N; n++)
        for (int d = 0; d < 9; d++) {
            pixels<<<1, 64>>>(map, n, d % 3, d / 3, out);
            OK(cudaMemcpy(found, out, sizeof found, cudaMemcpyDeviceToHost));
            for (int i = 0; i < 32 * 8; i++) {
                int p = i / C, x = p % IW - 1 + d % 3, y = p / IW % IH - 1 + d / 3, z = n + p / (IW * IH);
                CHECK(found[i] == (x >= 0 && x < IW && y >= 0 && y < IH && z < N ? host[((z * IH + y) * IW + x) * C + i % C] : 0));
            }
        }
    OK(cudaFree(in));
    OK(cudaFree(out));
}

__global__ void add_tiles(const __grid_constant__ CUtensorMap map)
{
    __shared__ alignas(128) float tile[TILE * TILE];
    for (int i = (int)threadIdx.x; i < TILE * TILE; i += (int)blockDim.x)
        tile[i] = 0.25f;
    cde::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
        const int at[2] = {(int)blockIdx.x * TILE / 2, (int)blockIdx.y * TILE / 2};
        ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &map, at, tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}

static void test_reduction(void)
{
    static float host[W * H];
    float       *out;
    CUtensorMap  map;
    OK(cudaMalloc(&out, sizeof host));
    OK(cudaMemset(out, 0, sizeof host));
    CHECK(encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, out, TILE, TILE, CU_TENSOR_MAP_SWIZZLE_NONE) == CUDA_SUCCESS);
    add_tiles<<<dim3(W / 16, H / 16), 128>>>(map);
    OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < W * H; i++)
        CHECK(host[i] == 0.25f * (float)((i % W < 16 ? 1 : 2) * (i / W < 16 ? 1 : 2)));
    OK(cudaFree(out));
}

static void test_refusals(void)
{
    CUtensorMap map;
    char       *p;
    OK(cudaMalloc(&p, W * H * 4));
    CHECK(encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 4, p + 8, 16, 16, CU_TENSOR_MAP_SWIZZLE_NONE) == CUDA_ERROR_INVALID_VALUE);
    CHECK(encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 4, p, 16, 257, CU_TENSOR_MAP_SWIZZLE_NONE) == CUDA_ERROR_INVALID_VALUE);
    CHECK(encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 4, p, 64, 16, CU_TENSOR_MAP_SWIZZLE_128B) == CUDA_ERROR_INVALID_VALUE);
    CHECK(encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 4, p, 3, 16, CU_TENSOR_MAP_SWIZZLE_NONE) == CUDA_ERROR_INVALID_VALUE);
    CHECK(encode(&map, (CUtensorMapDataType)99, 4, p, 16, 16, CU_TENSOR_MAP_SWIZZLE_NONE) == CUDA_ERROR_INVALID_VALUE);
    OK(cudaFree(p));
}

static CUresult wide(CUtensorMap *map, int rank, void *p, int lower, cuuint32_t channels, int mode, CUtensorMapSwizzle swizzle)
{
    static const cuuint64_t dim[] = {64, 32, 32, 4, 2}, stride[] = {256, 8192, 262144, 1048576};
    static const cuuint32_t steps[] = {1, 1, 1, 1, 1};
    return encode_wide(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, (cuuint32_t)rank, p, dim, stride, lower, 3, channels, 32, steps,
                       CU_TENSOR_MAP_INTERLEAVE_NONE, (CUtensorMapIm2ColWideMode)mode, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                       CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/* The driver of a card without the wide modes makes an im2col map with corners along W. */
static void test_wide(void)
{
    static const cuuint64_t dim[] = {64, 32, 32, 4}, stride[] = {256, 8192, 262144};
    static const cuuint32_t steps[] = {1, 1, 1, 1};
    const int               lower[] = {-2, 0}, upper[] = {3, 0};
    alignas(64) CUtensorMap map[2];
    char                   *p;
    OK(cudaMalloc(&p, 1 << 20));
    memset(map, 0, sizeof map);
    CHECK(wide(&map[0], 4, p, -2, 16, 0, CU_TENSOR_MAP_SWIZZLE_NONE) == CUDA_SUCCESS);
    CHECK(encode_im2col(&map[1], CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, p, dim, stride, lower, upper, 16, 32, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                        CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    CHECK(memcmp(&map[0], &map[1], sizeof map[0]) == 0);
    CHECK(wide(&map[0], 5, p, -16, 16, 1, CU_TENSOR_MAP_SWIZZLE_128B) == CUDA_SUCCESS);
    CHECK(wide(&map[0], 5, p, -17, 16, 1, CU_TENSOR_MAP_SWIZZLE_128B) == CUDA_ERROR_INVALID_VALUE);
    CHECK(wide(&map[0], 4, p, -2, 16, 2, CU_TENSOR_MAP_SWIZZLE_NONE) == CUDA_ERROR_INVALID_VALUE);
    CHECK(wide(&map[0], 4, p, -2, 16, 0, CU_TENSOR_MAP_SWIZZLE_32B) == CUDA_ERROR_INVALID_VALUE); /* 64 bytes of channels */
    CHECK(wide(&map[0], 2, p, -2, 16, 0, CU_TENSOR_MAP_SWIZZLE_NONE) == CUDA_ERROR_INVALID_VALUE);
    CHECK(wide(&map[0], 4, p + 8, -2, 16, 0, CU_TENSOR_MAP_SWIZZLE_NONE) == CUDA_ERROR_INVALID_VALUE);
    CHECK(wide(&map[0], 4, NULL, -2, 16, 0, CU_TENSOR_MAP_SWIZZLE_NONE) == CUDA_SUCCESS);
    OK(cudaFree(p));
}

template <typename F> static void entry(const char *name, F *out, unsigned version = 12000)
{
    cudaDriverEntryPointQueryResult result;
    OK(cudaGetDriverEntryPointByVersion(name, (void **)out, version, cudaEnableDefault, &result));
    CHECK(result == cudaDriverEntryPointSuccess);
}

int main()
{
    entry("cuTensorMapEncodeTiled", &encode_tiled);
    entry("cuTensorMapEncodeIm2col", &encode_im2col);
    entry("cuTensorMapReplaceAddress", &replace_address);
    entry("cuTensorMapEncodeIm2colWide", &encode_wide, 12080);
    test_swizzles();
    test_transpose();
    test_multicast();
    test_im2col();
    test_reduction();
    test_refusals();
    test_wide();
    return passed();
}
