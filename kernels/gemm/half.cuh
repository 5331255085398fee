/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of bf16, fp16 or fp8 operands with float sums, by the tensor cores of sm_90a.
 *
 *   blocks      two of a cluster have tiles of 128 x BN results below each other.  Both need the same slice of BN columns of Y: each orders half of it,
 *               for both; narrow tiles (args.alone) each all of its own, since then none waits for the other.
 *               QUAD: four, two by two; each orders half of its X for both of its row and half of its Y for both of its column.
 *               TALL: two of 256 x BN beside each other; each orders half of X for both, and all of its Y.  A warpgroup multiplies 128 x BN.
 *               A last row of tiles that has none below it goes in pairs beside each other: each block orders for itself.
 *               A cluster goes on from tile to tile.
 *   warps       one thread, or two in turn, order slices of 64 of k; two warpgroups multiply 64 x BN results each (wgmma m64n<BN>k16), at their own pace.
 *               The second begins a tile of a ring or more LAG slices behind the first.
 *   slices      a ring of STAGES; a buffer is free when both warpgroups of the blocks that it concerns have read it.
 *   edges       what a box would bring from outside of an operand is not copied, where a cluster's first piece fills the whole ring; its place is zero.
 *   8 bits      EIGHT: slices of 128 of k, operands along k; what one slice, or two for 16-bit results, add up leaves the tensor cores, and is added as floats.
 *   results     half_end.cuh.  Those of 16 bits stay in registers, two in each, and leave while the next tile's first slices are multiplied.
 *   last round  where it would leave much of the card idle, the slices of its pairs, and of the round before it, are shared out evenly: a cluster
 *               begins with the pair that the next one ends, and ends with the one that the cluster before it began.  The warpgroup that is the
 *               last to have its part ready adds them up, always in the same order: the same bits in every run, and nobody waits for a block that
 *               may not run.
 *   A * A^T     tiles in pairs that have a column on or under the diagonal.  What is under it, in squares of 64, is written in both directions, and
 *               squares on it as they are: there an element's products are added in the same order on both sides, so the two halves have the same bits.
 *               A pair of 256 x 256 on the diagonal is written as it is. */
#ifndef WW_KERNELS_GEMM_HALF_CUH
#define WW_KERNELS_GEMM_HALF_CUH

#include "boxes.h"
#include "half_end.cuh"

template <int BN_, int XN_, int YN_, int BRAIN_, int STAGES_, int PIECES_, int SYM_, int LAG_, int EIGHT_ = 0, int QUAD_ = 0, int TALL_ = 0> struct HalfShape {
    enum {
        BN = BN_, XN = XN_, YN = YN_, /* XN, YN: the operand does not lie along k */
        BRAIN = BRAIN_,               /* bf16, else fp16 */
        EIGHT = EIGHT_,               /* operands: 1 e4m3, 2 e5m2, 0 16 bits, BRAIN or not; results of 16 bits are as BRAIN says */
        STAGES = STAGES_, PIECES = PIECES_, SYM = SYM_, LAG = LAG_, BM = TALL_ ? 2 * HALF_ROWS : HALF_ROWS, BK = EIGHT ? 2 * HALF_SLICE : HALF_SLICE, RESULTS = BN / 2, ENDS = !SYM_,
        HIGH = BM / HALF_ROWS, /* times 64 rows, of a warpgroup */
        ROW = 128 /* bytes of k */, X = BM * ROW, BOXES = (BN + 63) / 64 /* of 64 columns */, Y = (YN ? BOXES * 64 : BN) * ROW, SLICE = X + Y,
        PIECE = 64 * 64 * 2, LAST = BN % 64, /* columns of a last piece that is no whole one */
        FOLD = SYM_ && BN_ != 2 * HALF_ROWS, /* what lies above the diagonal is not all of one pair */
        QUAD = QUAD_, CLUSTER = QUAD_ ? 4 : 2, /* blocks, two by two or below each other */
        Y_LINES = TALL_ ? BN_ : BN_ / 2, /* of a box of a Y along k */
        TALL = TALL_, HALVES = QUAD_ || TALL_, /* X is ordered by halves, each for two blocks */
        ORDERERS = BN_ <= 96 && !TALL_ ? 2 : 1, /* threads that order slices in turn, since one takes as long as narrow tiles are multiplied */
        NARROW = BN_ <= 96 && !HALVES, /* each block may order all of its slices (args.alone) */
    };
};

