/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of bf16, fp16 or fp8 operands with float sums, by the tensor cores of sm_90a.
 *
 *   blocks      two of a cluster have tiles of 128 x BN results below each other.  Both need the same BN columns of Y: each orders half of them, for both.
 *               A cluster goes on from tile to tile.
 *   warps       one thread orders slices of 64 of k; two warpgroups multiply 64 x BN results each (wgmma m64n<BN>k16), at their own pace.
 *               The second begins a tile LAG slices behind the first, so that one multiplies while the other stores.
 *   slices      a ring of STAGES; a buffer is free when both warpgroups of both blocks have read it.
 *   8 bits      EIGHT: slices of 128 of k, operands along k; what a slice adds up leaves the tensor cores, and is added as floats.
 *   results     16-bit ones pass through shared memory in pieces of 64 x 64 and leave by tensor copies while the next tile's slices arrive,
 *               or, where C's lines begin anywhere, by whole lines of a piece.  Floats, and results with a scale, C, a bias or an activation to come, pass
 *               through it as floats, in pieces of 64 x 32 in a loop (put_pieces); of A * A^T in both directions.
 *   last round  where it would leave most of the card idle, k of its pairs is shared out among clusters.  The warpgroup that is the last to
 *               have its part ready adds them up, in their order: the same bits in every run, and nobody waits for a block that may not run.
 *   A * A^T     tiles in pairs whose columns end at or under those of the pair's rows.  A tile beside the diagonal is written in both directions,
 *               those of the pair on the diagonal as they are: an element's products are added in the same order on both sides of the diagonal,
 *               so the two halves have the same bits. */
#ifndef WW_KERNELS_GEMM_HALF_CUH
#define WW_KERNELS_GEMM_HALF_CUH

#include "boxes.h"
#include "half_result.cuh"

template <int BN_, int XN_, int YN_, int BRAIN_, int STAGES_, int PIECES_, int SYM_, int LAG_, int EIGHT_ = 0> struct HalfShape {
    enum {
        BN = BN_, XN = XN_, YN = YN_, /* XN, YN: the operand does not lie along k */
        BRAIN = BRAIN_,               /* bf16, else fp16 */
        EIGHT = EIGHT_,               /* operands: 1 e4m3, 2 e5m2, 0 16 bits, BRAIN or not; results of 16 bits are as BRAIN says */
        STAGES = STAGES_, PIECES = PIECES_, SYM = SYM_, LAG = LAG_, BM = HALF_ROWS, BK = EIGHT ? 2 * HALF_SLICE : HALF_SLICE, RESULTS = BN / 2, ENDS = !SYM_,
        ROW = 128 /* bytes of k */, X = BM * ROW, SLICE = X + BN * ROW, PIECE = 64 * 64 * 2, PAIRS = 256 / BN, /* tiles across a pair on the diagonal */
    };
};

enum { HALF_CLUSTER = 2 };

struct HalfRing {
    unsigned slices, full, empty; /* shared addresses */
    unsigned buffer, phase;
};

template <typename S> static __device__ __forceinline__ void ring_next(HalfRing *r)
{
    r->buffer = r->buffer + 1 == S::STAGES ? 0 : r->buffer + 1;
    r->phase ^= r->buffer == 0;
}

/* ---- which tile ---------------------------------------------------------------------------------------------------- */

struct HalfTile {
    int row, col; /* of the pair's first result */
    bool diagonal;
};

/* How many pairs of tiles there are. */
template <typename S> static __device__ __forceinline__ int pairs_of(const GemmArgs &g)
{
    int down = (g.m + 2 * S::BM - 1) / (2 * S::BM);
    return S::SYM ? down * (down + 1) / 2 * S::PAIRS : down * ((g.n + S::BN - 1) / S::BN);
}

/* Pair t, in groups of rows, down a group's columns, every other group from its end: pairs that run together share rows and columns, which then
 * are in the L2. */
