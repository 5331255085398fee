/* SPDX-License-Identifier: Apache-2.0
 *
 * The end of a tile of half.cuh: what a warpgroup added up, 64 x BN floats, becomes results and leaves.
 *
 *   in registers   scales, beta * C, biases and the activation, each asked once for all of 64 columns.  Numbers of columns come by shared memory.
 *   16 bits        stay in registers, two in each, until they pass through shared memory in pieces of 64 x 64, the last one of some widths 64 x 48, 64 x 32 or 64 x 16, and
 *                  leave by tensor copies while the next tile is multiplied; those of a cluster's last tile from where X was.  To a C whose lines begin
 *                  anywhere by words, before that.
 *   floats         by tensor copies in pieces of 64 x 32.
 *   by pieces      the rest, and tiles that need beta * C at an edge: floats pass through shared memory in pieces of 64 x 32
 *                  first, and a loop over them does what is left. */
#ifndef WW_KERNELS_GEMM_HALF_END_CUH
#define WW_KERNELS_GEMM_HALF_END_CUH

#include "half_result.cuh"

/* threadIdx.x, read here: what the end of a tile computes from it is not kept in registers through the products. */
static __device__ __forceinline__ unsigned thread_here(void)
{
    unsigned t;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(t));
    return t;
}

/* ---- results that are kept ------------------------------------------------------------------------------------------- */

/* Where 16 bytes of a piece have their place: lines of 64, 32 or 16 elements, as the swizzle of such a box has them; those of 48, which have none, one behind the other. */
template <int COLUMNS> static __device__ __forceinline__ unsigned unit_at(int row, int unit)
{
    static_assert(COLUMNS % 16 == 0 && COLUMNS <= 64, "columns of a piece");
    int turn = COLUMNS == 64 ? row & 7 : COLUMNS == 48 ? 0 : COLUMNS == 32 ? row / 2 & 3 : row / 4 & 1;
    return row * COLUMNS * 2 + ((unit ^ turn) << 4);
}

/* 16-bit results of a tile that has ended, two in a word, until they have left: the next tile's slices are multiplied meanwhile. */
template <typename S> struct HalfKept {
    unsigned v[S::RESULTS / 2];
    int      row, col;
    bool     straight, turned; /* they leave as they are, as their transpose; neither: there are none */
    bool     fold;             /* of a tile on the diagonal what is not above it leaves as it is, what is below it as its transpose */
};

template <typename S>
static __device__ __forceinline__ void keep_results(HalfKept<S> *k, int row, int col, const float (&d)[S::RESULTS], bool straight, bool turned, bool fold)
{
#pragma unroll
    for (int i = 0; i < S::RESULTS / 2; i++)
        k->v[i] = two_halves<S>(d[i * 2], d[i * 2 + 1]);
    k->row      = row;
    k->col      = col;
    k->straight = straight;
    k->turned   = turned;
    k->fold     = fold;
}

/* There are none.  Those of before take no registers then. */
template <typename S> static __device__ __forceinline__ void keep_none(HalfKept<S> *k)
{
#pragma unroll
    for (int i = 0; i < S::RESULTS / 2; i++)
        asm volatile("mov.b32 %0, 0;" : "=r"(k->v[i]));
    k->straight = k->turned = false;
}

/* Does piece j, 64 columns or the last ones, leave in this direction? */
template <typename S> static __device__ __forceinline__ bool piece_leaves(const HalfKept<S> &k, int j, bool turned)
{
    return (turned ? k.turned : k.straight) && !(S::SYM && k.fold && k.col + j * 64 + turned > k.row);
}