enum { HALF_CLUSTER = 2 }; /* of those below each other */

struct HalfRing {
    unsigned slices, full, empty; /* shared addresses */
    unsigned buffer, phase;
    bool     alone; /* each block orders all of its slices, else of Y a half for both */
};

template <typename S> static __device__ __forceinline__ void ring_next(HalfRing *r)
{
    r->buffer = r->buffer + 1 == S::STAGES ? 0 : r->buffer + 1;
    r->phase ^= r->buffer == 0;
}

/* ---- which tile ---------------------------------------------------------------------------------------------------- */

struct HalfTile {
    int  row, col; /* of the pair's first result */
    bool diagonal; /* A * A^T: some of its columns do not lie below it */
    bool across; /* the second tile lies beside the first, and may have no column of C, and they share nothing; else below, and of TALL beside */
};

/* Where this block's tile of a pair begins. */
template <typename S> static __device__ __forceinline__ int row_of(const HalfTile &t, int rank)
{
    return t.across || S::TALL ? t.row : t.row + (S::QUAD ? rank % 2 : rank) * S::BM;
}

template <typename S> static __device__ __forceinline__ int col_of(const HalfTile &t, int rank)
{
    return S::QUAD ? t.col + rank / 2 * S::BN : t.across || S::TALL ? t.col + rank * S::BN : t.col;
}

static __device__ __forceinline__ HalfTile tile_below(int row, int col, bool diagonal)
{
    return {row, col, diagonal, false};
}

/* Pair t, in groups of rows, down a group's columns, every other group from its end: pairs that run together share rows and columns, which then
 * are in the L2. */
template <typename S> static __device__ __forceinline__ HalfTile tile_of(const HalfArgs &a, int t)
{
    const GemmArgs &g    = a.g;
    enum { WIDE = S::HALVES ? 2 * S::BN : S::BN, PAIR = 2 * HALF_ROWS };
    int             rows = (g.m + S::BM - 1) / S::BM, across = (g.n + WIDE - 1) / WIDE, down = S::TALL ? rows : (rows + S::QUAD) / 2;
    if (!S::HALVES && t >= down * across)
        return {down * PAIR, (t - down * across) * 2 * S::BN, false, true};
    int per = a.group * across, group = t / per, first = group * a.group, in = t % per;
    int high = down - first < a.group ? down - first : a.group;
    int col  = in / high;
    return tile_below((first + in % high) * PAIR, (group & 1 ? across - 1 - col : col) * WIDE, false);
}

/* Of A * A^T: pairs with a column on or under the diagonal in the first so many rows of pairs, C being no narrower than they are high. */
template <typename S> static __device__ __forceinline__ int pairs_above(int rows)
{
    enum { EACH = 2 * S::BM / S::BN };
    static_assert(2 * S::BM % S::BN == 0 || 4 * S::BN == 3 * 2 * S::BM, "columns of a tile, by rows of a pair");
    int sum = rows * (rows + 1) / 2, rest = rows % 3;
    return EACH * S::BN == 2 * S::BM ? EACH * sum : (4 * sum + rows - rest + (rest ? rest + 1 : 0)) / 3; /* sum of 4/3 of a row's number, rounded up */
}

/* The same of A * A^T. */
template <typename S> static __device__ __forceinline__ HalfTile symmetric_tile(const HalfArgs &a, int t)
{
    enum { PAIR = 2 * S::BM };
    int n = a.g.n, down = (n + PAIR - 1) / PAIR, first = 0;
    while (first + a.group < down && t >= pairs_above<S>(first + a.group))
        first += a.group;
    t -= pairs_above<S>(first);
    /* a group: a rectangle, and columns that each begin lower */
    int high = down - first < a.group ? down - first : a.group, whole = ((first + 1) * PAIR + S::BN - 1) / S::BN, across = (n + S::BN - 1) / S::BN;
    int c, top = first;
    whole = whole < across ? whole : across;
    if (t < whole * high) {
        c = t / high;
        t -= c * high;
    } else {
        t -= whole * high;
        for (c = whole; t >= first + high - (top = c * S::BN / PAIR); c++)
            t -= first + high - top;
    }
    return tile_below((top + t) * PAIR, c * S::BN, (c + 1) * S::BN > (top + t) * PAIR);
}