template <typename S> static __device__ __forceinline__ HalfTile tile_of(const HalfArgs &a, int t)
{
    const GemmArgs &g = a.g;
    int down = (g.m + 2 * S::BM - 1) / (2 * S::BM), across = (g.n + S::BN - 1) / S::BN;
    if (!S::SYM) {
        int per = a.group * across, group = t / per, first = group * a.group, in = t % per;
        int high = down - first < a.group ? down - first : a.group;
        int col  = in / high;
        return {(first + in % high) * 2 * S::BM, (group & 1 ? across - 1 - col : col) * S::BN, false};
    }
    int sub = t % S::PAIRS, first = 0;
    t /= S::PAIRS;
    for (;; first += a.group) { /* a group: a rectangle, and the triangle at its end */
        int high = down - first < a.group ? down - first : a.group, all = first * high + high * (high + 1) / 2;
        if (t >= all) {
            t -= all;
            continue;
        }
        if (t < first * high)
            return {(first + t % high) * 2 * S::BM, t / high * 2 * S::BM + sub * S::BN, false};
        t -= first * high;
        int col = 0;
        for (; t >= high - col; col++)
            t -= high - col;
        return {(first + col + t) * 2 * S::BM, (first + col) * 2 * S::BM + sub * S::BN, t == 0};
    }
}

/* A tile, or a part of its k. */
struct HalfPiece {
    HalfTile tile;
    int      first, end; /* slices */
    int      tail, part; /* tail < 0: whole; else which of the pairs that are not, and which part */
};

template <typename S> static __device__ __forceinline__ int pieces_of(const HalfArgs &a)
{
    return a.whole + (pairs_of<S>(a.g) - a.whole) * a.split;
}

template <typename S> static __device__ __forceinline__ HalfPiece piece_of(const HalfArgs &a, int u)
{
    int slices = (a.g.k + S::BK - 1) / S::BK;
    if (u < a.whole)
        return {tile_of<S>(a, u), 0, slices, -1, 0};
    int tail = (u - a.whole) / a.split, part = (u - a.whole) % a.split;
    return {tile_of<S>(a, a.whole + tail), (int)((long long)slices * part / a.split), (int)((long long)slices * (part + 1) / a.split), tail, part};
}

/* ---- operands ------------------------------------------------------------------------------------------------------ */

/* A slice's boxes: X for this block, a half of Y for both. */
template <typename S> static __device__ __forceinline__ void order_slice(const HalfArgs &a, unsigned to, unsigned full, int row, int col, int k, int rank)
{
    enum { BOX = 64 * S::ROW, HALF = S::BN / 2 };
    if (S::XN) {
        box_copy(to, &a.x, row, k, full);
        box_copy(to + BOX, &a.x, row + 64, k, full);
    } else {
        box_copy(to, &a.x, k, row, full);
    }
    unsigned y = to + S::X + rank * HALF * S::ROW;
    if (S::YN) {
#pragma unroll
        for (int i = 0; i < HALF / 64; i++)
            box_copy_both(y + i * BOX, &a.y, col + rank * HALF + i * 64, k, full);
    } else {
        box_copy_both(y, &a.y, k, col + rank * HALF, full);
    }
}

template <typename S> static __device__ __forceinline__ void order_tiles(const HalfArgs &a, HalfRing r, int rank)
{
    int pieces = pieces_of<S>(a);
    for (int u = blockIdx.x / HALF_CLUSTER; u < pieces; u += gridDim.x / HALF_CLUSTER) {
        HalfPiece p    = piece_of<S>(a, u);
        HalfTile  tile = p.tile;
        for (int s = p.first; s < p.end; s++) {
            unsigned full = r.full + r.buffer * 8;
            bar_wait(r.empty + r.buffer * 8, r.phase ^ 1);
            bar_expect(full, S::SLICE);
            order_slice<S>(a, r.slices + r.buffer * S::SLICE, full, tile.row + rank * S::BM, tile.col, s * S::BK, rank);
            ring_next<S>(&r);
        }
    }
}

