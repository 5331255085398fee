/* SPDX-License-Identifier: Apache-2.0
 *
 * What a card's counters and clock show of asynchronous operations: one kernel for each, one block (one cluster) each.  Alone it prints cycles; under
 * Nsight Compute, with ONCE=1 in the environment, it gives the counters of tests/data/golden/async_h200.tsv.
 *
 *   nvcc -std=c++17 -gencode arch=compute_90a,code=sm_90a -o async tools/patterns/async.cu
 *
 * Every kernel does its operation ROUNDS times on the same 16 KiB, and prints cycles of one round. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>

enum { ROUNDS = 64, BYTES = 16384 };

#define SHARED(p) static_cast<unsigned>(__cvta_generic_to_shared(p))
#define ASM(...)  asm volatile(__VA_ARGS__)

__device__ static void init(uint64_t *bar, int n)
{
    if (threadIdx.x == 0) {
        ASM("mbarrier.init.shared.b64 [%0], %1;" ::"r"(SHARED(bar)), "r"(n) : "memory");
        ASM("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
}
__device__ static void expect(uint64_t *bar, int bytes)
{
    ASM("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(SHARED(bar)), "r"(bytes) : "memory");
}
__device__ static void wait(uint64_t *bar, int parity)
{
    ASM("{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@!p bra again;\n}" ::"r"(SHARED(bar)), "r"(parity) : "memory");
}
#define CLUSTER_SYNC() ASM("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory")

extern __shared__ __align__(1024) char room[];

/* ---- products ---- */

/* The descriptor of a tile at the beginning of the room. */
template <int MODE, int LEADING, int STRIDE> __device__ static uint64_t descriptor()
{
    return (SHARED(room) & 0x3ffff) >> 4 | uint64_t(LEADING >> 4) << 16 | uint64_t(STRIDE >> 4) << 32 | uint64_t(MODE) << 62;
}

