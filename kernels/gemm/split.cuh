/* SPDX-License-Identifier: Apache-2.0
 *
 * Float products on the tensor cores, as accurate as in float arithmetic.
 *
 *   halves      each row of X and column of Y is scaled by a power of two, so that its largest number is just below 2^15, and each number split
 *               into two fp16, x = h + l.  C = hX hY + hX lY + lX hY; what is left out, lX lY, is below 2^-22 of a term.
 *   sums        the tensor cores cut sums where they should round, so one slice of 64 of k is added there, the small products first,
 *               and slices are added in float arithmetic.  A slice's products run while the one before is added.
 *   tiles       128 x 128, clusters of two that share Y and all else as in half.cuh.
 *   ranges      a number 2^16 below the largest of its row loses bits of its lower half.  split_judge says whether that can be seen in a result:
 *               not where half of k or more has factors that are both within 2^6 of the largest, which bounds |X||Y| from below, nor
 *               where there is no such number.  Then nothing is done here, and another kernel computes C. */
#ifndef WW_KERNELS_GEMM_SPLIT_CUH
#define WW_KERNELS_GEMM_SPLIT_CUH

#include "half.cuh"
#include "split.h"

/* By how many bits a row with this largest number is shifted up. */
static __device__ __forceinline__ int split_shift(unsigned most)
{
    return most ? SPLIT_TOP + 127 - (int)(most >> 23) : 0;
}

/* Half h of a slice of Y's high or low numbers, for both blocks or this one. */
template <typename S, bool BOTH>
static __device__ __forceinline__ void split_columns(const GemmMap *y, unsigned to, unsigned full, int col, int k, int h)
{
    enum { BOX = 64 * S::BK * 2, HALF = S::BN / 2 };
    int across = col + h * HALF;
    BOTH ? box_copy_both(to + h * BOX, y, S::YN ? across : k, S::YN ? k : across, full) : box_copy(to + h * BOX, y, S::YN ? across : k, S::YN ? k : across, full);
}

template <typename S>
static __device__ __forceinline__ void split_order(const SplitProduct &a, HalfRing r, int rank)
{
    enum { BOX = 64 * S::BK * 2, LOW = S::X + S::BN * S::BK * 2 };
    HalfPiece p;
    for (int i = 0; piece_at<S>(a.h, i, &p); i++) {
        int row = row_of<S>(p.tile, rank), col = col_of<S>(p.tile, rank);
        for (int s = p.first; s < p.end; s++) {
            unsigned full = r.full + r.buffer * 8, to = r.slices + r.buffer * 2 * LOW;
            bar_wait(r.empty + r.buffer * 8, r.phase ^ 1);
            bar_expect(full, 2 * LOW);
#pragma unroll
            for (int low = 0; low < 2; low++, to += LOW) {
                const GemmMap *x = low ? &a.x : &a.h.x, *y = low ? &a.y : &a.h.y;
                if (S::XN) {
                    box_copy(to, x, row, s * S::BK, full);
                    box_copy(to + BOX, x, row + 64, s * S::BK, full);
                } else {
                    box_copy(to, x, s * S::BK, row, full);
                }
                if (S::SYM || !p.tile.across) {
                    split_columns<S, true>(y, to + S::X, full, col, s * S::BK, rank);
                } else {
                    split_columns<S, false>(y, to + S::X, full, col, s * S::BK, 0);
                    split_columns<S, false>(y, to + S::X, full, col, s * S::BK, 1);
                }
            }
            ring_next<S>(&r);
        }
    }
}

/* A slice's products, small ones first. */
template <typename S> static __device__ __forceinline__ void split_slice(HalfRing *r, int half, float (&d)[S::RESULTS])
{
    enum { X_STEP = S::XN ? 16 * 128 / 16 : 2, Y_STEP = S::YN ? 16 * 128 / 16 : 2, LOW = S::X + S::BN * S::BK * 2, STEPS = S::BK / 16 };
    unsigned at = r->slices + r->buffer * 2 * LOW;
    bar_wait(r->full + r->buffer * 8, r->phase);
    unsigned long long x = wgmma_operand<S::XN>(at + half * (S::X / 2)), y = wgmma_operand<S::YN>(at + S::X);
    wgmma_begin();
#pragma unroll
    for (int l = 0; l < STEPS; l++)
        wgmma_half<0, S::XN, S::YN>(d, x + l * X_STEP, y + LOW / 16 + l * Y_STEP, l > 0);
#pragma unroll
    for (int l = 0; l < STEPS; l++)
        wgmma_half<0, S::XN, S::YN>(d, x + LOW / 16 + l * X_STEP, y + l * Y_STEP, 1);
#pragma unroll
    for (int l = 0; l < STEPS; l++)
        wgmma_half<0, S::XN, S::YN>(d, x + l * X_STEP, y + l * Y_STEP, 1);
    wgmma_commit();
}

