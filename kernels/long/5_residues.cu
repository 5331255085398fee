/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C of doubles by products of bytes, as accurate as in double arithmetic.
 *
 * Needs       sm_90a
 * Change      numbers as integers of up to 51 bits, known modulo 14 small numbers: 14 products of bytes on the tensor cores instead of one of doubles.
 *             (Ozaki, Uchino, Imamura 2025, "Ozaki scheme II"; GEMMul8 computes so.)
 *
 *   split       each row of X and column of Y is multiplied by a power of two and rounded to integers.  Their product is known when it is known modulo each
 *               modulus, if it is smaller than half of the moduli's product: so the power is the largest that leaves the row's Euclidean norm at most the
 *               root of that (Cauchy and Schwarz).  By norms two bits of a normal matrix's numbers are kept that largest numbers would cost.
 *   judge       what rounding loses can be seen in a result where most of its terms are small.  Not where of each row and column three quarters, or as many
 *               together, are 3/16 of its root mean square or more: half of the terms of every sum are then 9/256 of their mean, and the error is at most
 *               42 sqrt(k) 2^-53 |X||Y|.  Else, and where a row is out of range, nothing is done here, and another kernel computes C.
 *   product     128 x 256 tiles as half.cuh has them, clusters of two; a modulus after the other.  Sums of a tile are below 2^30, so that one
 *               multiplication and a shift find the quotient; the rest is one byte of a plane.
 *   join        residues r of x: x = M frac(sum of r w / 2^96), w the 96 bits of (the inverse of M / p modulo p) / p.  What lies below 2^-96 of M is less than
 *               2^26, and the sum is rounded to 64 bits, which costs 2^45: rounding the operands is in the order of 2^53.
 *
 * Bottleneck  the tensor cores; the passes are a seventh of the time at 8192.
 * Measured    docs/double.md.
 *
 * residues_split of X and of Y, residues_judge, gemm_residues and residues_join, in this order. */
#include "../gemm/half.cuh"
#include "residues.h"

typedef unsigned long long Wide;

/* ---- the operands -------------------------------------------------------------------------------------------------- */

enum { SPLIT_WARPS = RESIDUE_THREADS / 32, SPLIT_EACH = 4, BIAS = 1023, FRACTION = 52 };

static __device__ __forceinline__ Wide double_word(double v)
{
    return __builtin_bit_cast(Wide, v);
}

/* 2^e, of a normal number. */
static __device__ __forceinline__ double power_of_two(int e)
{
    return __builtin_bit_cast(double, (Wide)(e + BIAS) << FRACTION);
}

static __device__ __forceinline__ int exponent_of(double v)
{
    return (int)(double_word(v) >> FRACTION & 2047) - BIAS;
}

static __device__ __forceinline__ double shuffled(double v, int far)
{
    return __shfl_xor_sync(0xffffffff, v, far);
}

struct Line {
    double most, squares; /* the largest size, the sum of squares */
};

/* The same in every thread. */
static __device__ __forceinline__ Line measure_line(const ResidueSplit &a, const double *p, Line *parts)
{
    Line v = {0, 0};
    bool odd = false; /* NaN is larger than nothing */
    for (int c = threadIdx.x; c < a.k; c += RESIDUE_THREADS) {
        double size = __builtin_fabs(p[c]);
        v.most      = size > v.most ? size : v.most;
        odd         = odd || size != size;
        v.squares   = __builtin_fma(size, size, v.squares);
    }
    if (odd)
        v.most = __builtin_inf();
#pragma unroll
    for (int far = 16; far; far /= 2) {
        double other = shuffled(v.most, far);
        v.most       = other > v.most ? other : v.most;
        v.squares += shuffled(v.squares, far);
    }
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = v;
    __syncthreads();
    v = {0, 0};
    for (int w = 0; w < SPLIT_WARPS; w++) {
        v.most = parts[w].most > v.most ? parts[w].most : v.most;
        v.squares += parts[w].squares;
    }
    return v;
}