/* The time of ROUNDS products over tiles of zeros; the sum is there so that none is left out. */
template <class Product> __device__ static void time_products(long long *out, Product product)
{
    float d[32] = {};
    for (int i = threadIdx.x; i < BYTES / 2; i += 128)
        reinterpret_cast<int *>(room)[i] = 0;
    ASM("fence.proxy.async;" ::: "memory");
    __syncthreads();
    long long t = clock64();
#pragma unroll 1
    for (int i = 0; i < ROUNDS; i++)
        product(d);
    ASM("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
    t = clock64() - t;
    float s = 0;
    for (int i = 0; i < 32; i++)
        s += d[i];
    if (threadIdx.x == 0 && blockIdx.x == 0)
        out[0] = t, out[1] = (long long)s;
}

#define SUMS_8(d, i)                                                                                                                           \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define SUMS(d) SUMS_8(d, 0), SUMS_8(d, 8), SUMS_8(d, 16), SUMS_8(d, 24)
#define WGMMA                                                                                                                                  \
    "wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, "      \
    "%12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "

template <int MODE, int LEADING, int STRIDE, int TRANS> __global__ void wgmma_ss(long long *out)
{
    uint64_t a = descriptor<MODE, LEADING, STRIDE>(), b = a + (BYTES >> 4);
    time_products(out, [=](float(&d)[32]) { ASM(WGMMA "%32, %33, 1, 1, 1, %34, %34;" : SUMS(d) : "l"(a), "l"(b), "n"(TRANS)); });
}

/* A from registers: B alone is read. */
template <int MODE, int LEADING, int STRIDE, int TRANS> __global__ void wgmma_rs(long long *out)
{
    unsigned r = 0;
    uint64_t b = descriptor<MODE, LEADING, STRIDE>();
    time_products(out, [=](float(&d)[32]) { ASM(WGMMA "{%32, %32, %32, %32}, %33, 1, 1, 1, %34;" : SUMS(d) : "r"(r), "l"(b), "n"(TRANS)); });
}

/* ---- bulk and tensor copies ---- */

__global__ void bulk_load(long long *out, const char *from)
{
    __shared__ uint64_t bar;
    init(&bar, 1);
    long long t = clock64();
    for (int i = 0; i < ROUNDS; i++) {
        if (threadIdx.x == 0) {
            expect(&bar, BYTES);
            ASM("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(SHARED(room)), "l"(from), "r"(BYTES),
                "r"(SHARED(&bar))
                : "memory");
        }
        wait(&bar, i & 1);
        __syncthreads();
    }
    if (threadIdx.x == 0 && blockIdx.x == 0)
        out[0] = clock64() - t;
}

__global__ void bulk_store(long long *out, char *to)
{
    long long t = clock64();
    for (int i = 0; i < ROUNDS && threadIdx.x == 0; i++)
        ASM("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::"l"(to),
            "r"(SHARED(room)), "r"(BYTES)
            : "memory");
    if (threadIdx.x == 0 && blockIdx.x == 0)
        out[0] = clock64() - t;
}

__global__ void bulk_add(long long *out, char *to)
{
    long long t = clock64();
    for (int i = 0; i < ROUNDS && threadIdx.x == 0; i++)
        ASM("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::"l"(to),
            "r"(SHARED(room)), "r"(BYTES)
            : "memory");
    if (threadIdx.x == 0 && blockIdx.x == 0)
        out[0] = clock64() - t;
}

__device__ static void tensor_load_body(long long *out, const CUtensorMap &map)
{
    __shared__ uint64_t bar;
    init(&bar, 1);
    long long t = clock64();
    for (int i = 0; i < ROUNDS; i++) {
        if (threadIdx.x == 0) {
            expect(&bar, BYTES);
            ASM("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %2}], [%3];" ::"r"(SHARED(room)), "l"(&map),
                "r"(0), "r"(SHARED(&bar))
                : "memory");
        }
        wait(&bar, i & 1);
        __syncthreads();
    }
    if (threadIdx.x == 0 && blockIdx.x == 0)
        out[0] = clock64() - t;
}

__device__ static void tensor_store_body(long long *out, const CUtensorMap &map)
{
    long long t = clock64();
    for (int i = 0; i < ROUNDS && threadIdx.x == 0; i++)
        ASM("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %1}], [%2];\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::"l"(&map),
            "r"(0), "r"(SHARED(room))
            : "memory");
    if (threadIdx.x == 0 && blockIdx.x == 0)
        out[0] = clock64() - t;
}

#define TENSOR(name)                                                                                                   \
    __global__ void tensor_load_##name(long long *out, const __grid_constant__ CUtensorMap map) { tensor_load_body(out, map); }  \
    __global__ void tensor_store_##name(long long *out, const __grid_constant__ CUtensorMap map) { tensor_store_body(out, map); }
TENSOR(row64) TENSOR(row128) TENSOR(row256) TENSOR(swizzle64) TENSOR(swizzle128)

__global__ void __cluster_dims__(2) multicast(long long *out, const char *from)
{
    __shared__ uint64_t bar;
    init(&bar, 1);
    CLUSTER_SYNC();
    long long t = clock64();
    for (int i = 0; i < ROUNDS; i++) {
        if (threadIdx.x == 0)
            expect(&bar, BYTES);
        CLUSTER_SYNC();
        if (threadIdx.x == 0 && blockIdx.x == 0)
            ASM("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(SHARED(room)),
                "l"(from), "r"(BYTES), "r"(SHARED(&bar)), "h"((unsigned short)3)
                : "memory");
        wait(&bar, i & 1);
    }
    if (threadIdx.x == 0 && blockIdx.x == 0)
        out[0] = clock64() - t;
    CLUSTER_SYNC();
}

/* ---- cp.async, distributed shared memory ---- */

__global__ void ldgsts(long long *out, const char *from)
{
    long long t = clock64();
    for (int i = 0; i < ROUNDS; i++) {
        for (int j = threadIdx.x * 16; j < BYTES; j += 128 * 16)
            ASM("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(SHARED(room + j)), "l"(from + j) : "memory");
        ASM("cp.async.wait_all;" ::: "memory");
        __syncthreads();
    }
    if (threadIdx.x == 0 && blockIdx.x == 0)
        out[0] = clock64() - t;
}

template <int WAY> __device__ static void remote(long long *out)
{
    unsigned there;
    int      sum = 0;
    __shared__ uint64_t bar;
    init(&bar, 1);
    ASM("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(SHARED(room)), "r"(blockIdx.x ^ 1));
    CLUSTER_SYNC();
    long long t = clock64();
    for (int i = 0; i < ROUNDS; i++)
        for (unsigned j = threadIdx.x * 4 * (WAY == 2 ? 2 : 1); j < BYTES; j += 128 * 4 * (WAY == 2 ? 2 : 1)) {
            int x = 0;
            if (WAY == 1)
                ASM("st.shared::cluster.u32 [%0], %1;" ::"r"(there + j), "r"(i) : "memory");
            else if (WAY == 3)
                ASM("red.shared::cluster.add.u32 [%0], %1;" ::"r"(there + j), "r"(i) : "memory");
            else
                ASM("ld.shared::cluster.u32 %0, [%1];" : "=r"(x) : "r"(there + j) : "memory");
            sum += x;
        }
    t = clock64() - t;
    CLUSTER_SYNC();
    if (threadIdx.x == 0 && blockIdx.x == 0)
        out[0] = t, out[1] = sum;
}
__global__ void __cluster_dims__(2) dsmem_ld(long long *out) { remote<0>(out); }
__global__ void __cluster_dims__(2) dsmem_st(long long *out) { remote<1>(out); }
__global__ void __cluster_dims__(2) dsmem_ld_stride2(long long *out) { remote<2>(out); }
__global__ void __cluster_dims__(2) dsmem_red(long long *out) { remote<3>(out); }

__global__ void __cluster_dims__(2) st_async(long long *out)
{
    unsigned there, at;
    __shared__ uint64_t bar;
    init(&bar, 1);
    ASM("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(SHARED(room)), "r"(blockIdx.x ^ 1));
    ASM("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(SHARED(&bar)), "r"(blockIdx.x ^ 1));
    CLUSTER_SYNC();
    long long t = clock64();
    for (int i = 0; i < ROUNDS; i++) {
        if (threadIdx.x == 0)
            expect(&bar, BYTES);
        for (unsigned j = threadIdx.x * 4; j < BYTES; j += 128 * 4)
            ASM("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(there + j), "r"(i), "r"(at) : "memory");
        wait(&bar, i & 1);
        CLUSTER_SYNC();
    }
    if (threadIdx.x == 0 && blockIdx.x == 0)
        out[0] = clock64() - t;
}

/* ---- the host ---- */

static long long *out;

template <typename K, typename... A> static void go(const char *name, K kernel, int blocks, A... a)
{
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 4 * BYTES);
    for (int i = 0; i < (getenv("ONCE") ? 1 : 3); i++)
        kernel<<<blocks, 128, 2 * BYTES>>>(out, a...);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s\t%.2f\t%s\n", name, double(out[0]) / ROUNDS, e == cudaSuccess ? "ok" : cudaGetErrorString(e));
    if (e != cudaSuccess)
        exit(1);
}

static CUtensorMap map_of(void *p, int row, CUtensorMapSwizzle swizzle)
{
    CUtensorMap map;
    cuuint64_t  size[] = {cuuint64_t(row), cuuint64_t(BYTES / row)}, pitch[] = {1024};
    cuuint32_t  box[] = {cuuint32_t(row), cuuint32_t(BYTES / row > 256 ? 256 : BYTES / row)}, step[] = {1, 1};
    void       *encode = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &found);
    if (!encode || reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode)(&map, CU_TENSOR_MAP_DATA_TYPE_UINT8, 2, p, size, pitch, box, step,
                                                                              CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                                                              CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
        printf("row of %d bytes: no tensor map\n", row), exit(1);
    return map;
}

#define GO_WGMMA(kind, name, ...) go("wgmma_" #kind "_" name, wgmma_##kind<__VA_ARGS__>, 1)
#define BOTH(name, row, swizzle)                                                                                       \
    go("tensor_load_" #name, tensor_load_##name, 1, map_of(data, row, swizzle)), go("tensor_store_" #name, tensor_store_##name, 1, map_of(data, row, swizzle))

int main()
{
    char *data;
    cudaMallocManaged(&out, 64);
    cudaMalloc(&data, 1 << 20);
    cudaMemset(data, 0, 1 << 20);
    GO_WGMMA(ss, "k_none", 0, 1024, 128, 0), GO_WGMMA(ss, "k_none_far", 0, 128, 256, 0), GO_WGMMA(ss, "k_32", 3, 16, 256, 0), GO_WGMMA(ss, "k_64", 2, 16, 512, 0),
        GO_WGMMA(ss, "k_128", 1, 16, 1024, 0);
    GO_WGMMA(ss, "mn_none", 0, 1024, 128, 1), GO_WGMMA(ss, "mn_32", 3, 512, 256, 1), GO_WGMMA(ss, "mn_64", 2, 1024, 512, 1), GO_WGMMA(ss, "mn_128", 1, 2048, 1024, 1);
    GO_WGMMA(rs, "k_none", 0, 1024, 128, 0), GO_WGMMA(rs, "k_32", 3, 16, 256, 0), GO_WGMMA(rs, "k_64", 2, 16, 512, 0), GO_WGMMA(rs, "k_128", 1, 16, 1024, 0),
        GO_WGMMA(rs, "mn_128", 1, 2048, 1024, 1), GO_WGMMA(rs, "k_one_place", 0, 0, 0, 0), GO_WGMMA(rs, "k_stride_1024", 0, 128, 1024, 0);
    go("bulk_load", bulk_load, 1, data), go("bulk_store", bulk_store, 1, data), go("bulk_add", bulk_add, 1, data);
    go("multicast", multicast, 2, data), go("ldgsts", ldgsts, 1, data);
    BOTH(row64, 64, CU_TENSOR_MAP_SWIZZLE_NONE), BOTH(row128, 128, CU_TENSOR_MAP_SWIZZLE_NONE), BOTH(row256, 256, CU_TENSOR_MAP_SWIZZLE_NONE);
    BOTH(swizzle64, 64, CU_TENSOR_MAP_SWIZZLE_64B), BOTH(swizzle128, 128, CU_TENSOR_MAP_SWIZZLE_128B);
    go("dsmem_ld", dsmem_ld, 2), go("dsmem_st", dsmem_st, 2), go("dsmem_ld_stride2", dsmem_ld_stride2, 2), go("dsmem_red", dsmem_red, 2);
    go("st_async", st_async, 2);
    return 0;
}