template <typename S> static __device__ __forceinline__ HalfTile pair_at(const HalfArgs &a, int t)
{
    if constexpr (S::SYM != 0)
        return symmetric_tile<S>(a, t);
    return tile_of<S>(a, t);
}

/* A tile, or a part of its k. */
struct HalfPiece {
    HalfTile tile;
    int      first, end;        /* slices */
    int      tail, part, parts; /* which of the pairs that are shared out, and which part of how many; of one part: whole */
};

/* Piece i of this cluster: whole pairs, a round after the other, then its share of the others' slices, from the last one's down.  false: it has no more. */
template <typename S> static __device__ __forceinline__ bool piece_at(const HalfArgs &a, int i, HalfPiece *p)
{
    int cluster = blockIdx.x / S::CLUSTER, clusters = gridDim.x / S::CLUSTER, slices = (a.g.k + S::BK - 1) / S::BK, u = cluster + i * clusters;
    if (u < a.whole) {
        *p = {pair_at<S>(a, u), 0, slices, 0, 0, 1};
        return true;
    }
    int all = (a.pairs - a.whole) * a.span, begin = cluster * a.share, end = begin + a.share < all ? begin + a.share : all;
    if (begin >= end)
        return false;
    int t = (end - 1) / a.span - (i - a.whole / clusters), from = t * a.span;
    if (t < begin / a.span)
        return false;
    int lowest = from / a.share;
    *p         = {pair_at<S>(a, a.whole + t), begin > from ? begin - from : 0, end - from < slices ? end - from : slices, t, cluster - lowest,
                  (from + slices - 1) / a.share - lowest + 1};
    return true;
}

/* ---- operands ------------------------------------------------------------------------------------------------------ */

/* How many bytes come of a slice: of X, where a block orders all of it as the first half, of each half of Y.  Boxes, or their last lines, that lie outside of an operand are left out where they can be: zero as
 * they are, each takes longer to come than a line of the operand, and makes all others wait. */
struct HalfBoxes {
    int x[2], y[2];
};

static __device__ __forceinline__ int bytes_of(const HalfBoxes &b)
{
    return b.x[0] + b.x[1] + b.y[0] + b.y[1];
}

static __device__ __forceinline__ int within(int i, int most)
{
    return i < 0 ? 0 : i < most ? i : most;
}

/* Along k: of so many lines, the last `rest` by an edge's box. */
static __device__ __forceinline__ int lines_within(int left, int lines, int rest)
{
    return left >= lines ? lines : left > 0 ? rest : 0;
}

template <typename S> static __device__ __forceinline__ HalfBoxes boxes_of(const HalfArgs &a, const HalfTile &tile, int rank, bool edges)
{
    enum { BOX = 64 * S::ROW, HALF = S::BN / 2, SPLIT = HALF % 64 != 0, HALF_X = S::BM / 2, LINES = S::Y_LINES };
    HalfBoxes b;
    int       rows = edges ? a.g.m - row_of<S>(tile, rank) : 2 * S::BM, columns = edges ? a.g.n - col_of<S>(tile, rank) : 2 * S::BN;
    b.x[1] = 0;
    if (S::XN && !S::HALVES)
        b.x[0] = within((rows + 63) / 64, 2) * BOX;
    else if (!S::HALVES)
        b.x[0] = lines_within(rows, S::BM, a.x_rest) * S::ROW;
    else
#pragma unroll
        for (int h = 0; h < 2; h++)
            b.x[h] = S::XN ? within((rows - h * HALF_X + 63) / 64, HALF_X / 64) * BOX : lines_within(rows - h * HALF_X, HALF_X, a.x_rest) * S::ROW;
#pragma unroll
    for (int h = 0; h < 2; h++) {
        if (S::YN && SPLIT)
            b.y[h] = within((columns + 63) / 64, S::BOXES) * (BOX / 2);
        else if (S::YN)
            b.y[h] = within((columns - h * HALF + 63) / 64, HALF / 64) * BOX;
        else
            b.y[h] = h * LINES < S::BN ? lines_within(columns - h * LINES, LINES, a.y_rest) * S::ROW : 0;
    }
    if (tile.across && columns <= 0)
        b.x[0] = 0;
    return b;
}