template <typename S>
static __device__ __forceinline__ void split_add(HalfRing *r, unsigned buffer, float (&sum)[S::RESULTS], const float (&d)[S::RESULTS])
{
    buffer_read(r->empty + buffer * 8);
#pragma unroll
    for (int i = 0; i < S::RESULTS; i++)
        sum[i] += d[i];
}

template <typename S> static __device__ __forceinline__ void split_tile(HalfRing *r, int half, int slices, float (&sum)[S::RESULTS])
{
    float    one[S::RESULTS], two[S::RESULTS];
    unsigned before;
#pragma unroll
    for (int i = 0; i < S::RESULTS; i++)
        sum[i] = 0;
    split_slice<S>(r, half, one);
    before = r->buffer;
    ring_next<S>(r);
    for (int s = 1; s < slices; s += 2) { /* `one` is under way */
        split_slice<S>(r, half, two);
        wgmma_wait<1>();
        split_add<S>(r, before, sum, one);
        before = r->buffer;
        ring_next<S>(r);
        if (s + 1 == slices) {
            wgmma_wait<0>();
            split_add<S>(r, before, sum, two);
            return;
        }
        split_slice<S>(r, half, one);
        wgmma_wait<1>();
        split_add<S>(r, before, sum, two);
        before = r->buffer;
        ring_next<S>(r);
    }
    wgmma_wait<0>();
    split_add<S>(r, before, sum, one);
}

/* Each by the powers of two of its row and column, in two steps so that nothing between is out of range. */
template <typename S> static __device__ __forceinline__ void split_unscale(const SplitProduct &a, int row0, int col0, float (&d)[S::RESULTS])
{
    const unsigned *x = (const unsigned *)a.x_most, *y = (const unsigned *)a.y_most;
    int             lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4, row = row0 + warp * 16 + lane / 4;
    int             up[2];
#pragma unroll
    for (int i = 0; i < 2; i++)
        up[i] = row + i * 8 < a.h.g.m ? split_shift(x[row + i * 8]) : 0;
#pragma unroll
    for (int i = 0; i < S::RESULTS; i += 4)
#pragma unroll
        for (int j = 0; j < 2; j++) {
            int col = col0 + i * 2 + lane % 4 * 2 + j, across = col < a.h.g.n ? split_shift(y[col]) : 0;
#pragma unroll
            for (int q = 0; q < 2; q++) {
                int down = -(up[q] + across), first = down / 2;
                d[i + q * 2 + j] *= Four<float>::from((unsigned)(first + 127) << 23);
                d[i + q * 2 + j] *= Four<float>::from((unsigned)(down - first + 127) << 23);
            }
        }
}

enum { SPLIT_PIECE = 64 * FLOAT_PITCH * 4 }; /* bytes, of each warpgroup that multiplies */

template <typename S> static __device__ __forceinline__ void split_tiles(const SplitProduct &a, HalfRing r, unsigned staged, int rank)
{
    __shared__ unsigned seen[2][2];
    int                 half = threadIdx.x / WARPGROUP - 1;
    float               d[1][S::RESULTS];
    HalfPiece           p;
    for (int i = 0; piece_at<S>(a.h, i, &p); i++) {
        int row = row_of<S>(p.tile, rank) + half * 64, col = col_of<S>(p.tile, rank);
        split_tile<S>(&r, half, p.end - p.first, d[0]);
        if (p.parts > 1 && !join_parts<S>(a.h, p, rank * 2 + half, half, d, seen))
            continue;
        split_unscale<S>(a, row, col, d[0]);
        put_pieces<S>(a.h, staged + half * SPLIT_PIECE, p.tile.diagonal, row, col, d[0]);
    }
}

