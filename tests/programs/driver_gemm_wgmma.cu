/* SPDX-License-Identifier: Apache-2.0
 *
 * A bf16 matrix product for sm_90a: C (m x n, f32, row-major) = A (m x k, row-major) * B (k x n, column-major), multiples of 128, 128 and
 * 64.  A block makes 128 x 128 of C.  Warps are specialised: one warpgroup gives its registers away, and one thread of it copies tiles of
 * 128 x 64 of A and B by TMA, swizzled by 128 bytes, four stages deep; two warpgroups multiply, 64 rows each, with wgmma.m64n128k16
 * straight from shared memory.  Each stage has two mbarriers: `full` completes with the bytes of its tiles, `empty` with the two
 * warpgroups that have used them.
 *
 * The elements are small whole numbers, so the result is exact.  driver_gemm_wgmma [m n k]: prints the time too.
 *
 * arch: 90a */
#include <cstdint>
#include <cuda.h>

#include "gemm_host.h"

enum { BM = 128, BN = 128, BK = 64, STAGES = 4, THREADS = 384, TILE_BYTES = (BM + BN) * BK * 2 };

struct alignas(1024) Shared {
    __nv_bfloat16 a[STAGES][BM * BK], b[STAGES][BN * BK];
    uint64_t      full[STAGES], empty[STAGES];
};

#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)

__device__ static uint32_t shared_address(const void *p)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__device__ static void init(uint64_t *bar, int count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(bar)), "r"(count) : "memory");
}

__device__ static void arrive(uint64_t *bar)
{
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(bar)) : "memory");
}

__device__ static void expect(uint64_t *bar, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(bar)), "r"(bytes) : "memory");
}

__device__ static void wait(uint64_t *bar, int parity)
{
    asm volatile("{\n.reg .pred over;\nagain:\nmbarrier.try_wait.parity.shared.b64 over, [%0], %1;\n@!over bra again;\n}" ::"r"(
                     shared_address(bar)),
                 "r"(parity)
                 : "memory");
}

__device__ static void load(void *to, const CUtensorMap *map, int x, int y, uint64_t *bar)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
                     shared_address(to)),
                 "l"(map), "r"(x), "r"(y), "r"(shared_address(bar))
                 : "memory");
}

/* Rows of 128 bytes, swizzled by 128: groups of eight rows are 1024 bytes apart. */
__device__ static uint64_t descriptor(const void *p)
{
    return (shared_address(p) & 0x3ffff) >> 4 | uint64_t(1) << 16 | uint64_t(1024 >> 4) << 32 | uint64_t(1) << 62;
}

#define D4(i)  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define D16(i) D4(i), D4(i + 4), D4(i + 8), D4(i + 12)

__device__ static void multiply(float d[64], uint64_t a, uint64_t b)
{
    asm volatile("{\nwgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, "
                 "%26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, "
                 "%50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, %64, %65, 1, 1, 1, 0, 0;\n}"
                 : D16(0), D16(16), D16(32), D16(48)
                 : "l"(a), "l"(b));
}

__device__ static void produce(Shared *s, const CUtensorMap *ma, const CUtensorMap *mb, int tiles)
{
    for (int t = 0; t < tiles; t++) {
        int stage = t % STAGES;
        if (t >= STAGES)
            wait(&s->empty[stage], (t / STAGES - 1) & 1);
        expect(&s->full[stage], TILE_BYTES);
        load(s->a[stage], ma, t * BK, blockIdx.y * BM, &s->full[stage]);
        load(s->b[stage], mb, t * BK, blockIdx.x * BN, &s->full[stage]);
    }
}

__device__ static void consume(Shared *s, float d[64], int group, int tiles)
{
    for (int t = 0; t < tiles; t++) {
        int stage = t % STAGES;
        wait(&s->full[stage], t / STAGES & 1);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int k = 0; k < BK; k += 16)
            multiply(d, descriptor(&s->a[stage][group * 64 * BK + k]), descriptor(&s->b[stage][k]));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory"); /* tile t - 1 is used */
        if (t > 0 && threadIdx.x % 128 == 0)
            arrive(&s->empty[(t - 1) % STAGES]);
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}
#endif

__global__ void __launch_bounds__(THREADS) gemm_wgmma(const __grid_constant__ CUtensorMap ma, const __grid_constant__ CUtensorMap mb, float *c,
                                                      int n, int k)
{
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
    extern __shared__ char shared[];
    Shared *s = reinterpret_cast<Shared *>((reinterpret_cast<uintptr_t>(shared) + 1023) & ~uintptr_t(1023));
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            init(&s->full[i], 1);
            init(&s->empty[i], 2);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x >= 256) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 256)
            produce(s, &ma, &mb, k / BK);
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    float d[64] = {};
    int   group = threadIdx.x / 128, warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
    consume(s, d, group, k / BK);
    for (int j = 0; j < BN / 8; j++) {
        size_t row = static_cast<size_t>(blockIdx.y) * BM + group * 64 + warp * 16 + lane / 4, col = blockIdx.x * BN + j * 8 + lane % 4 * 2;
        *reinterpret_cast<float2 *>(c + row * n + col)       = make_float2(d[4 * j], d[4 * j + 1]);
        *reinterpret_cast<float2 *>(c + (row + 8) * n + col) = make_float2(d[4 * j + 2], d[4 * j + 3]);
    }
#endif
}

static CUtensorMap map_of(void *p, int rows, int k)
{
    CUtensorMap map;
    cuuint64_t  size[] = {cuuint64_t(k), cuuint64_t(rows)}, stride[] = {cuuint64_t(k) * 2};
    cuuint32_t  box[] = {BK, BM}, step[] = {1, 1};
    CHECK(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, p, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                 CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    return map;
}

int main(int argc, char **argv)
{
    const int bytes = sizeof(Shared) + 1024;
    OK(cudaFuncSetAttribute(gemm_wgmma, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    return gemm_main(argc, argv, 448, BM, BN, BK, [=](__nv_bfloat16 *a, __nv_bfloat16 *b, float *c, int m, int n, int k) {
        CUtensorMap ma = map_of(a, m, k), mb = map_of(b, n, k);
        gemm_wgmma<<<dim3(n / BN, m / BM), THREADS, bytes>>>(ma, mb, c, n, k);
    });
}