/* Piece j, COLUMNS of v, to shared memory as the swizzle of a tensor copy of lines of LINE has it; turned: columns as rows. */
template <typename S, int COLUMNS, int LINE>
static __device__ __forceinline__ void stage_columns(unsigned to, const unsigned (&v)[S::RESULTS / 2], int j, bool turned)
{
    int lane = thread_here() % 32, warp = thread_here() / 32 % 4;
#pragma unroll
    for (int i = 0; i < COLUMNS / 16; i++) {
        const unsigned four[4] = {v[j * 16 + i * 4], v[j * 16 + i * 4 + 1], v[j * 16 + i * 4 + 2], v[j * 16 + i * 4 + 3]};
        int row = turned ? i * 16 + lane / 16 * 8 + lane % 8 : warp * 16 + lane % 16;
        int at  = turned ? warp * 2 + lane / 8 % 2 : i * 2 + lane / 16; /* which 16 bytes */
        unsigned address = to + (turned ? unit_at<64>(row, at) : unit_at<LINE>(row, at));
        if (turned)
            matrix_store_turned(address, four);
        else
            matrix_store(address, four);
    }
}

/* WHOLE: lines of 64 of the last piece, too. */
template <typename S, bool WHOLE> static __device__ __forceinline__ void stage_piece(unsigned to, const HalfKept<S> &k, int j, bool turned)
{
    if (j < S::BN / 64)
        stage_columns<S, 64, 64>(to, k.v, j, turned);
    else if constexpr (S::LAST != 0)
        stage_columns<S, S::LAST, WHOLE ? 64 : S::LAST>(to, k.v, j, turned);
}

/* ---- places ---------------------------------------------------------------------------------------------------------- */

/* A warpgroup has PIECES places, each a warp's: its first lane orders the copies from it, and knows when they have read it. */
static __device__ __forceinline__ bool orders(int place)
{
    return thread_here() % WARPGROUP == place * 32;
}

/* No copy reads this place any more; for the others behind the next barrier. */
static __device__ __forceinline__ void place_free(int place)
{
    if (orders(place))
        copies_read<0>();
}

/* None reads any place. */
static __device__ __forceinline__ void places_free(void)
{
    if (thread_here() % 32 == 0)
        copies_read<0>();
}

/* ---- lines that tensor copies cannot write --------------------------------------------------------------------------- */

/* Where element x of a piece's line i, which is `phase` of eight, has its place in the line of shared memory. */
static __device__ __forceinline__ unsigned element_at(int phase, int x)
{
    return ((x / 8 ^ phase) << 4) + x % 8 * 2;
}

/* A piece of lines of 64 to column c, row r of a C of m x n, a line a warp.  Words of C are written whole, since a sector that is written twice takes twice as
 * long, and an element at either end that is none alone.  A warp's lines begin all on a word, or none: they are four apart. */
static __device__ __forceinline__ void copy_lines(const HalfArgs &a, unsigned from, int lines, int width, int c, int r, int m, int n)
{
    enum { WARPS = WARPGROUP / 32, AT_ONCE = 8, PHASES = 2 };
    int lane = thread_here() % 32, warp = thread_here() % WARPGROUP / 32;
    lines    = at_most(lines, m - r);
    width    = at_most(width, n - c);
    if (warp >= lines || width <= 0)
        return;
    unsigned short *to = (unsigned short *)a.g.c + (r + warp) * a.g.ldc + c;
    bool            odd = (unsigned long long)to & 2;
    int             x = lane * 2 + odd;
    bool            word = x + 1 < width, first = odd && lane == (width == 2); /* who writes element 0: a lane that writes no last element */
    bool            end = first || (x < width && !word);
    int             alone = first ? 0 : x & 63;
    unsigned        two[PHASES], next[PHASES], one[PHASES];
#pragma unroll
    for (int p = 0; p < PHASES; p++) {
        two[p]  = from + warp * 128 + element_at(warp + p * WARPS, x & 63);
        next[p] = from + warp * 128 + element_at(warp + p * WARPS, x + 1 & 63);
        one[p]  = from + warp * 128 + element_at(warp + p * WARPS, alone);
    }
#pragma unroll 1
    for (int i = warp; i < lines; i += WARPS * AT_ONCE) {
        unsigned v[AT_ONCE], w[AT_ONCE];
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++) {
            unsigned line = (i - warp + u * WARPS) * 128;
            v[u] = odd ? shared_half(line + two[u % 2]) | shared_half(line + next[u % 2]) << 16 : shared_word(line + two[u % 2]);
            w[u] = end ? shared_half(line + one[u % 2]) : 0;
        }
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++) {
            if (i + u * WARPS < lines) {
                if (word)
                    *(unsigned *)(to + x) = v[u];
                if (end)
                    to[alone] = (unsigned short)w[u];
            }
            to += WARPS * a.g.ldc;
        }
    }
}

