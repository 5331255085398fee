/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C modulo 2^32 on the tensor cores, which multiply bytes.
 *
 * Needs       sm_90a
 * Change      x = x0 + x1 * 2^8 + x2 * 2^16 + x3 * 2^24 in unsigned bytes, y likewise.  Modulo 2^32 only the ten products xi * yj with
 *             i + j <= 3 count, and by Horner's rule the weights are shifts of the accumulator: all products of weight 3 over all
 *             of k, shift by 8, those of weight 2, shift, 1, shift, 0.  Everything wraps as it should, so the result is exact.
 * Blocks      128 x 256 results: a warpgroup orders boxes of 128 bytes along k, with few registers; two multiply 64 x 256
 *             each (wgmma m64n256k32), with the others' registers.
 * Bottleneck  the tensor cores: ten byte products for one of 32 bits.
 * Measured    docs/kernels.md.
 *
 * split_bytes (54_split_bytes.cu) makes the operands: plane i of X has rows i * m to i * m + m - 1 of the map. */
#include "boxes.h"

enum { BM = 128, BN = 256, BK = 128, BUFFERS = 4, X = BM * BK, SLICE = X + BN * BK, WARPGROUP = 128, RESULTS = 128, PAIRS = 10 };

/* A tile of rows of 128 bytes, in groups of 8 rows 1024 bytes apart, as a tensor copy with the 128-byte swizzle leaves it. */
static __device__ __forceinline__ unsigned long long descriptor(unsigned address)
{
    enum { GROUP = 1024, SWIZZLE_128 = 1 };
    return (unsigned long long)((address & 0x3ffff) >> 4) | (unsigned long long)(GROUP >> 4) << 32 | (unsigned long long)SWIZZLE_128 << 62;
}

#define FOUR(d, i)    "+r"(d[i]), "+r"(d[i + 1]), "+r"(d[i + 2]), "+r"(d[i + 3])
#define SIXTEEN(d, i) FOUR(d, i), FOUR(d, i + 4), FOUR(d, i + 8), FOUR(d, i + 12)
#define ALL(d)                                                                                                         \
    SIXTEEN(d, 0), SIXTEEN(d, 16), SIXTEEN(d, 32), SIXTEEN(d, 48), SIXTEEN(d, 64), SIXTEEN(d, 80), SIXTEEN(d, 96), SIXTEEN(d, 112)

/* d += x * y, 64 x 256 of 32 bytes along k; asynchronous. */
static __device__ __forceinline__ void multiply(unsigned (&d)[RESULTS], unsigned long long x, unsigned long long y)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n256k32.s32.u8.u8 {"
                 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
                 "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,"
                 "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,"
                 "%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63,"
                 "%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,"
                 "%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,"
                 "%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111,"
                 "%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127"
                 "}, %128, %129, 1;"
                 : ALL(d)
                 : "l"(x), "l"(y));
}

static __device__ __forceinline__ void products_begin(void)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

static __device__ __forceinline__ void products_commit(void)
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <int LEFT> static __device__ __forceinline__ void products_wait(void)
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
}

/* The pairs in the order of their weights 3 3 3 3 2 2 2 1 1 0: which byte of x, and where a weight begins. */
static __device__ __forceinline__ int pair_weight(int p)
{
    return p < 4 ? 3 : p < 7 ? 2 : p < 9 ? 1 : 0;
}

static __device__ __forceinline__ int pair_first(int p)
{
    return p < 4 ? 0 : p < 7 ? 4 : p < 9 ? 7 : 9;
}

struct Ring {
    unsigned slices, full, empty; /* addresses */
    unsigned buffer, phase;
    __device__ __forceinline__ void next(void)
    {
        buffer = buffer + 1 == BUFFERS ? 0 : buffer + 1;
        phase ^= buffer == 0;
    }
};

/* One thread: every slice of every pair, as soon as its buffer is free. */
static __device__ __forceinline__ void order_slices(const TensorArgs &a, Ring r, int row0, int col0, int slices)
{
    for (int p = 0; p < PAIRS; p++) {
        int i = p - pair_first(p), j = pair_weight(p) - i;
        for (int s = 0; s < slices; s++) {
            unsigned full = r.full + r.buffer * 8, to = r.slices + r.buffer * SLICE;
            bar_wait(r.empty + r.buffer * 8, r.phase ^ 1);
            bar_expect(full, SLICE);
            box_copy(to, &a.x, s * BK, i * a.g.m + row0, full);
            box_copy(to + X, &a.y, s * BK, j * a.g.n + col0, full);
            r.next();
        }
    }
}