template <typename S> static __device__ __forceinline__ void split_product(const SplitProduct &a)
{
    extern __shared__ __align__(1024) unsigned char slices[];
    __shared__ __align__(8) Bar full[S::STAGES], empty[S::STAGES];
    int      rank = blockIdx.x % HALF_CLUSTER;
    unsigned at   = (shared_address(slices) + 1023) / 1024 * 1024;
    HalfRing r    = {at, shared_address(full), shared_address(empty), 0, 0, false};
    if (threadIdx.x == 0) {
        for (int b = 0; b < S::STAGES; b++) {
            bar_init(r.full + b * 8, 1);
            bar_init(r.empty + b * 8, 2 * HALF_CLUSTER);
        }
        bar_init_done();
    }
    cluster_meet();
    if (*(const volatile unsigned *)a.bad) /* all blocks see the same */
        return;
    if (threadIdx.x < WARPGROUP) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
        if (threadIdx.x < 32 && elect_one())
            split_order<S>(a, r, rank);
        __syncwarp();
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
        split_tiles<S>(a, r, at + S::STAGES * 2 * S::SLICE, rank);
        __syncwarp();
    }
    cluster_meet();
}

#define SPLIT_KERNEL(name, ...)                                                                                        \
    extern "C" __global__ void __launch_bounds__(3 * WARPGROUP, 1) name(const __grid_constant__ SplitProduct args)     \
    {                                                                                                                  \
        split_product<HalfShape<__VA_ARGS__>>(GRID_CONSTANT(name, SplitProduct, args));                                \
    }

/* ---- the operands -------------------------------------------------------------------------------------------------- */

enum { SPLIT_THREADS = 256, SPLIT_WARPS = SPLIT_THREADS / 32, SPLIT_SMALL = 6, SPLIT_LOST = 16, SPLIT_LEAST = 27 };

/* Which of a block's 64 x 256 numbers: the part, and its first line and column. */
struct SplitPlace {
    const SplitPart *part;
    unsigned         line, column;
};

static __device__ __forceinline__ SplitPlace split_place(const SplitArgs &a)
{
    int              second = blockIdx.x >= a.part[0].blocks;
    const SplitPart &p      = a.part[second];
    unsigned         b = blockIdx.x - (second ? a.part[0].blocks : 0), across = (p.length + SPLIT_COLUMNS - 1) / SPLIT_COLUMNS;
    return {&p, b / across * SPLIT_LINES, b % across * SPLIT_COLUMNS};
}

static __device__ __forceinline__ void grow(unsigned *p, unsigned v)
{
    asm volatile("red.global.max.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}

static __device__ __forceinline__ void count(unsigned *p, unsigned v)
{
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}

static __device__ __forceinline__ unsigned warp_most(unsigned v)
{
#pragma unroll
    for (int far = 16; far; far /= 2) {
        unsigned w = __shfl_xor_sync(0xffffffff, v, far);
        v          = w > v ? w : v;
    }
    return v;
}

static __device__ __forceinline__ unsigned size_bits(const SplitPart &p, unsigned line, unsigned column)
{
    bool in = line < p.lines && column < p.length;
    return in ? ((const unsigned *)p.from)[line * p.ld + column] & 0x7fffffff : 0;
}

static __device__ __forceinline__ void split_most_of(const SplitArgs &a)
{
    SplitPlace       at = split_place(a);
    const SplitPart &p  = *at.part;
    unsigned        *to = (unsigned *)p.most;
    if (p.along_k) {
        unsigned lane = threadIdx.x % 32;
        for (unsigned l = threadIdx.x / 32; l < SPLIT_LINES; l += SPLIT_WARPS) {
            unsigned most = 0;
#pragma unroll
            for (unsigned c = 0; c < SPLIT_COLUMNS; c += 32) {
                unsigned v = size_bits(p, at.line + l, at.column + c + lane);
                most       = v > most ? v : most;
            }
            most = warp_most(most);
            if (lane == 0 && at.line + l < p.lines)
                grow(to + at.line + l, most);
        }
        return;
    }
    unsigned most = 0;
#pragma unroll 8
    for (unsigned l = 0; l < SPLIT_LINES; l++) {
        unsigned v = size_bits(p, at.line + l, at.column + threadIdx.x);
        most       = v > most ? v : most;
    }
    if (at.column + threadIdx.x < p.length)
        grow(to + at.column + threadIdx.x, most);
}

/* One number: its halves; whether it is small against the largest, or loses bits. */
static __device__ __forceinline__ void split_one(const SplitPart &p, unsigned line, unsigned column, unsigned most, bool *small, bool *tiny)
{
    bool in = line < p.lines && column < p.length;
    *small = *tiny = false;
    if (!in)
        return;
    float          v = ((const float *)p.from)[line * p.ld + column], size = Four<float>::from(most);
    int            shift = split_shift(most) + 127;
    float          up = Four<float>::from((unsigned)(shift < 1 ? 1 : shift > 254 ? 254 : shift) << 23), scaled = v * up;
    unsigned       e = __builtin_bit_cast(unsigned, v) >> 23 & 255, top = most >> 23;
    unsigned short high, low;
    float          back;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(high) : "f"(scaled));
    asm("cvt.f32.f16 %0, %1;" : "=f"(back) : "h"(high));
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(low) : "f"(scaled - back));
    ((unsigned short *)p.high)[line * p.pitch + column] = high;
    ((unsigned short *)p.low)[line * p.pitch + column]  = low;
    *small = e + SPLIT_SMALL < top && size > 0;
    *tiny  = e + SPLIT_LOST < top && v != 0;
}