/* By which power of two a line is multiplied; 0 where it cannot be. */
static __device__ __forceinline__ int line_shift(const ResidueSplit &a, const Line &v, bool *out)
{
    int top = exponent_of(v.most);
    *out    = v.most != 0 && (top < -RESIDUE_RANGE || top >= RESIDUE_RANGE);
    if (v.most == 0 || *out)
        return 0;
    int norm = exponent_of(a.limit / __builtin_sqrt(v.squares)), most = RESIDUE_TOP - top;
    return norm < most ? norm : most;
}

/* Four numbers from p[c] on, those past the end 0. */
static __device__ __forceinline__ void load_four(const ResidueSplit &a, const double *p, int c, double (&v)[SPLIT_EACH])
{
    bool whole = a.aligned && c + SPLIT_EACH <= a.k;
#pragma unroll
    for (int i = 0; i < SPLIT_EACH; i += 2) {
        double2 two = {0, 0};
        if (whole)
            two = *(const double2 *)(p + c + i);
        v[i]     = whole ? two.x : c + i < a.k ? p[c + i] : 0;
        v[i + 1] = whole ? two.y : c + i + 1 < a.k ? p[c + i + 1] : 0;
    }
}

/* Their residues: an integer below 2^51 added to 3 * 2^51 stands in the lower word, and so does its quotient, rounded: an error of 2^-10 in it makes no
 * byte too large, since the moduli but 256 are odd, and that one's quotients are exact. */
static __device__ __forceinline__ void split_four(const ResidueSplit &a, double up, const double (&v)[SPLIT_EACH], unsigned char *to, Wide plane)
{
    const int    modulus[RESIDUES] = {RESIDUE_MODULI};
    const double round             = 6755399441055744.0;
    double       whole[SPLIT_EACH];
    unsigned     low[SPLIT_EACH];
#pragma unroll
    for (int i = 0; i < SPLIT_EACH; i++) {
        double sum = __builtin_fma(v[i], up, round);
        low[i]     = (unsigned)double_word(sum);
        whole[i]   = sum - round;
    }
#pragma unroll
    for (int m = 0; m < RESIDUES; m++) {
        unsigned byte[SPLIT_EACH];
#pragma unroll
        for (int i = 0; i < SPLIT_EACH; i++) {
            unsigned quotient = (unsigned)double_word(__builtin_fma(whole[i], 1.0 / modulus[m], round));
            byte[i]           = (low[i] - quotient * modulus[m]) & 255;
        }
        *(unsigned *)(to + m * plane) = byte[0] | byte[1] << 8 | byte[2] << 16 | byte[3] << 24;
    }
}

static __device__ __forceinline__ void grow(unsigned *p, unsigned v)
{
    asm volatile("red.global.max.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}

/* A line a block. */
extern "C" __global__ void __launch_bounds__(RESIDUE_THREADS, 2) residues_split(const ResidueSplit a)
{
    __shared__ Line     parts[SPLIT_WARPS];
    __shared__ unsigned small;
    unsigned           *seen = (unsigned *)a.seen;
    for (int line = blockIdx.x; line < a.lines; line += gridDim.x) {
        const double  *p  = (const double *)a.from + line * a.ld;
        unsigned char *to = (unsigned char *)a.to + line * a.pitch;
        bool           out;
        if (threadIdx.x == 0)
            small = 0;
        Line     v     = measure_line(a, p, parts);
        int      shift = line_shift(a, v, &out);
        double   least = __builtin_sqrt(v.squares / a.k) * 0.1875, up = out ? 0 : power_of_two(shift);
        unsigned few   = 0;
        for (int c = threadIdx.x * SPLIT_EACH; c < a.k; c += RESIDUE_THREADS * SPLIT_EACH) {
            double four[SPLIT_EACH];
            load_four(a, p, c, four);
#pragma unroll
            for (int i = 0; i < SPLIT_EACH; i++)
                few += c + i < a.k && !(__builtin_fabs(four[i]) >= least);
            split_four(a, up, four, to + c, a.lines * a.pitch);
        }
        asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(shared_address(&small)), "r"(few) : "memory");
        __syncthreads();
        if (threadIdx.x == 0) {
            ((int *)a.shift)[line] = shift;
            if (small && v.most != 0)
                grow(seen + RESIDUE_SMALL + a.side, small);
            if (out)
                grow(seen + RESIDUE_OUT, 1);
        }
        __syncthreads();
    }
}

/* One thread.  A line of zeros has only exact terms. */
extern "C" __global__ void __launch_bounds__(32) residues_judge(const ResidueJudge a)
{
    unsigned *seen = (unsigned *)a.seen;
    if (threadIdx.x)
        return;
    unsigned bad      = seen[RESIDUE_OUT] || 2 * (seen[RESIDUE_SMALL] + seen[RESIDUE_SMALL + 1]) > (unsigned)a.k;
    seen[RESIDUE_BAD] = bad;
    if (a.told)
        *(unsigned *)a.told = bad;
}

/* ---- the products -------------------------------------------------------------------------------------------------- */

typedef HalfShape<256, 0, 0, 0, 4, 2, 0, 2> Shape;

enum { PAIRS_LAG = 2, CUT = 39 - 32 /* of the product with the inverse, whose upper word is taken */ };

static __device__ __forceinline__ void box_copy_deep(unsigned to, const GemmMap *map, int c, int r, int plane, unsigned bar)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(to), "l"(map), "r"(c),
                 "r"(r), "r"(plane), "r"(bar)
                 : "memory");
}