/* ---- products ------------------------------------------------------------------------------------------------------ */

/* Both blocks learn that this warpgroup has read a buffer. */
static __device__ __forceinline__ void buffer_read(unsigned empty)
{
    if (threadIdx.x % WARPGROUP < HALF_CLUSTER)
        bar_arrive_at(empty, threadIdx.x % WARPGROUP);
}

/* A warpgroup: 64 x BN results of a tile.  The products of a slice run while the next is waited for. */
template <typename S> static __device__ __forceinline__ void multiply_tile(HalfRing *r, int half, int slices, float (&d)[S::RESULTS])
{
    enum { X_STEP = S::XN ? 16 * 128 / 16 : 2, Y_STEP = S::YN ? 16 * 128 / 16 : 2 }; /* 16 of k, in 16 bytes */
    unsigned before = S::STAGES;
    if (S::LAG && half)
        lag_wait();
    for (int s = 0; s < slices; s++) {
        unsigned at = r->slices + r->buffer * S::SLICE;
        bar_wait(r->full + r->buffer * 8, r->phase);
        unsigned long long x = wgmma_operand<S::XN>(at + half * (S::X / 2)), y = wgmma_operand<S::YN>(at + S::X);
        wgmma_begin();
#pragma unroll
        for (int l = 0; l < S::BK / 16; l++)
            wgmma_half<S::BRAIN, S::XN, S::YN>(d, x + l * X_STEP, y + l * Y_STEP, s + l > 0);
        wgmma_commit();
        if (S::LAG && !half && s + 1 == (slices < S::LAG ? slices : S::LAG))
            lag_tell();
        wgmma_wait<1>();
        if (before < S::STAGES)
            buffer_read(r->empty + before * 8);
        before = r->buffer;
        ring_next<S>(r);
    }
    wgmma_wait<0>();
    buffer_read(r->empty + before * 8);
}

/* The same of 8-bit operands, whose sums in the tensor cores are short: those of a slice are added up as floats. */
template <typename S> static __device__ __forceinline__ void multiply_eight(HalfRing *r, int half, int slices, float (&d)[S::RESULTS])
{
    float p[S::RESULTS];
#pragma unroll
    for (int i = 0; i < S::RESULTS; i++)
        d[i] = 0;
    if (S::LAG && half)
        lag_wait();
    for (int s = 0; s < slices; s++) {
        unsigned at = r->slices + r->buffer * S::SLICE;
        bar_wait(r->full + r->buffer * 8, r->phase);
        unsigned long long x = wgmma_operand<0>(at + half * (S::X / 2)), y = wgmma_operand<0>(at + S::X);
        wgmma_begin();
#pragma unroll
        for (int l = 0; l < S::ROW / 32; l++)
            wgmma_eight<S::EIGHT>(p, x + l * 2, y + l * 2, l > 0);
        wgmma_commit();
        wgmma_wait<0>();
        buffer_read(r->empty + r->buffer * 8);
#pragma unroll
        for (int i = 0; i < S::RESULTS; i++)
            d[i] += p[i];
        if (S::LAG && !half && s + 1 == (slices < S::LAG ? slices : S::LAG))
            lag_tell();
        ring_next<S>(r);
    }
}

/* ---- results ------------------------------------------------------------------------------------------------------- */