/* Infinities, NaN, and what cannot be scaled by one float. */
static __device__ __forceinline__ bool out_of_range(unsigned most)
{
    return most >= 0x7f800000 || (most && most >> 23 < SPLIT_LEAST);
}

static __device__ __forceinline__ void split_halves_of(const SplitArgs &a)
{
    SplitPlace       at   = split_place(a);
    const SplitPart &p    = *at.part;
    unsigned        *seen = (unsigned *)a.seen, lane = threadIdx.x % 32;
    const unsigned  *most = (const unsigned *)p.most;
    bool             small, tiny, any = false, bad = false;
    if (p.along_k) {
        for (unsigned l = threadIdx.x / 32; l < SPLIT_LINES && at.line + l < p.lines; l += SPLIT_WARPS) {
            unsigned top = most[at.line + l], few = 0;
            bad = bad || out_of_range(top);
#pragma unroll
            for (unsigned c = 0; c < SPLIT_COLUMNS; c += 32) {
                split_one(p, at.line + l, at.column + c + lane, top, &small, &tiny);
                few += __popc(__ballot_sync(0xffffffff, small));
                any = any || tiny;
            }
            if (lane == 0 && few)
                count((unsigned *)p.few + at.line + l, few);
        }
    } else {
        unsigned c = at.column + threadIdx.x, top = c < p.length ? most[c] : 0, few = 0;
        bad = out_of_range(top);
#pragma unroll 8
        for (unsigned l = 0; l < SPLIT_LINES; l++) {
            split_one(p, at.line + l, c, top, &small, &tiny);
            few += small;
            any = any || tiny;
        }
        if (few)
            count((unsigned *)p.few + c, few);
    }
    any = __any_sync(0xffffffff, any);
    bad = __any_sync(0xffffffff, bad);
    if (lane == 0 && any)
        grow(seen + SPLIT_TINY, 1);
    if (lane == 0 && bad)
        grow(seen + SPLIT_RANGE, 1);
}

/* One block. */
static __device__ __forceinline__ void split_judge_of(const SplitArgs &a)
{
    __shared__ unsigned most[2];
    unsigned           *seen = (unsigned *)a.seen;
    if (threadIdx.x < 2)
        most[threadIdx.x] = 0;
    __syncthreads();
    for (int s = 0; s < 2; s++) {
        const SplitPart &p = a.part[s];
        unsigned         n = p.along_k ? p.lines : p.length, few = 0;
        for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
            unsigned v = ((const unsigned *)p.few)[i];
            few        = v > few ? v : few;
        }
        few = warp_most(few);
        if (threadIdx.x % 32 == 0)
            asm volatile("red.shared.max.u32 [%0], %1;" ::"r"(shared_address(&most[s])), "r"(few) : "memory");
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned bad    = seen[SPLIT_RANGE] || (seen[SPLIT_TINY] && 2 * (most[0] + most[1]) > (unsigned)a.k);
        seen[SPLIT_BAD] = bad;
        if (a.told)
            *(unsigned *)a.told = bad;
    }
}

#endif