static __device__ __forceinline__ void box_copy_deep_both(unsigned to, const GemmMap *map, int c, int r, int plane, unsigned bar)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3, %4}], [%5], %6;" ::"r"(to),
                 "l"(map), "r"(c), "r"(r), "r"(plane), "r"(bar), "h"((unsigned short)3)
                 : "memory");
}

static __device__ __forceinline__ void box_store_deep(const GemmMap *map, unsigned from, int c, int r, int plane)
{
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(map), "r"(c), "r"(r), "r"(plane), "r"(from) : "memory");
}

#define BYTES_4(d, i)  "+r"(d[i]), "+r"(d[i + 1]), "+r"(d[i + 2]), "+r"(d[i + 3])
#define BYTES_16(d, i) BYTES_4(d, i), BYTES_4(d, i + 4), BYTES_4(d, i + 8), BYTES_4(d, i + 12)
#define BYTES_64(d, i) BYTES_16(d, i), BYTES_16(d, i + 16), BYTES_16(d, i + 32), BYTES_16(d, i + 48)

/* d = x * y, added to d where `more`: 64 x 256 of 32 signed bytes along k; asynchronous. */
static __device__ __forceinline__ void wgmma_bytes(unsigned (&d)[Shape::RESULTS], Wide x, Wide y, int more)
{
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %130, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n256k32.s32.s8.s8 {" WGMMA_FIRST_128 "}, %128, %129, p; }"
                 : BYTES_64(d, 0), BYTES_64(d, 64)
                 : "l"(x), "l"(y), "r"(more));
}

struct ResidueTile {
    int  row, col, plane; /* of this block */
    bool across;
};

static __device__ __forceinline__ ResidueTile residue_tile(const ResidueProduct &a, int pairs, int u, int rank)
{
    HalfTile t = tile_of<Shape>(a.h, u % pairs);
    return {row_of<Shape>(t, rank), col_of<Shape>(t, rank), u / pairs, t.across};
}

static __device__ __forceinline__ void order_residues(const ResidueProduct &a, HalfRing r, int rank)
{
    enum { HALF = Shape::BN / 2 };
    int pairs = a.h.pairs, slices = (a.h.g.k + RESIDUE_SLICE - 1) / RESIDUE_SLICE;
    for (int u = blockIdx.x / HALF_CLUSTER; u < pairs * RESIDUES; u += gridDim.x / HALF_CLUSTER) {
        ResidueTile t = residue_tile(a, pairs, u, rank);
        for (int s = 0; s < slices; s++) {
            unsigned full = r.full + r.buffer * 8, to = r.slices + r.buffer * Shape::SLICE;
            bar_wait(r.empty + r.buffer * 8, r.phase ^ 1);
            bar_expect(full, Shape::SLICE);
            box_copy_deep(to, &a.h.x, s * RESIDUE_SLICE, t.row, t.plane, full);
            if (!t.across)
                box_copy_deep_both(to + Shape::X + rank * HALF * Shape::ROW, &a.h.y, s * RESIDUE_SLICE, t.col + rank * HALF, t.plane, full);
            for (int h = 0; h < 2 && t.across; h++)
                box_copy_deep(to + Shape::X + h * HALF * Shape::ROW, &a.h.y, s * RESIDUE_SLICE, t.col + h * HALF, t.plane, full);
            ring_next<Shape>(&r);
        }
    }
}