/* Half h of a slice of Y, `bytes` of it, for both blocks or this one: half of its columns, or of its k where those are no whole boxes; the last box may then
 * have more columns than the tile. */
template <typename S, bool BOTH>
static __device__ __forceinline__ void order_columns(const HalfArgs &a, unsigned to, unsigned full, int col, int k, int h, int bytes, unsigned blocks)
{
    enum { BOX = 64 * S::ROW, HALF = S::BN / 2 };
    auto copy = [&](const GemmMap *map, unsigned at, int c, int r) { BOTH ? box_copy_to(at, map, c, r, full, blocks) : box_copy(at, map, c, r, full); };
    if (S::YN && HALF % 64) {
#pragma unroll
        for (int i = 0; i < S::BOXES; i++)
            if (i * (BOX / 2) < bytes)
                copy(&a.y, to + i * BOX + h * (BOX / 2), col + i * 64, k + h * (S::BK / 2));
    } else if (S::YN) {
#pragma unroll
        for (int i = 0; i < HALF / 64; i++)
            if (i * BOX < bytes)
                copy(&a.y, to + h * HALF * S::ROW + i * BOX, col + h * HALF + i * 64, k);
    } else if (bytes) {
        copy(bytes == S::Y_LINES * S::ROW ? &a.y : &a.y_edge, to + h * S::Y_LINES * S::ROW, k, col + h * S::Y_LINES);
    }
}

/* A slice's boxes: X for this block, and for both a half of Y; of a pair across all that is this block's.  Of four blocks: a half of X for both of a row, a half
 * of Y for both of a column.  TALL: a half of X for both, and this block's Y. */
template <typename S>
static __device__ __forceinline__ void order_slice(const HalfArgs &a, unsigned to, unsigned full, const HalfTile &tile, const HalfBoxes &b, int k, int rank, bool alone)
{
    enum { BOX = 64 * S::ROW, HALF_X = S::BM / 2 };
    int row = row_of<S>(tile, rank), col = col_of<S>(tile, rank);
    if (S::HALVES) {
        int      h = S::QUAD ? rank / 2 : rank, x = h ? b.x[1] : b.x[0];
        unsigned half = to + h * (S::X / 2), blocks = S::QUAD ? 5u << rank % 2 : 3u;
        row += h * HALF_X;
        if (x)
            box_copy_to(half, S::XN || x == S::X / 2 ? &a.x : &a.x_edge, S::XN ? row : k, S::XN ? k : row, full, blocks);
        if (S::XN && x > BOX)
            box_copy_to(half + BOX, &a.x, row + 64, k, full, blocks);
    } else if (S::XN) {
        if (b.x[0])
            box_copy(to, &a.x, row, k, full);
        if (b.x[0] > BOX)
            box_copy(to + BOX, &a.x, row + 64, k, full);
    } else if (b.x[0]) {
        box_copy(to, b.x[0] == S::X ? &a.x : &a.x_edge, k, row, full);
    }
    int h = S::QUAD ? rank % 2 : rank; /* b.y[h] would lie in memory */
    if (S::SYM || S::QUAD || (!S::TALL && !tile.across && !alone)) {
        order_columns<S, true>(a, to + S::X, full, col, k, h, h ? b.y[1] : b.y[0], S::QUAD ? 3u << rank / 2 * 2 : 3u);
    } else {
        order_columns<S, false>(a, to + S::X, full, col, k, 0, b.y[0], 0);
        order_columns<S, false>(a, to + S::X, full, col, k, 1, b.y[1], 0);
    }
}

/* Are boxes left out in this cluster?  Only where its first piece fills each buffer once, by zeros from outside of the operands too: no product is of what
 * nobody wrote. */
template <typename S> static __device__ __forceinline__ bool leaves_out(const HalfPiece &first)
{
    return first.end - first.first >= S::STAGES;
}