/* A warpgroup: 64 x 256 results. */
static __device__ __forceinline__ void multiply_slices(Ring r, int half, int slices, unsigned (&d)[RESULTS])
{
    bool     first = threadIdx.x % WARPGROUP == 0;
    unsigned before = BUFFERS; /* the buffer whose products may still run */
#pragma unroll
    for (int i = 0; i < RESULTS; i++)
        d[i] = 0;
    for (int p = 0; p < PAIRS; p++) {
        if (p > 0 && p == pair_first(p)) {
            products_wait<0>();
#pragma unroll
            for (int i = 0; i < RESULTS; i++)
                d[i] <<= 8;
        }
        for (int s = 0; s < slices; s++) {
            unsigned at = r.slices + r.buffer * SLICE;
            bar_wait(r.full + r.buffer * 8, r.phase);
            products_begin();
            unsigned long long x = descriptor(at + half * (X / 2)), y = descriptor(at + X);
#pragma unroll
            for (int l = 0; l < BK / 32; l++)
                multiply(d, x + l * 2, y + l * 2); /* 32 bytes on */
            products_commit();
            products_wait<1>();
            if (first && before < BUFFERS)
                bar_arrive(r.empty + before * 8);
            before = r.buffer;
            r.next();
        }
    }
    products_wait<0>();
}

static __device__ __forceinline__ void write_results(const GemmArgs &g, int row, int col, const unsigned (&d)[RESULTS])
{
    unsigned *c    = (unsigned *)g.c;
    bool      wide = g.vector & 4;
#pragma unroll
    for (int i = 0; i < RESULTS; i += 2) {
        int       r = row + i / 2 % 2 * 8, at = col + i / 4 * 8;
        unsigned *out = c + r * g.ldc + at, one = g.alpha * d[i], two = g.alpha * d[i + 1];
        if (r >= g.m || at >= g.n)
            continue;
        bool both = at + 1 < g.n;
        if (g.beta) {
            one += g.beta * out[0];
            two += both ? g.beta * out[1] : 0;
        }
        if (wide && both) {
            *(uint2 *)out = {one, two};
        } else {
            out[0] = one;
            if (both)
                out[1] = two;
        }
    }
}

/* Tiles in groups of 16 rows, down a group's columns, for the sake of L2. */
extern "C" __global__ void __launch_bounds__(3 * WARPGROUP, 1) gemm_bytes_i32(const __grid_constant__ TensorArgs args)
{
    enum { GROUP = 16 };
    extern __shared__ __align__(1024) unsigned char slices[];
    __shared__ __align__(8) Bar full[BUFFERS], empty[BUFFERS];
    const TensorArgs &a   = GRID_CONSTANT(gemm_bytes_i32, TensorArgs, args);
    const GemmArgs &g     = a.g;
    int             down  = (g.m + BM - 1) / BM, across = (g.n + BN - 1) / BN, per = GROUP * across;
    int             first = blockIdx.x / per * GROUP, high = down - first < GROUP ? down - first : GROUP;
    int             row0  = (first + blockIdx.x % per % high) * BM, col0 = blockIdx.x % per / high * BN;
    int             count = (g.k + BK - 1) / BK, group = threadIdx.x / WARPGROUP;
    Ring            r     = {(shared_address(slices) + 1023) / 1024 * 1024, shared_address(full), shared_address(empty), 0, 0};
    if (threadIdx.x == 0) {
        for (int b = 0; b < BUFFERS; b++) {
            bar_init(r.full + b * 8, 1);
            bar_init(r.empty + b * 8, 2);
        }
        bar_init_done();
    }
    __syncthreads();
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x < 32 && elect_one())
            order_slices(a, r, row0, col0, count);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        unsigned d[RESULTS];
        int      warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
        multiply_slices(r, group - 1, count, d);
        write_results(g, row0 + (group - 1) * 64 + warp * 16 + lane / 4, col0 + lane % 4 * 2, d);
    }
}