/* A warpgroup's 64 x 256 sums over all of k. */
static __device__ __forceinline__ void multiply_residues(HalfRing *r, int half, int slices, unsigned (&d)[Shape::RESULTS])
{
    unsigned before = Shape::STAGES;
    if (half)
        lag_wait();
    for (int s = 0; s < slices; s++) {
        unsigned at = r->slices + r->buffer * Shape::SLICE;
        bar_wait(r->full + r->buffer * 8, r->phase);
        Wide x = wgmma_operand<0>(at + half * (Shape::X / 2)), y = wgmma_operand<0>(at + Shape::X);
        wgmma_begin();
#pragma unroll
        for (int l = 0; l < Shape::ROW / 32; l++)
            wgmma_bytes(d, x + l * 2, y + l * 2, s + l > 0);
        wgmma_commit();
        if (!half && s + 1 == (slices < PAIRS_LAG ? slices : PAIRS_LAG))
            lag_tell();
        wgmma_wait<1>();
        if (before < Shape::STAGES)
            buffer_read(r->empty + before * 8);
        before = r->buffer;
        ring_next<Shape>(r);
    }
    wgmma_wait<0>();
    buffer_read(r->empty + before * 8);
}

/* 0 to the modulus, a multiple of it away from the sum. */
static __device__ __forceinline__ unsigned residue_of(unsigned sum, unsigned modulus, unsigned inverse, unsigned offset)
{
    unsigned v = sum + offset, high;
    asm("mul.hi.u32 %0, %1, %2;" : "=r"(high) : "r"(v), "r"(inverse));
    return v - (high >> CUT) * modulus;
}

static __device__ __forceinline__ void shared_put_two(unsigned address, unsigned bytes)
{
    asm volatile("st.shared.u16 [%0], %1;" ::"r"(address), "h"((unsigned short)bytes) : "memory");
}

/* In two pieces of 64 x 128 bytes, as the tensor copy's swizzle has them. */
static __device__ __forceinline__ void send_residues(const ResidueProduct &a, const ResidueTile &t, int row, unsigned staged, const unsigned (&d)[Shape::RESULTS])
{
    unsigned modulus = a.modulus[t.plane], inverse = a.inverse[t.plane], offset = a.offset[t.plane], id = thread_here() / WARPGROUP;
    int      lane = thread_here() % 32, warp = thread_here() / 32 % 4;
    bool     first = thread_here() % WARPGROUP == 0;
    if (first)
        copies_read<0>();
    warpgroup_barrier(id);
#pragma unroll
    for (int i = 0; i < Shape::RESULTS; i += 2) {
        int      at = i / 4 * 8, r = warp * 16 + lane / 4 + i / 2 % 2 * 8; /* of 256 columns the first of eight; the row */
        unsigned two = residue_of(d[i], modulus, inverse, offset) | residue_of(d[i + 1], modulus, inverse, offset) << 8;
        unsigned to  = staged + at / 128 * Shape::PIECE + r * 128 + ((at % 128 / 16 ^ (r & 7)) << 4) + at % 16 + lane % 4 * 2;
        shared_put_two(to, two);
    }
    fence_async();
    warpgroup_barrier(id);
    if (!first)
        return;
    for (int j = 0; j < 2; j++)
        if (row < a.h.g.m && t.col + j * 128 < a.h.g.n)
            box_store_deep(&a.h.c, staged + j * Shape::PIECE, t.col + j * 128, row, t.plane);
    copies_commit();
}

static __device__ __forceinline__ void multiply_planes(const ResidueProduct &a, HalfRing r, unsigned staged, int rank)
{
    int      pairs = a.h.pairs, slices = (a.h.g.k + RESIDUE_SLICE - 1) / RESIDUE_SLICE, half = threadIdx.x / WARPGROUP - 1;
    unsigned d[Shape::RESULTS];
    staged += half * 2 * Shape::PIECE;
    for (int u = blockIdx.x / HALF_CLUSTER; u < pairs * RESIDUES; u += gridDim.x / HALF_CLUSTER) {
        ResidueTile t = residue_tile(a, pairs, u, rank);
        multiply_residues(&r, half, slices, d);
        send_residues(a, t, t.row + half * 64, staged, d);
    }
    if (threadIdx.x % WARPGROUP == 0)
        copies_done();
}