/* turn: of the threads that order, which slice from the first on is this one's. */
template <typename S> static __device__ __forceinline__ void order_tiles(const HalfArgs &a, HalfRing r, int rank, int turn)
{
    HalfPiece p;
    bool      edges = false;
    for (int i = 0; piece_at<S>(a, i, &p); i++) {
        edges       = i ? edges : leaves_out<S>(p);
        HalfBoxes b = boxes_of<S>(a, p.tile, rank, edges);
        int       bytes = bytes_of(b);
        for (int s = p.first; s < p.end; s++) {
            unsigned full = r.full + r.buffer * 8;
            if (S::ORDERERS == 1 || turn == 0) {
                bar_wait(r.empty + r.buffer * 8, r.phase ^ 1);
                bar_expect(full, bytes);
                order_slice<S>(a, r.slices + r.buffer * S::SLICE, full, p.tile, b, s * S::BK, rank, S::NARROW && r.alone);
            }
            turn ^= 1;
            ring_next<S>(&r);
        }
    }
}

/* What is left out of the first piece is zero, in all buffers.  By both warpgroups, before they have a slice. */
template <typename S> static __device__ __forceinline__ void zero_edges(const HalfArgs &a, unsigned slices, const HalfPiece &p, int rank)
{
    enum { HALF_BYTES = (S::YN ? S::BN / 2 : S::Y_LINES) * S::ROW, Y = S::SLICE - S::X, SPLIT = S::YN && S::BN / 2 % 64 != 0 };
    HalfBoxes b = boxes_of<S>(a, p.tile, rank, true);
    int       thread = threadIdx.x - WARPGROUP;
    if (!leaves_out<S>(p) || bytes_of(b) == S::SLICE)
        return;
    for (int i = 0; i < S::STAGES; i++) {
        unsigned at = slices + i * S::SLICE, y = at + S::X;
        zero_bytes(at, b.x[0], S::HALVES ? S::X / 2 : S::X, thread, 2 * WARPGROUP);
        if (S::HALVES)
            zero_bytes(at, S::X / 2 + b.x[1], S::X, thread, 2 * WARPGROUP);
        zero_bytes(y, SPLIT ? 2 * b.y[0] : b.y[0], SPLIT ? Y : HALF_BYTES, thread, 2 * WARPGROUP);
        if (!SPLIT)
            zero_bytes(y, HALF_BYTES + b.y[1], Y, thread, 2 * WARPGROUP);
    }
    fence_async();
    asm volatile("bar.sync 4, 256;" ::: "memory");
}

/* ---- products ------------------------------------------------------------------------------------------------------ */

/* Both blocks learn that this warpgroup has read a buffer. */
static __device__ __forceinline__ void buffer_read(unsigned empty)
{
    if (threadIdx.x % WARPGROUP < HALF_CLUSTER)
        bar_arrive_at(empty, threadIdx.x % WARPGROUP);
}

/* Those blocks do that order what comes to it. */
template <typename S> static __device__ __forceinline__ void slice_read(const HalfRing &r, unsigned empty)
{
    if (S::QUAD && threadIdx.x % WARPGROUP < S::CLUSTER) /* all of them, or one that gets nothing at an edge could read two slices before another has read one */
        bar_arrive_at(empty, threadIdx.x % WARPGROUP);
    else if (!S::QUAD && (!S::NARROW || !r.alone))
        buffer_read(empty);
    else if (!S::QUAD && threadIdx.x % WARPGROUP == 0)
        bar_arrive(empty);
}

/* Does the second warpgroup begin behind the first?  Not a tile that is shorter than the ring: the first could come to the next tile, and tell of it, before all
 * warps of the second have heard of this one. */
template <typename S> static __device__ __forceinline__ bool lags(int slices)
{
    static_assert(S::LAG <= S::STAGES, "slices that the second warpgroup stays behind");
    return S::LAG && slices >= S::STAGES;
}

/* A warpgroup: HIGH times 64 x BN results of a tile.  Slice s of so many; its products run while the next is waited for.  before: the buffer of the slice in front of it,
 * then its own. */