/* All pieces, from two places in turn: who reads what was in one before has come to the barrier of the other.  Where there is one place, all have read it. */
template <typename S> static __device__ __forceinline__ void copy_pieces(const HalfArgs &a, unsigned staged, const HalfKept<S> &k)
{
    unsigned at = staged;
    places_free();
    warpgroup_barrier(thread_here() / WARPGROUP); /* and numbers of columns have been read */
#pragma unroll 1
    for (int way = 0; way < (S::SYM ? 2 : 1); way++) {
        bool turned = S::SYM ? way : k.turned;
        int  m = turned ? a.g.n : a.g.m, n = turned ? a.g.m : a.g.n; /* of C */
#pragma unroll
        for (int j = 0; j < S::BOXES; j++) {
            int r = turned ? k.col + j * 64 : k.row, c = turned ? k.row : k.col + j * 64, columns = at_most(S::BN - j * 64, 64);
            if (!piece_leaves<S>(k, j, turned))
                continue;
            if (S::PIECES == 1 && j)
                warpgroup_barrier(thread_here() / WARPGROUP);
            stage_piece<S, true>(at, k, j, turned);
            warpgroup_barrier(thread_here() / WARPGROUP);
            copy_lines(a, at, turned ? columns : 64, turned ? 64 : columns, c, r, m, n);
            at = S::PIECES > 1 && at == staged ? staged + S::PIECE : staged;
        }
    }
}

/* ---- tensor copies --------------------------------------------------------------------------------------------------- */

/* Piece j goes from shared memory to C by a tensor copy, in one direction. */
template <typename S> static __device__ __forceinline__ void order_piece(const HalfArgs &a, unsigned from, const HalfKept<S> &k, int j, bool turned)
{
    int r = turned ? k.col + j * 64 : k.row, c = turned ? k.row : k.col + j * 64;
    if (r < (turned ? a.g.n : a.g.m) && c < (turned ? a.g.m : a.g.n))
        box_store(j < S::BN / 64 ? &a.c : &a.c_last, from, c, r);
    copies_commit();
}

/* Piece j leaves by tensor copies.  A * A^T: each direction has a place of its own. */
template <typename S> static __device__ __forceinline__ void send_piece(const HalfArgs &a, unsigned staged, const HalfKept<S> &k, int j)
{
    static_assert(S::PIECES % (S::SYM ? 2 : 1) == 0, "a place for each direction");
    int  one = j * (S::SYM ? 2 : 1) % S::PIECES, two = one + 1;
    bool way = !S::SYM && k.turned, first = piece_leaves<S>(k, j, way), second = S::SYM && piece_leaves<S>(k, j, true);
    if (!first && !second)
        return;
    place_free(one);
    if (S::SYM)
        place_free(two);
    warpgroup_barrier(thread_here() / WARPGROUP);
    if (first)
        stage_piece<S, false>(staged + one * S::PIECE, k, j, way);
    if (second)
        stage_piece<S, false>(staged + two * S::PIECE, k, j, true);
    fence_async();
    warpgroup_barrier(thread_here() / WARPGROUP);
    if (first && orders(one))
        order_piece<S>(a, staged + one * S::PIECE, k, j, way);
    if (second && orders(two))
        order_piece<S>(a, staged + two * S::PIECE, k, j, true);
}

/* All pieces, before anything else is done. */
template <typename S> static __device__ __forceinline__ void send_pieces(const HalfArgs &a, unsigned staged, const HalfKept<S> &k)
{
#pragma unroll
    for (int j = 0; j < S::BOXES; j++)
        send_piece<S>(a, staged, k, j);
}