/* Piece j of a warpgroup's results, 64 columns, to shared memory as the tensor copy's swizzle has it; turned: columns as rows. */
template <typename S>
static __device__ __forceinline__ void stage_piece(unsigned to, const float (&d)[S::RESULTS], int j, float alpha, bool turned)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
#pragma unroll
    for (int i = 0; i < 4; i++) { /* 16 columns */
        unsigned v[4];
#pragma unroll
        for (int q = 0; q < 4; q++)
            v[q] = two_halves<S>(alpha * d[j * 32 + i * 8 + q * 2], alpha * d[j * 32 + i * 8 + q * 2 + 1]);
        int row = turned ? i * 16 + lane / 16 * 8 + lane % 8 : warp * 16 + lane % 16;
        int at  = turned ? warp * 2 + lane / 8 % 2 : i * 2 + lane / 16; /* which 16 bytes */
        unsigned address = to + row * 128 + ((at ^ (row & 7)) << 4);
        if (turned)
            matrix_store_turned(address, v);
        else
            matrix_store(address, v);
    }
}

/* A piece from shared memory to column c, row r of a C whose lines tensor copies cannot write: two elements a lane, whole lines of a piece. */
template <typename S> static __device__ __forceinline__ void copy_piece(const HalfArgs &a, unsigned from, int c, int r)
{
    const GemmArgs &g = a.g;
    int             lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4, col = c + lane * 2;
#pragma unroll 4
    for (int i = warp; i < 64 && r + i < g.m; i += 4) {
        unsigned        two = shared_word(from + i * 128 + (((lane / 4) ^ (i & 7)) << 4) + lane % 4 * 4);
        unsigned short *to  = (unsigned short *)g.c + (r + i) * g.ldc + col;
        if (g.vector & GEMM_PAIRS && col + 1 < g.n) {
            *(unsigned *)to = two;
            continue;
        }
        if (col < g.n)
            to[0] = (unsigned short)two;
        if (col + 1 < g.n)
            to[1] = (unsigned short)(two >> 16);
    }
}

/* All pieces in one direction.  A piece's place is free when the copy from it has read it, PIECES before. */
template <typename S>
static __device__ __forceinline__ void send_pieces(const HalfArgs &a, unsigned staged, unsigned *next, int row, int col, const float (&d)[S::RESULTS],
                                                   float alpha, bool turned)
{
    int   id    = threadIdx.x / WARPGROUP;
    bool  first = threadIdx.x % WARPGROUP == 0;
#pragma unroll
    for (int j = 0; j < S::BN / 64; j++) {
        unsigned at = staged + *next * S::PIECE;
        if (first)
            copies_read<S::PIECES - 1>();
        warpgroup_barrier(id);
        stage_piece<S>(at, d, j, alpha, turned);
        fence_async();
        warpgroup_barrier(id);
        int r = turned ? col + j * 64 : row, c = turned ? row : col + j * 64;
        if (!a.store) {
            copy_piece<S>(a, at, c, r);
        } else if (first) {
            if (r < a.g.m && c < a.g.n)
                box_store(&a.c, at, c, r);
            copies_commit();
        }
        *next = *next + 1 == S::PIECES ? 0 : *next + 1;
    }
}

/* Where a piece of 64 x 32 floats has one: pairs of eight rows and four neighbours of a row fall on all banks, four neighbours of a column of 16 in turn
 * on each bank twice. */
enum { FLOAT_COLUMNS = 32, FLOAT_PITCH = FLOAT_COLUMNS + 8 };
static __device__ __forceinline__ unsigned float_at(unsigned piece, int row, int col)
{
    return piece + (row * FLOAT_PITCH + (col ^ (row / 4 % 8 * 4))) * 4;
}

/* The scale of a row or a column of 8-bit operands, 0: none; of 16-bit ones 1. */
template <typename S> static __device__ __forceinline__ float scale_at(GemmConst scales, int i, int n)
{
    return S::EIGHT && scales && i < n ? ((const float *)scales)[i] : 1.0f;
}