extern "C" __global__ void __launch_bounds__(3 * WARPGROUP, 1) gemm_residues_f64(const __grid_constant__ ResidueProduct args)
{
    extern __shared__ __align__(1024) unsigned char slices[];
    __shared__ __align__(8) Bar full[Shape::STAGES], empty[Shape::STAGES];
    const ResidueProduct &a    = GRID_CONSTANT(gemm_residues_f64, ResidueProduct, args);
    int                   rank = blockIdx.x % HALF_CLUSTER;
    unsigned              at   = (shared_address(slices) + 1023) / 1024 * 1024;
    HalfRing              r    = {at, shared_address(full), shared_address(empty), 0, 0, false};
    if (threadIdx.x == 0) {
        for (int b = 0; b < Shape::STAGES; b++) {
            bar_init(r.full + b * 8, 1);
            bar_init(r.empty + b * 8, 2 * HALF_CLUSTER);
        }
        bar_init_done();
    }
    cluster_meet();
    if (*(const volatile unsigned *)a.bad) /* all blocks see the same */
        return;
    if (threadIdx.x < WARPGROUP) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0)
            order_residues(a, r, rank);
        __syncwarp();
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        multiply_planes(a, r, at + Shape::STAGES * Shape::SLICE, rank);
        __syncwarp();
    }
    cluster_meet();
}

/* ---- the results --------------------------------------------------------------------------------------------------- */

/* Four columns a thread, a row each blockIdx.y, rows past the grid by a loop. */
extern "C" __global__ void __launch_bounds__(RESIDUE_JOINERS) residues_join(const ResidueJoin a)
{
    int col = (blockIdx.x * RESIDUE_JOINERS + threadIdx.x) * RESIDUE_EACH;
    if (*(const volatile unsigned *)a.bad || col >= a.n)
        return;
    bool       whole  = a.aligned && col + RESIDUE_EACH <= a.n;
    const int *across = (const int *)a.y_shift + col;
    for (int row = blockIdx.y; row < a.m; row += gridDim.y) {
        const unsigned char *from = (const unsigned char *)a.planes + row * a.pitch + col;
        unsigned             words[RESIDUES];
        double               v[RESIDUE_EACH], *c = (double *)a.c + row * a.ldc + col;
        int                  down = ((const int *)a.x_shift)[row];
#pragma unroll
        for (int i = 0; i < RESIDUES; i++)
            words[i] = *(const unsigned *)(from + i * a.plane);
#pragma unroll
        for (int e = 0; e < RESIDUE_EACH; e++) {
            Wide     low = 1u << 31, middle = 0; /* half a unit of what is taken */
            unsigned high = 0;
#pragma unroll
            for (int i = 0; i < RESIDUES; i++) {
                unsigned r = words[i] >> e * 8 & 255;
                low += (Wide)r * a.weight[i][0];
                middle += (Wide)r * a.weight[i][1];
                high += r * a.weight[i][2];
            }
            middle += low >> 32;
            high += (unsigned)(middle >> 32);
            int    e2 = col + e < a.n ? down + across[e] : 0, half = e2 / 2;
            double x  = (double)(long long)((Wide)high << 32 | (unsigned)middle) * a.unit;
            v[e]      = a.alpha * (x * power_of_two(-half) * power_of_two(half - e2));
        }
        if (a.beta != 0)
#pragma unroll
            for (int e = 0; e < RESIDUE_EACH; e++)
                if (col + e < a.n)
                    v[e] = __builtin_fma(a.beta, c[e], v[e]);
        if (whole) {
            *(double2 *)c       = {v[0], v[1]};
            *(double2 *)(c + 2) = {v[2], v[3]};
        } else {
#pragma unroll
            for (int e = 0; e < RESIDUE_EACH; e++)
                if (col + e < a.n)
                    c[e] = v[e];
        }
    }
}