/* The pieces of a cluster's last tile, as long as there is room without a wait for a place: where this warpgroup's half of X was in each buffer of the ring,
 * then in its places.  high: which 64 rows of a warpgroup's; of those that come later, places lie behind the others'. */
template <typename S>
static __device__ __forceinline__ void send_last(const HalfArgs &a, unsigned slices, unsigned staged, const HalfKept<S> &k, int high)
{
    enum { ROOM = S::STAGES * S::HIGH + S::PIECES, WARPS = WARPGROUP / 32 };
    static_assert(S::X / 2 >= S::HIGH * S::PIECE && S::BOXES * S::HIGH <= ROOM, "a half of X for a piece");
    int half = thread_here() / WARPGROUP - 1;
    slices += half * (S::X / 2);
    if (!high)
        places_free();
    warpgroup_barrier(half + 1); /* all four warps have read X */
#pragma unroll
    for (int q = 0; q < (S::SYM ? 2 : 1) * S::BOXES; q++) {
        int      j = q % S::BOXES, spot = (high * S::BOXES + q) % ROOM;
        unsigned at = spot < S::STAGES * S::HIGH ? slices + spot / S::HIGH * S::SLICE + spot % S::HIGH * S::PIECE
                                                 : staged + (spot - S::STAGES * S::HIGH) * S::PIECE;
        bool     turned = S::SYM ? q >= S::BOXES : k.turned;
        if (!piece_leaves<S>(k, j, turned))
            continue;
        if (q >= ROOM) {
            place_free(spot % WARPS);
            warpgroup_barrier(half + 1);
        }
        stage_piece<S, false>(at, k, j, turned);
        fence_async();
        warpgroup_barrier(half + 1);
        if (orders(spot % WARPS))
            order_piece<S>(a, at, k, j, turned);
    }
}

/* Where a piece of 64 x 32 floats has one: pairs of eight rows and four neighbours of a row fall on all banks, four neighbours of a column of 16 in turn
 * on each bank twice; with a single place there is no room for that. */
enum { FLOAT_COLUMNS = 32, FLOAT_PITCH = FLOAT_COLUMNS + 8 };
template <typename S> static __device__ __forceinline__ unsigned float_at(unsigned piece, int row, int col)
{
    enum { PITCH = S::PIECES == 1 ? FLOAT_COLUMNS : FLOAT_PITCH };
    return piece + (row * PITCH + (col ^ (row / 4 % 8 * 4))) * 4;
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
    if constexpr (S::EIGHT != 0)
        if (scales)
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

/* N results.  Asked once for all: a question for each result would have each wait for the one before. */
template <typename S, int N> static __device__ __forceinline__ void activate(const HalfArgs &a, float *v)
{
    if (!S::ENDS || !a.ends)
        return;
    if (a.end.activation == GEMM_GATE) {
#pragma unroll
        for (int e = 0; e < N; e++)
            v[e] = gated(v[e], a.end.gate[0], a.end.gate[1]);
    } else if (a.end.activation == GEMM_RECTIFY) {
#pragma unroll
        for (int e = 0; e < N; e++)
            v[e] = v[e] < 0.0f ? 0.0f : v[e];
    }
}

/* Lines of A * B.  What is read in global memory is asked for before any of it is used, since nothing else hides the wait. */
template <typename S>
static __device__ __forceinline__ void put_lines(const HalfArgs &a, unsigned piece, int row0, int col0, int width, const PieceEnds &ends)
{
    enum { AT_ONCE = 2 };
    bool keep = !Four<float>::zero(a.g.beta);
    int  i = thread_here() % WARPGROUP / 8, j = thread_here() % 8 * 4;
    if (j >= width)
        return;
#pragma unroll
    for (int h = 0; h < 4; h += AT_ONCE) {
        float v[AT_ONCE][4], old[AT_ONCE][4] = {};
#pragma unroll
        for (int u = 0; u < AT_ONCE && keep; u++)
            old_line<S>(a, row0 + i + (h + u) * 16, col0 + j, old[u]);
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++)
            load_line(float_at<S>(piece, i + (h + u) * 16, j), v[u]);
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++) {
#pragma unroll
            for (int e = 0; e < 4; e++)
                v[u][e] = result_of<S>(a, ends, h + u, e, v[u][e], old[u][e]);
        }
        activate<S, AT_ONCE * 4>(a, v[0]);
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++)
            store_line<S>(a, row0 + i + (h + u) * 16, col0 + j, v[u]);
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
    for (int u = thread_here() % WARPGROUP; u < UNITS; u += WARPGROUP) {
        int   i = turned ? u / 16 : u / 8, j = turned ? u % 16 * 4 : u % 8 * 4, row = row0 + i, col = col0 + j;
        float v[4], scale = scale_at<S>(a.scale_x, row, a.g.m);
        if (turned) {
#pragma unroll
            for (int e = 0; e < 4; e++)
                v[e] = Four<float>::from(shared_word(float_at<S>(piece, j + e, i)));
        } else {
            load_line(float_at<S>(piece, i, j), v);
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
            asm volatile("st.shared.f32 [%0], %1;" ::"r"(turned ? float_at<S>(piece, j + e, i) : float_at<S>(piece, i, j + e)), "f"(v[e]) : "memory");
    }
}