template <typename S>
static __device__ __forceinline__ void multiply_slice(HalfRing *r, int half, int s, int slices, unsigned *before, float (&d)[S::HIGH][S::RESULTS])
{
    enum { X_STEP = S::XN ? 16 * 128 / 16 : 2, Y_STEP = S::YN ? 16 * 128 / 16 : 2 }; /* 16 of k, in 16 bytes */
    unsigned at = r->slices + r->buffer * S::SLICE;
    if (lags<S>(slices) && half && s == 0)
        lag_wait();
    bar_wait(r->full + r->buffer * 8, r->phase);
    unsigned long long x = wgmma_operand<S::XN>(at + half * (S::X / 2)), y = wgmma_operand<S::YN>(at + S::X);
    wgmma_begin();
#pragma unroll
    for (int l = 0; l < S::BK / 16; l++)
#pragma unroll
        for (int j = 0; j < S::HIGH; j++)
            wgmma_half<S::BRAIN, S::XN, S::YN>(d[j], x + j * (S::PIECE / 16) + l * X_STEP, y + l * Y_STEP, s + l > 0);
    wgmma_commit();
    if (lags<S>(slices) && !half && s + 1 == S::LAG)
        lag_tell();
    wgmma_wait<1>();
    if (s > 0)
        slice_read<S>(*r, r->empty + *before * 8);
    *before = r->buffer;
    ring_next<S>(r);
}

/* Waits for the products of the last slice. */
template <typename S> static __device__ __forceinline__ void last_slice(const HalfRing &r, unsigned buffer)
{
    if (S::EIGHT) /* has waited */
        return;
    wgmma_wait<0>();
    slice_read<S>(r, r.empty + buffer * 8);
}

/* The same of 8-bit operands, whose sums in the tensor cores are short: p, of one slice or two, is added up as floats.  more: p has the one in front. */
template <typename S> static __device__ __forceinline__ void order_eight(const HalfRing &r, int half, bool more, float (&p)[S::RESULTS])
{
    unsigned at = r.slices + r.buffer * S::SLICE;
    bar_wait(r.full + r.buffer * 8, r.phase);
    unsigned long long x = wgmma_operand<0>(at + half * (S::X / 2)), y = wgmma_operand<0>(at + S::X);
    wgmma_begin();
#pragma unroll
    for (int l = 0; l < S::ROW / 32; l++)
        wgmma_eight<S::EIGHT>(p, x + l * 2, y + l * 2, more || l > 0);
    wgmma_commit();
}

/* Slice s, and for 16-bit results the next with it, whose sums then stay in the tensor cores: what they cut is less than what rounding
 * takes.  All but the last have been read.  Returns the first slice that is left. */
template <typename S> static __device__ __forceinline__ int order_sums(const HalfArgs &a, HalfRing *r, int half, int s, int slices, float (&p)[S::RESULTS])
{
    bool alone = a.wide || s + 1 == slices;
    order_eight<S>(*r, half, false, p);
    if (!alone) {
        unsigned before = r->empty + r->buffer * 8;
        ring_next<S>(r);
        order_eight<S>(*r, half, true, p);
        wgmma_wait<1>();
        slice_read<S>(*r, before);
    }
    return s + (alone ? 1 : 2);
}

template <typename S> static __device__ __forceinline__ void end_sums(HalfRing *r)
{
    wgmma_wait<0>();
    slice_read<S>(*r, r->empty + r->buffer * 8);
    ring_next<S>(r);
}