/* Four of a row's or column's numbers `apart`, the last of them again past the end: all are asked for at once. */
template <typename S>
static __device__ __forceinline__ void load_biases(const HalfArgs &a, GemmConst bias, int first, int apart, int n, float (&v)[4])
{
    if (!S::ENDS || !a.ends || !bias)
        return;
    if (a.wide) {
#pragma unroll
        for (int i = 0; i < 4; i++)
            v[i] = ((const float *)bias)[first + i * apart < n ? first + i * apart : n - 1];
    } else {
        unsigned short h[4];
#pragma unroll
        for (int i = 0; i < 4; i++)
            h[i] = ((const unsigned short *)bias)[first + i * apart < n ? first + i * apart : n - 1];
#pragma unroll
        for (int i = 0; i < 4; i++)
            v[i] = half_value<S::BRAIN>(h[i]);
    }
}

template <typename S> static __device__ __forceinline__ void load_scales(GemmConst scales, int first, int apart, int n, float (&v)[4])
{
    if (!S::EIGHT || !scales)
        return;
#pragma unroll
    for (int i = 0; i < 4; i++)
        v[i] = ((const float *)scales)[first + i * apart < n ? first + i * apart : n - 1];
}

static __device__ __forceinline__ void load_line(unsigned from, float (&v)[4])
{
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3]) : "r"(from) : "memory");
}

/* What a thread's results of a piece have in common: four rows 16 apart, all through the tile, and four columns. */
struct PieceEnds {
    float row_scale[4], row_bias[4], column_scale[4], column_bias[4];
};

/* What becomes of a result of A * B before its activation; old: beta * C. */
template <typename S> static __device__ __forceinline__ float result_of(const HalfArgs &a, const PieceEnds &ends, int i, int e, float v, float old)
{
    float s = S::EIGHT ? v * (ends.row_scale[i] * ends.column_scale[e]) : v;
    s       = Four<float>::from(a.g.alpha) * s + old;
    return S::ENDS ? s + ends.row_bias[i] + ends.column_bias[e] : s;
}

/* Asked once for all: a question for each result would have each wait for the one before. */
template <typename S, int N> static __device__ __forceinline__ void activate(const HalfArgs &a, float (&v)[N][4])
{
    if (!S::ENDS || !a.ends)
        return;
    if (a.end.activation == GEMM_GATE) {
#pragma unroll
        for (int e = 0; e < N * 4; e++)
            v[e / 4][e % 4] = gated(v[e / 4][e % 4], a.end.gate[0], a.end.gate[1]);
    } else if (a.end.activation == GEMM_RECTIFY) {
#pragma unroll
        for (int e = 0; e < N * 4; e++)
            v[e / 4][e % 4] = v[e / 4][e % 4] < 0.0f ? 0.0f : v[e / 4][e % 4];
    }
}

/* Lines of A * B.  What is read in global memory is asked for before any of it is used, since nothing else hides the wait. */
template <typename S>
static __device__ __forceinline__ void put_lines(const HalfArgs &a, unsigned piece, int row0, int col0, const PieceEnds &ends)
{
    enum { AT_ONCE = 2 };
    bool keep = !Four<float>::zero(a.g.beta);
    int  i = threadIdx.x % WARPGROUP / 8, j = threadIdx.x % 8 * 4;
#pragma unroll
    for (int h = 0; h < 4; h += AT_ONCE) {
        float v[AT_ONCE][4], old[AT_ONCE][4] = {};
#pragma unroll
        for (int u = 0; u < AT_ONCE && keep; u++)
            old_line<S>(a, row0 + i + (h + u) * 16, col0 + j, old[u]);
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++)
            load_line(float_at(piece, i + (h + u) * 16, j), v[u]);
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++) {
#pragma unroll
            for (int e = 0; e < 4; e++)
                v[u][e] = result_of<S>(a, ends, h + u, e, v[u][e], old[u][e]);
        }
        activate<S>(a, v);
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++)
            store_line<S>(a, row0 + i + (h + u) * 16, col0 + j, v[u]);
    }
}