/* Results by shared memory as floats, 32 columns at a time, in a loop: it is for the few tiles that the registers' way leaves, and is to be short. */
template <typename S>
static __device__ __forceinline__ void put_pieces(const HalfArgs &a, unsigned piece, bool diagonal, int row0, int col0, const float (&d)[S::RESULTS])
{
    enum { PARTS = (S::BN + FLOAT_COLUMNS - 1) / FLOAT_COLUMNS };
    const GemmArgs &g = a.g;
    int             id = thread_here() / WARPGROUP, t = thread_here() % WARPGROUP, lane = t % 32, warp = t / 32;
    bool            upper = g.fill == GEMM_FILL_UPPER || g.fill == GEMM_FILL_FULL_FROM_UPPER, both = S::SYM && !diagonal;
    bool            again = both && g.fill != GEMM_FILL_LOWER && g.fill != GEMM_FILL_UPPER, turned = both && upper; /* first as C is read */
    PieceEnds       ends  = {{1, 1, 1, 1}, {}, {1, 1, 1, 1}, {}};
    if constexpr (S::SYM == 0) {
        load_scales<S>(a.scale_x, row0 + t / 8, 16, g.m, ends.row_scale);
        load_biases<S>(a, a.end.row_bias, row0 + t / 8, 16, g.m, ends.row_bias);
    }
    places_free();
#pragma unroll 1
    for (int j = 0; j < PARTS; j++) {
        int col = col0 + j * FLOAT_COLUMNS;
        if constexpr (S::SYM == 0) {
            load_scales<S>(a.scale_y, col + t % 8 * 4, 1, g.n, ends.column_scale);
            load_biases<S>(a, a.end.column_bias, col + t % 8 * 4, 1, g.n, ends.column_bias);
        }
        warpgroup_barrier(id);
#pragma unroll
        for (int i = 0; i < PARTS; i++)
            if (i == j) {
#pragma unroll
                for (int q = 0; q < (i * 16 + 16 <= S::RESULTS ? 16 : S::RESULTS % 16); q += 2)
                    asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(float_at<S>(piece, warp * 16 + lane / 4 + q / 2 % 2 * 8, q / 4 * 8 + lane % 4 * 2)),
                                 "f"(d[i * 16 + q]), "f"(d[i * 16 + q + 1])
                                 : "memory");
            }
        warpgroup_barrier(id);
        if constexpr (S::SYM == 0) {
            put_lines<S>(a, piece, row0, col, S::BN - j * FLOAT_COLUMNS, ends);
        } else {
            put_mirrored<S>(a, piece, turned, true, again, diagonal, turned ? col : row0, turned ? row0 : col);
            if (again) {
                warpgroup_barrier(id);
                put_mirrored<S>(a, piece, !turned, false, false, false, turned ? row0 : col, turned ? col : row0);
            }
        }
    }
}