/* All slices of a tile, while the results of the tile before it leave: of 8 bits beside the first, when nothing is added up. */
template <typename S>
static __device__ __forceinline__ void multiply_tile(const HalfArgs &a, HalfRing *r, int half, int slices, unsigned staged, const HalfKept<S> &kept,
                                                     unsigned *before, float (&d)[S::HIGH][S::RESULTS])
{
    int s = 1;
    if constexpr (S::EIGHT != 0) {
        float p[S::RESULTS];
#pragma unroll
        for (int i = 0; i < S::RESULTS; i++)
            asm volatile("mov.f32 %0, 0f00000000;" : "=f"(p[i])); /* anew, so that it takes no registers between two tiles; in front of the fence */
        s = order_sums<S>(a, r, half, 0, slices, p);
#pragma unroll
        for (int j = 0; j < S::BOXES; j++)
            send_piece<S>(a, staged, kept, j);
        end_sums<S>(r);
#pragma unroll
        for (int i = 0; i < S::RESULTS; i++)
            asm volatile("mov.f32 %0, %1;" : "=f"(d[0][i]) : "f"(p[i])); /* in front of the next one */
        while (s < slices) {
            s = order_sums<S>(a, r, half, s, slices, p);
            end_sums<S>(r);
#pragma unroll
            for (int i = 0; i < S::RESULTS; i++)
                d[0][i] += p[i];
        }
    } else {
        multiply_slice<S>(r, half, 0, slices, before, d);
        if (!S::TALL && (kept.straight || kept.turned)) {
#pragma unroll
            for (int j = 0; j < S::BOXES; j++) {
                if (s < slices)
                    multiply_slice<S>(r, half, s++, slices, before, d);
                send_piece<S>(a, staged, kept, j);
            }
        }
        while (s < slices)
            multiply_slice<S>(r, half, s++, slices, before, d);
    }
}

/* Adds up the parts of a tile's k, to the last part the others in their order, by the warpgroup that is the last to have its part ready: true there.
 * As a rule that is the one with the last part, since clusters come to it at their end, and the sums that it has need not leave its registers. */
template <typename S>
static __device__ __forceinline__ bool join_parts(const HalfArgs &a, const HalfPiece &p, int which, int half, float (&d)[S::HIGH][S::RESULTS], unsigned (&seen)[2][2])
{
    enum { ALL = S::HIGH * S::RESULTS, PART = ALL * WARPGROUP, WARPGROUPS = 2 * S::CLUSTER };
    int                thread = threadIdx.x % WARPGROUP;
    unsigned          *count  = (unsigned *)a.g.count + p.tail * WARPGROUPS + which, others = p.parts - 1;
    unsigned long long apart  = (unsigned long long)WARPGROUPS * PART; /* two places of each cluster: of a pair's first part, of another */
    float             *first  = (float *)a.g.work + (blockIdx.x / S::CLUSTER - p.part) * 2 * apart + (unsigned long long)which * PART + thread * 4;
    bool               last   = p.part == others;
    if (last) {
        if (thread == 0)
            seen[0][half] = count_all(count, others);
        warpgroup_barrier(half + 1);
        last = seen[0][half];
    }
    if (!last) {
        float *to = first + (p.part ? p.part * 2 + 1 : 0) * apart;
#pragma unroll
        for (int i = 0; i < ALL; i += 4) {
            const float *v = d[i / S::RESULTS] + i % S::RESULTS;
            store_four(to + i * WARPGROUP, v[0], v[1], v[2], v[3]);
        }
        warpgroup_barrier(half + 1);
        if (thread == 0)
            seen[1][half] = count_up(count, p.parts);
        warpgroup_barrier(half + 1);
        if (seen[1][half] != others)
            return false;
        const float *from = first + (others * 2 + 1) * apart;
#pragma unroll
        for (int i = 0; i < ALL; i += 4) {
            float4 v  = load_written(from + i * WARPGROUP);
            float *to = d[i / S::RESULTS] + i % S::RESULTS;
            to[0]     = v.x;
            to[1]     = v.y;
            to[2]     = v.z;
            to[3]     = v.w;
        }
    }
#pragma unroll 1
    for (unsigned q = 0; q < others; q++) {
        const float *from = first + (q ? q * 2 + 1 : 0) * apart;
#pragma unroll
        for (int i = 0; i < ALL; i += 4) {
            float4 v  = load_written(from + i * WARPGROUP);
            float *to = d[i / S::RESULTS] + i % S::RESULTS;
            to[0] += v.x;
            to[1] += v.y;
            to[2] += v.z;
            to[3] += v.w;
        }
    }
    return true;
}