/* The same of a tile that is all inside a C of aligned lines, without beta: nothing is asked.  to: this thread's first four; `down`: 16 lines, in bytes. */
template <typename S, int WIDE>
static __device__ __forceinline__ void put_whole_lines(const HalfArgs &a, unsigned piece, char *to, unsigned long long down, const PieceEnds &ends)
{
    int   i = threadIdx.x % WARPGROUP / 8, j = threadIdx.x % 8 * 4;
    float v[4][4];
#pragma unroll
    for (int u = 0; u < 4; u++)
        load_line(float_at(piece, i + u * 16, j), v[u]);
#pragma unroll
    for (int u = 0; u < 4; u++) {
#pragma unroll
        for (int e = 0; e < 4; e++)
            v[u][e] = result_of<S>(a, ends, u, e, v[u][e], 0.0f);
    }
    activate<S>(a, v);
#pragma unroll
    for (int u = 0; u < 4; u++) {
        if (WIDE)
            *(float4 *)(to + u * down) = {v[u][0], v[u][1], v[u][2], v[u][3]};
        else
            *(uint2 *)(to + u * down) = {two_halves<S>(v[u][0], v[u][1]), two_halves<S>(v[u][2], v[u][3])};
    }
}

/* A * A^T: a piece in one direction; row0, col0: of its first result, in C.  raw: what the tensor cores added up, else with all but the rounding.
 * again: the other direction follows. */
template <typename S>
static __device__ __forceinline__ void put_mirrored(const HalfArgs &a, unsigned piece, bool turned, bool raw, bool again, bool diagonal, int row0, int col0)
{
    enum { UNITS = 64 * FLOAT_COLUMNS / 4 };
    float alpha = Four<float>::from(a.g.alpha);
    bool  keep  = raw && !Four<float>::zero(a.g.beta);
#pragma unroll 2
    for (int u = threadIdx.x % WARPGROUP; u < UNITS; u += WARPGROUP) {
        int   i = turned ? u / 16 : u / 8, j = turned ? u % 16 * 4 : u % 8 * 4, row = row0 + i, col = col0 + j;
        float v[4], scale = scale_at<S>(a.scale_x, row, a.g.m);
        if (turned) {
#pragma unroll
            for (int e = 0; e < 4; e++)
                v[e] = Four<float>::from(shared_word(float_at(piece, j + e, i)));
        } else {
            load_line(float_at(piece, i, j), v);
        }
#pragma unroll
        for (int e = 0; e < 4; e++)
            v[e] = raw ? alpha * (S::EIGHT ? v[e] * (scale * scale_at<S>(a.scale_y, col + e, a.g.n)) : v[e]) : v[e];
        if (diagonal)
            put_symmetric<S>(a, row, col, v);
        else
            put_line<S>(a, keep, row, col, v);
        if (!again)
            continue;
#pragma unroll
        for (int e = 0; e < 4; e++)
            asm volatile("st.shared.f32 [%0], %1;" ::"r"(turned ? float_at(piece, j + e, i) : float_at(piece, i, j + e)), "f"(v[e]) : "memory");
    }
}

/* Results that need more than rounding, or are floats: by shared memory as floats, 32 columns at a time.  All of it is a loop, since a block's
 * instructions are used once a tile: unrolled over the registers, float results of 4096 x 4096 x 4096 took twice the time. */