/* ---- ends in registers ----------------------------------------------------------------------------------------------- */

/* A thread's results are columns 0 and 1 past its first of every eight, of its first row and of that 8 below: d[4 i] to d[4 i + 3].
 * Rows past the end of C are the last one again; what comes of them is not stored. */
struct HalfEnds {
    int    first, second, col;
    int    below; /* of a tile on the diagonal: its first row, less its first column */
    bool   inside[2]; /* rows of C */
    float  row_scale[2], row_bias[2];
    float2 column_scale, column_bias; /* of this thread's two of all BN columns: they go to the others by shared memory */
};

/* Does a tile's end go this way?  Else results pass through shared memory as floats before anything is done with them. */
template <typename S> static __device__ __forceinline__ bool ends_in_registers(const HalfArgs &a, int col)
{
    if (a.wide ? !a.store || S::BN % FLOAT_COLUMNS : !a.staged)
        return false;
    return Four<float>::zero(a.g.beta) || (!a.wide && a.g.vector & GEMM_PAIRS && col + S::BN <= a.g.n);
}

template <typename S> static __device__ __forceinline__ bool has_columns(const HalfArgs &a)
{
    return (S::EIGHT && a.scale_y) || (S::ENDS && a.ends && a.end.column_bias);
}

template <typename S> static __device__ __forceinline__ float bias_of(const HalfArgs &a, GemmConst bias, int i)
{
    return S::ENDS && a.ends && bias ? bias_at<S::BRAIN>(bias, a.wide, i) : 0.0f;
}

enum { OLD_PIECE = 16 }; /* pairs of C in a thread's part of 64 columns */

/* Of a symmetric matrix, of which the lower triangle alone is read. */
static __device__ __forceinline__ unsigned lower_at(const HalfArgs &a, int row, int col)
{
    return ((const unsigned short *)a.from)[(row > col ? row : col) * a.ldfrom + (row > col ? col : row)];
}

/* 16-bit C, or `from`, of a piece; 0 past its last row, which is another warp's, and above the diagonal. */
template <typename S>
static __device__ __forceinline__ void load_old(const HalfArgs &a, const HalfEnds &e, int piece, unsigned (&old)[OLD_PIECE])
{
    const unsigned short *from = (const unsigned short *)a.from + e.col + piece * 64;
    if (S::SYM && e.below <= piece * 64) {
#pragma unroll
        for (int i = 0; i < OLD_PIECE; i++) {
            int row = i % 2 ? e.second : e.first, col = e.col + piece * 64 + i / 2 * 8;
            old[i]  = e.below == piece * 64 ? lower_at(a, row, col) | lower_at(a, row, col + 1) << 16 : 0;
        }
        return;
    }
#pragma unroll
    for (int h = 0; h < 2; h++) {
        const unsigned short *line = from + (h ? e.second : e.first) * a.ldfrom;
#pragma unroll
        for (int i = 0; i < 8; i++)
            old[i * 2 + h] = e.inside[h] && piece * 64 + i * 8 < S::BN ? *(const unsigned *)(line + i * 8) : 0;
    }
}