template <typename S> static __device__ __forceinline__ void multiply_tiles(const HalfArgs &a, HalfRing r, unsigned staged, int rank)
{
    __shared__ unsigned seen[2][2];
    const GemmArgs     &g    = a.g;
    int                 half = threadIdx.x / WARPGROUP - 1;
    bool                plain = Four<float>::zero(g.beta) && Four<float>::from(g.alpha) == 1.0f && !(S::ENDS && a.ends) && !(S::EIGHT && (a.scale_x || a.scale_y));
    float               d[S::HIGH][S::RESULTS];
    unsigned            before = 0;
    HalfKept<S>         kept;
    HalfPiece           p, next;
    bool                more = piece_at<S>(a, 0, &p);
    if (more)
        zero_edges<S>(a, r.slices, p, rank);
    keep_none<S>(&kept);
    staged += half * S::PIECES * S::PIECE;
    for (int i = 1; more; i++, p = next) {
        int       row0 = row_of<S>(p.tile, rank) + half * (S::BM / 2), col = col_of<S>(p.tile, rank);
        bool      both = S::SYM && !p.tile.diagonal, full = !S::SYM || g.fill == GEMM_FILL_FULL || g.fill == GEMM_FILL_FULL_FROM_UPPER;
        bool      quick = (both || full) && ends_in_registers<S>(a, col), keep = quick && !Four<float>::zero(g.beta);
        bool      fold  = (S::FOLD || keep) && p.tile.diagonal; /* squares above the diagonal are written by those below it, which read C there */
        bool      straight = full || g.fill == GEMM_FILL_LOWER, turned = (both && g.fill != GEMM_FILL_LOWER) || fold;
        multiply_tile<S>(a, &r, half, p.end - p.first, staged, kept, &before, d);
        more = piece_at<S>(a, i, &next); /* its divisions take as long as half a slice */
        last_slice<S>(r, before);
        bool mine = p.parts == 1 || join_parts<S>(a, p, rank * 2 + half, half, d, seen);
#pragma unroll
        for (int j = 0; j < S::HIGH; j++) {
            int row = row0 + j * 64;
            if (mine && !quick)
                put_pieces<S>(a, staged, p.tile.diagonal, row, col, d[j]);
            if (mine && quick && !plain) {
                unsigned old[2][OLD_PIECE];
                HalfEnds ends = load_ends<S>(a, p.tile.diagonal, row, col, keep, old);
                end_results<S>(a, ends, staged, old, d[j]);
            }
            if (mine && quick && a.wide) {
                if (straight)
                    send_floats<S>(a, staged, row, col, d[j], fold);
                if (turned)
                    send_floats_turned<S>(a, staged, row, col, d[j], fold);
            }
            if (mine && quick && !a.wide) {
                keep_results<S>(&kept, row, col, d[j], S::SYM ? straight : !a.turned, S::SYM ? turned : a.turned, fold);
                if (!a.store) {
                    copy_pieces<S>(a, staged, kept);
                    keep_none<S>(&kept);
                } else if (S::TALL && more) {
                    send_pieces<S>(a, staged, kept);
                } else if (S::TALL) {
                    send_last<S>(a, r.slices, staged, kept, j);
                }
            } else {
                keep_none<S>(&kept);
            }
        }
    }
    if (!S::TALL)
        send_last<S>(a, r.slices, staged, kept, 0);
    places_free(); /* what copies write is there when the grid has ended */
}

template <typename S> static __device__ __forceinline__ void half_product(const HalfArgs &a)
{
    extern __shared__ __align__(1024) unsigned char slices[];
    __shared__ __align__(8) Bar full[S::STAGES], empty[S::STAGES];
    int      rank = blockIdx.x % S::CLUSTER;
    unsigned at   = (shared_address(slices) + 1023) / 1024 * 1024;
    HalfRing r    = {at, shared_address(full), shared_address(empty), 0, 0, a.alone != 0};
    if (threadIdx.x == 0) {
        map_early(&a.x);
        map_early(&a.y);
        if (a.store)
            map_early(&a.c);
        for (int b = 0; b < S::STAGES; b++) {
            bar_init(r.full + b * 8, 1);
            bar_init(r.empty + b * 8, S::NARROW && r.alone ? 2 : 2 * S::CLUSTER);
        }
        bars_ready();
    }
    cluster_meet();
    if (threadIdx.x < WARPGROUP) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x < 32 * S::ORDERERS && elect_one()) {
            grid_turn();
            order_tiles<S>(a, r, rank, threadIdx.x / 32);
        }
        __syncwarp();
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        grid_wait();
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