template <typename S>
static __device__ __forceinline__ void put_pieces(const HalfArgs &a, unsigned piece, bool diagonal, int row0, int col0, const float (&d)[S::RESULTS])
{
    const GemmArgs &g = a.g;
    int             id = threadIdx.x / WARPGROUP, t = threadIdx.x % WARPGROUP, lane = t % 32, warp = t / 32;
    bool            upper = g.fill == GEMM_FILL_UPPER || g.fill == GEMM_FILL_FULL_FROM_UPPER, both = S::SYM && !diagonal;
    bool            again = both && g.fill != GEMM_FILL_LOWER && g.fill != GEMM_FILL_UPPER, turned = both && upper; /* first as C is read */
    bool            whole = Four<float>::zero(g.beta) && g.vector & GEMM_FOURS && row0 + 64 <= g.m && col0 + S::BN <= g.n;
    int             bytes = a.wide ? 4 : 2;
    char           *to    = (char *)g.c + ((row0 + t / 8) * g.ldc + col0 + t % 8 * 4) * bytes;
    PieceEnds       ends  = {{1, 1, 1, 1}, {}, {1, 1, 1, 1}, {}};
    if constexpr (S::SYM == 0) {
        load_scales<S>(a.scale_x, row0 + t / 8, 16, g.m, ends.row_scale);
        load_biases<S>(a, a.end.row_bias, row0 + t / 8, 16, g.m, ends.row_bias);
    }
    if (t == 0)
        copies_read<0>();
#pragma unroll 1
    for (int j = 0; j < S::BN / FLOAT_COLUMNS; j++) {
        int col = col0 + j * FLOAT_COLUMNS;
        if constexpr (S::SYM == 0) {
            load_scales<S>(a.scale_y, col + t % 8 * 4, 1, g.n, ends.column_scale);
            load_biases<S>(a, a.end.column_bias, col + t % 8 * 4, 1, g.n, ends.column_bias);
        }
        warpgroup_barrier(id);
#pragma unroll
        for (int i = 0; i < S::BN / FLOAT_COLUMNS; i++)
            if (i == j) {
#pragma unroll
                for (int q = 0; q < 16; q += 2)
                    asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(float_at(piece, warp * 16 + lane / 4 + q / 2 % 2 * 8, q / 4 * 8 + lane % 4 * 2)),
                                 "f"(d[i * 16 + q]), "f"(d[i * 16 + q + 1])
                                 : "memory");
            }
        warpgroup_barrier(id);
        if constexpr (S::SYM == 0) {
            if (whole && a.wide)
                put_whole_lines<S, 1>(a, piece, to + j * FLOAT_COLUMNS * 4, 16 * g.ldc * 4, ends);
            else if (whole)
                put_whole_lines<S, 0>(a, piece, to + j * FLOAT_COLUMNS * 2, 16 * g.ldc * 2, ends);
            else
                put_lines<S>(a, piece, row0, col, ends);
        } else {
            put_mirrored<S>(a, piece, turned, true, again, diagonal, turned ? col : row0, turned ? row0 : col);
            if (again) {
                warpgroup_barrier(id);
                put_mirrored<S>(a, piece, !turned, false, false, false, turned ? row0 : col, turned ? col : row0);
            }
        }
    }
}

/* Adds up the parts of a tile's k in their order, by the warpgroup that is the last to have its part ready: true there. */
template <typename S>
static __device__ __forceinline__ bool join_parts(const HalfArgs &a, const HalfPiece &p, int which, int half, float (&d)[S::RESULTS], unsigned *seen)
{
    enum { PART = S::RESULTS * WARPGROUP, WARPGROUPS = 2 * HALF_CLUSTER };
    int                thread = threadIdx.x % WARPGROUP;
    unsigned           tile   = p.tail * WARPGROUPS + which;
    unsigned long long apart  = (unsigned long long)WARPGROUPS * PART;
    float             *to     = (float *)a.g.work + p.tail * a.split * apart + (unsigned long long)which * PART + thread * 4;
#pragma unroll
    for (int i = 0; i < S::RESULTS; i += 4)
        store_four(to + p.part * apart + i * WARPGROUP, d[i], d[i + 1], d[i + 2], d[i + 3]);
    warpgroup_barrier(half + 1);
    if (thread == 0)
        seen[half] = count_up((unsigned *)a.g.count + tile, a.split);
    warpgroup_barrier(half + 1);
    bool last = seen[half] + 1 == (unsigned)a.split;
    for (int q = 0; q < a.split && last; q++)
#pragma unroll
        for (int i = 0; i < S::RESULTS; i += 4) {
            float4 v = load_written(to + q * apart + i * WARPGROUP);
            d[i]     = q ? d[i] + v.x : v.x;
            d[i + 1] = q ? d[i + 1] + v.y : v.y;
            d[i + 2] = q ? d[i + 2] + v.z : v.z;
            d[i + 3] = q ? d[i + 3] + v.w : v.w;
        }
    return last;
}