/* old: the first 128 columns of C, if it is kept. */
template <typename S>
static __device__ __forceinline__ HalfEnds load_ends(const HalfArgs &a, bool diagonal, int row, int col, bool keep, unsigned (&old)[2][OLD_PIECE])
{
    int      t = thread_here() % WARPGROUP, m = a.g.m - 1, n = a.g.n - 1, r = row + t / 32 * 16 + t % 32 / 4;
    HalfEnds e = {at_most(r, m), at_most(r + 8, m), col + t % 4 * 2, diagonal ? row - col : m + S::BN, {r <= m, r + 8 <= m}, {1, 1}, {}, {1, 1}, {}};
    if (S::EIGHT && a.scale_x) {
        e.row_scale[0] = ((const float *)a.scale_x)[e.first];
        e.row_scale[1] = ((const float *)a.scale_x)[e.second];
    }
    e.row_bias[0] = bias_of<S>(a, a.end.row_bias, e.first);
    e.row_bias[1] = bias_of<S>(a, a.end.row_bias, e.second);
    if (t < S::BN / 2 && has_columns<S>(a)) {
        int one = at_most(col + t * 2, n), two = at_most(col + t * 2 + 1, n);
        if (S::EIGHT && a.scale_y)
            e.column_scale = {((const float *)a.scale_y)[one], ((const float *)a.scale_y)[two]};
        e.column_bias = {bias_of<S>(a, a.end.column_bias, one), bias_of<S>(a, a.end.column_bias, two)};
    }
#pragma unroll
    for (int i = 0; i < 2 * OLD_PIECE; i++)
        old[i / OLD_PIECE][i % OLD_PIECE] = 0;
    if (keep) {
        load_old<S>(a, e, 0, old[0]);
        if (S::BN > 64)
            load_old<S>(a, e, 1, old[1]);
    }
    return e;
}

/* In shared memory: the numbers of the columns of threads 0, 4, 8 ..., of 1, 5, 9 ...; the four runs begin on different banks. */
enum { COLUMN_KIND = 4096 /* bytes from the scales to the biases */ };
template <typename S> static __device__ __forceinline__ unsigned column_run(unsigned place, int which)
{
    return place + which * (S::BN + 16);
}

template <typename S> static __device__ __forceinline__ void share_columns(unsigned place, const HalfEnds &e)
{
    int      id = thread_here() / WARPGROUP, t = thread_here() % WARPGROUP;
    unsigned to = column_run<S>(place, t % 4) + t / 4 * 8;
    places_free();
    warpgroup_barrier(id);
    if (t < S::BN / 2) {
        asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(to), "f"(e.column_scale.x), "f"(e.column_scale.y) : "memory");
        asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(to + COLUMN_KIND), "f"(e.column_bias.x), "f"(e.column_bias.y) : "memory");
    }
    warpgroup_barrier(id);
}

/* What was added up in a piece, PIECE results a thread, becomes the results but for their rounding. */
template <typename S, int PIECE>
static __device__ __forceinline__ void end_piece(const HalfArgs &a, const HalfEnds &e, unsigned place, int piece, const unsigned (&old)[OLD_PIECE], float *d)
{
    float    alpha = Four<float>::from(a.g.alpha), beta = Four<float>::from(a.g.beta);
    unsigned run = column_run<S>(place, thread_here() % 4) + piece * 64;
    if (S::EIGHT && (a.scale_x || a.scale_y)) {
#pragma unroll
        for (int i = 0; i < PIECE; i += 8) {
            float c[4] = {1, 1, 1, 1};
            if (a.scale_y)
                load_line(run + i * 2, c);
#pragma unroll
            for (int q = 0; q < 8; q++)
                d[i + q] *= e.row_scale[q / 2 % 2] * c[q / 4 * 2 + q % 2];
        }
    }
    if (!Four<float>::zero(a.g.beta)) {
#pragma unroll
        for (int i = 0; i < PIECE / 2; i++) {
            float *v = d + i * 2;
            v[0] *= alpha;
            v[1] *= alpha;
            add_old<S>(old[i], beta, v, v + 1);
        }
    } else if (alpha != 1.0f) {
#pragma unroll
        for (int i = 0; i < PIECE; i++)
            d[i] *= alpha;
    }
    if (!S::ENDS || !a.ends)
        return;
    if (a.end.row_bias) {
#pragma unroll
        for (int i = 0; i < PIECE; i++)
            d[i] += e.row_bias[i / 2 % 2];
    }
    if (a.end.column_bias) {
#pragma unroll
        for (int i = 0; i < PIECE; i += 8) {
            float c[4];
            load_line(run + COLUMN_KIND + i * 2, c);
#pragma unroll
            for (int q = 0; q < 8; q++)
                d[i + q] += c[q / 4 * 2 + q % 2];
        }
    }
    activate<S, PIECE>(a, d);
}

template <typename S>
static __device__ __forceinline__ void end_results(const HalfArgs &a, const HalfEnds &e, unsigned place, unsigned (&old)[2][OLD_PIECE], float (&d)[S::RESULTS])
{
    if (has_columns<S>(a))
        share_columns<S>(place, e);
#pragma unroll
    for (int j = 0; j < S::BN / 64; j++) {
        end_piece<S, 32>(a, e, place, j, old[j % 2], d + j * 32);
        if (j + 2 < S::BOXES && !Four<float>::zero(a.g.beta))
            load_old<S>(a, e, j + 2, old[j % 2]);
    }
    if constexpr (S::LAST != 0)
        end_piece<S, S::LAST / 2>(a, e, place, S::BN / 64, old[S::BN / 64 % 2], d + S::BN / 64 * 32);
}

/* Float results in one direction, by tensor copies of pieces of 64 lines of 32; fold: as above. */
template <typename S>
static __device__ __forceinline__ void send_floats(const HalfArgs &a, unsigned staged, int row, int col, const float (&d)[S::RESULTS], bool fold)
{
    int id = thread_here() / WARPGROUP, lane = thread_here() % 32, warp = thread_here() / 32 % 4;
#pragma unroll
    for (int j = 0; j < S::BN / 32; j++) {
        int      place = j % S::PIECES;
        unsigned at    = staged + place * S::PIECE;
        if (S::SYM && fold && col + j / 2 * 64 > row)
            continue;
        place_free(place);
        warpgroup_barrier(id);
#pragma unroll
        for (int q = 0; q < 16; q += 2) {
            int r = warp * 16 + lane / 4 + q / 2 % 2 * 8, unit = q / 4 * 2 + lane % 4 / 2;
            asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(at + r * 128 + ((unit ^ (r & 7)) << 4) + lane % 2 * 8), "f"(d[j * 16 + q]),
                         "f"(d[j * 16 + q + 1])
                         : "memory");
        }
        fence_async();
        warpgroup_barrier(id);
        if (orders(place)) {
            if (row < a.g.m && col + j * 32 < a.g.n)
                box_store(&a.c, at, col + j * 32, row);
            copies_commit();
        }
    }
}

/* The same transposed: 64 columns at a time are 64 lines of two pieces, the first two warps' and the others'. */
template <typename S>
static __device__ __forceinline__ void send_floats_turned(const HalfArgs &a, unsigned staged, int row, int col, const float (&d)[S::RESULTS], bool fold)
{
    static_assert(!S::SYM || S::PIECES >= 2, "a turned piece of floats takes two places");
    int      id = thread_here() / WARPGROUP, lane = thread_here() % 32, warp = thread_here() / 32 % 4;
    unsigned at = staged + warp / 2 * S::PIECE;
#pragma unroll
    for (int j = 0; j < S::BN / 64; j++) {
        if (S::SYM && fold && col + j * 64 >= row)
            continue;
        places_free();
        warpgroup_barrier(id);
#pragma unroll
        for (int q = 0; q < 32; q++) {
            int r = q / 4 * 8 + lane % 4 * 2 + q % 2, c = warp % 2 * 16 + lane / 4 + q / 2 % 2 * 8;
            asm volatile("st.shared.f32 [%0], %1;" ::"r"(at + r * 128 + ((c / 4 ^ (r & 7)) << 4) + c % 4 * 4), "f"(d[j * 32 + q]) : "memory");
        }
        fence_async();
        warpgroup_barrier(id);
#pragma unroll
        for (int h = 0; h < 2; h++)
            if (orders(h)) {
                if (row + h * 32 < a.g.m && col + j * 64 < a.g.n)
                    box_store(&a.c, staged + h * S::PIECE, row + h * 32, col + j * 64);
                copies_commit();
            }
    }
}

#endif