template <typename S> static __device__ __forceinline__ void multiply_tiles(const HalfArgs &a, HalfRing r, unsigned staged, int rank)
{
    __shared__ unsigned seen[2];
    const GemmArgs     &g      = a.g;
    int                 pieces = pieces_of<S>(a), half = threadIdx.x / WARPGROUP - 1;
    unsigned            next = 0;
    float               d[S::RESULTS];
    staged += half * S::PIECES * S::PIECE;
    for (int u = blockIdx.x / HALF_CLUSTER; u < pieces; u += gridDim.x / HALF_CLUSTER) {
        HalfPiece p   = piece_of<S>(a, u);
        int       row = p.tile.row + rank * S::BM + half * 64, col = p.tile.col;
        if constexpr (S::EIGHT != 0)
            multiply_eight<S>(&r, half, p.end - p.first, d);
        else
            multiply_tile<S>(&r, half, p.end - p.first, d);
        if (p.tail >= 0 && !join_parts<S>(a, p, rank * 2 + half, half, d, seen))
            continue;
        bool both = S::SYM && !p.tile.diagonal, full = !S::SYM || g.fill == GEMM_FILL_FULL || g.fill == GEMM_FILL_FULL_FROM_UPPER;
        bool plain = a.staged && Four<float>::zero(g.beta) && !(S::ENDS && a.ends) && !(S::EIGHT && (a.scale_x || a.scale_y));
        if (!plain || (!both && !full)) {
            put_pieces<S>(a, staged, p.tile.diagonal, row, col, d);
            continue;
        }
        float alpha = Four<float>::from(g.alpha);
        if (full || g.fill == GEMM_FILL_LOWER)
            send_pieces<S>(a, staged, &next, row, col, d, alpha, false);
        if (both && g.fill != GEMM_FILL_LOWER)
            send_pieces<S>(a, staged, &next, row, col, d, alpha, true);
    }
    if (threadIdx.x % WARPGROUP == 0)
        copies_done();
}

template <typename S> static __device__ __forceinline__ void half_product(const HalfArgs &a)
{
    extern __shared__ __align__(1024) unsigned char slices[];
    __shared__ __align__(8) Bar full[S::STAGES], empty[S::STAGES];
    int      rank = blockIdx.x % HALF_CLUSTER;
    unsigned at   = (shared_address(slices) + 1023) / 1024 * 1024;
    HalfRing r    = {at, shared_address(full), shared_address(empty), 0, 0};
    if (threadIdx.x == 0) {
        for (int b = 0; b < S::STAGES; b++) {
            bar_init(r.full + b * 8, 1);
            bar_init(r.empty + b * 8, 2 * HALF_CLUSTER);
        }
        bar_init_done();
    }
    cluster_meet();
    if (threadIdx.x < WARPGROUP) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0)
            order_tiles<S>(a, r, rank);
        __syncwarp();
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        multiply_tiles<S>(a, r, at + S::STAGES * S::SLICE, rank);
        __syncwarp();
    }
    cluster_meet(); /* the other block's copies and arrivals come to this one's memory */
}

#define HALF_KERNEL(name, ...)                                                                                         \
    extern "C" __global__ void __launch_bounds__(3 * WARPGROUP, 1) name(const __grid_constant__ HalfArgs args)         \
    {                                                                                                                  \
        half_product<HalfShape<__VA_ARGS__>>(GRID_CONSTANT(name, HalfArgs, args));                                     \
    }

#endif
