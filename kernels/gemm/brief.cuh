/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of a short k in one launch, any layout read in place.  A block has one tile; what it does besides multiplying is kept short,
 * for with k of 30 to 300 that is as many instructions as the multiplications are.
 *
 *   slices    of BK steps come by cp.async, BUFFERS of them in flight, and lie as k rows padded by 4 words.  Rows that are aligned come 16
 *             bytes an access, others word by word, 32 neighbours to a warp; an operand along k comes as 8 steps of 4 rows to a warp, whose
 *             words fall into 32 banks.  Its loads cost what they touch of lines, so a slice of many steps is the better one there.
 *   steps     exactly k: whole slices, 8 steps of them unrolled, then what is left in pairs.
 *   groups    two, where a tile has few warps: each takes half of a slice's steps.  At the end each gives the other half of its sums and
 *             writes the other half of the rows.
 *   lanes     4 down, 8 across in panel.cuh's order: a read is answered in 2 passes, and no store to the staged tile conflicts.
 *   banks     the multiplications stand in the order along a row and back along the next.  Sums leave with each pair of columns turned
 *             round wherever they pass through shared memory, so that nvcc keeps them in registers of the other bank than the column.
 *   C         aligned rows straight from the registers, 128 bytes of a row to 8 lanes; others by way of shared memory, a column to a
 *             thread.
 *   start     the kernel waits for the one in front of it, but does not let the next one begin early: blocks of that would crowd on
 *             those multiprocessors that have room first.
 *
 * Sums are added in an order that depends on k alone, so every run gives the same bits.  Needs sm_90. */
#ifndef WW_KERNELS_GEMM_BRIEF_H
#define WW_KERNELS_GEMM_BRIEF_H

#include "direct.cuh"

enum { BRIEF_STEPS = 8 };

template <typename T, int BM_, int BN_, int BK_, int WM_, int WN_, int BUFFERS_, int GROUPS_> struct BriefShape {
    typedef T type;
    enum {
        BM = BM_, BN = BN_, BK = BK_, WM = WM_, WN = WN_, TM = WM_ / 4, TN = WN_ / 8, BUFFERS = BUFFERS_, GROUPS = GROUPS_,
        WARPS = BM / WM * (BN / WN), THREADS = WARPS * GROUPS * 32, /* warps of a group; threads of all */
        ROWS4 = TM / 4, COLS4 = TN / 4, DOWN = WM / ROWS4, ACROSS = WN / COLS4,
        MINE = TM / GROUPS, /* rows of a lane's results that it writes */
        PER = BK / GROUPS, /* steps of a slice, to a group */
        XROW = (BM + 4) * 4, YROW = (BN + 4) * 4, XB = BK * XROW, SLOT = XB + BK * YROW, RING = BUFFERS * SLOT, /* bytes */
        FOLD = GROUPS == 1 ? 0 : WARPS * 32 * TM * TN * 4,
        PITCH = BN + 4, TILE = BM * PITCH, /* words of the staged tile's row, and of all of it */
    };
    static_assert((int)FOLD + BM * (BN + 4) * 4 <= (int)RING, "what is exchanged and the staged tile lie where the slices were");
};

/* One operand, ROWS of the tile's side. */
template <int ROWS, int BK, int THREADS, bool KC> struct BriefSide {
    enum { PITCH = ROWS + 4, STEPS = BRIEF_STEPS };
    unsigned long long at, pitch; /* of this thread's first access to the next slice; bytes from a line that is contiguous to the next */
    int                left, l;   /* elements of its line, or rows, from its first one on; its first step */
    unsigned           to;        /* where its first access goes, in a slice */
    bool               vector, inside; /* rows aligned to 16 bytes; all of the tile's rows are there */

    __device__ __forceinline__ void open(const void *base, unsigned long long ld, int first, int count, bool aligned)
    {
        int t = threadIdx.x, r = KC ? t / STEPS : aligned ? t % (ROWS / 4) * 4 : t % 32;
        l      = KC ? t % STEPS : aligned ? t / (ROWS / 4) : t / 32;
        vector = !KC && aligned;
        left   = count - first - r;
        inside = count - first >= ROWS;
        pitch  = ld * 4;
        to     = (l * PITCH + r) * 4;
        asm("cvta.to.global.u64 %0, %1;" : "=l"(at) : "l"(base));
        at += KC ? (first + r) * pitch + l * 4ULL : l * pitch + (first + r) * 4ULL;
    }

    /* WHOLE: rows and steps all there. */
    template <bool WHOLE> __device__ __forceinline__ void along(unsigned slot, int steps) const
    {
        enum { DOWN = THREADS / STEPS };
        unsigned long long from = at, step = opaque(pitch) * DOWN;
#pragma unroll
        for (int i = 0; i < ROWS; i += DOWN) {
#pragma unroll
            for (int e = 0; e < BK; e += STEPS)
                if (WHOLE || l + e < steps)
                    copy_later<4>(slot + to + (e * PITCH + i) * 4, from + e * 4, WHOLE || i < left ? 4 : 0);
            from += step;
        }
    }

    /* EACH: elements of an access. */
    template <int EACH, bool WHOLE> __device__ __forceinline__ void lines(unsigned slot, int steps) const
    {
        enum { WIDE = EACH == 4 ? ROWS : 32, LINES = THREADS * EACH / WIDE };
        unsigned long long from = at, step = opaque(pitch) * LINES;
#pragma unroll
        for (int i = 0; i < BK; i += LINES) {
#pragma unroll
            for (int e = 0; e < ROWS; e += WIDE) {
                int more = left - e, bytes = WHOLE || more >= EACH ? EACH * 4 : more > 0 ? more * 4 : 0;
                if (WHOLE || l + i < steps)
                    copy_later<EACH * 4>(slot + to + (i * PITCH + e) * 4, from + e * 4, bytes);
            }
            from += step;
        }
    }

    /* The next slice, of so many steps, if more than none. */
    __device__ __forceinline__ void fetch(unsigned slot, int steps)
    {
        bool whole = inside && steps >= BK;
        if (KC && whole)
            along<true>(slot, steps);
        else if (KC)
            along<false>(slot, steps);
        else if (vector && whole)
            lines<4, true>(slot, steps);
        else if (vector)
            lines<4, false>(slot, steps);
        else if (whole)
            lines<1, true>(slot, steps);
        else
            lines<1, false>(slot, steps);
        at += KC ? BK * 4 : BK * opaque(pitch);
    }
};

template <typename S, bool XKC, bool YKC> struct BriefFeed {
    BriefSide<S::BM, S::BK, S::THREADS, XKC> x;
    BriefSide<S::BN, S::BK, S::THREADS, YKC> y;
    int                                      left; /* steps */

    __device__ __forceinline__ void next(unsigned slot)
    {
        if (left > 0) {
            x.fetch(slot, left);
            y.fetch(slot + S::XB, left);
            left -= S::BK;
        }
        copies_commit();
    }
};

struct BriefPlace {
    int row, col, group;
};

template <typename S> static __device__ __forceinline__ BriefPlace brief_place(void)
{
    enum { WIDE = S::BN / S::WN };
    int        lane = threadIdx.x % 32, warp = threadIdx.x / 32, w = warp % S::WARPS;
    int        down = lane >> 1 & 3, across = (lane & 1) | (lane >> 2 ^ lane >> 3) % 2 * 2 | lane >> 4 << 2;
    BriefPlace p = {w / WIDE * S::WM + down * 4, w % WIDE * S::WN + across * 4, warp / S::WARPS};
    return p;
}

template <typename S> static __device__ __forceinline__ void brief_multiply(const Fragment<S> &f, typename S::type acc[S::TM][S::TN])
{
#pragma unroll
    for (int e = 0; e < S::TM * S::TN; e++) {
        int i = e / S::TN, j = i % 2 ? S::TN - 1 - e % S::TN : e % S::TN;
        mul_add_here(f.x[i], f.y[j], &acc[i][j]);
    }
}

/* This group's steps of what a slice has of `left`. */
template <typename S> static __device__ __forceinline__ int brief_share(int left)
{
    return left >= S::BK ? S::PER : (left + S::GROUPS - 1) / S::GROUPS;
}

/* acc = this group's part of the product of the tile at (row0, col0).  Ends with all warps past the slots. */
template <typename S, bool XKC, bool YKC>
static __device__ __forceinline__ void brief_product(const GemmArgs &g, unsigned slots, int row0, int col0, const BriefPlace &p,
                                                     typename S::type acc[S::TM][S::TN])
{
    typedef typename S::type T;
    enum { ROW = S::XROW, YROW = S::YROW };
    unsigned long long     z = blockIdx.z;
    BriefFeed<S, XKC, YKC> feed;
    Fragment<S>            f[2];
    int                    k = g.k;
    feed.left = k;
    feed.x.open((const T *)g.x + z * g.x_batch, XKC ? g.x_row : g.x_col, row0, g.m, g.vector & 1);
    feed.y.open((const T *)g.y + z * g.y_batch, YKC ? g.y_col : g.y_row, col0, g.n, g.vector & 2);
#pragma unroll 1
    for (int s = 0; s < S::BUFFERS; s++)
        feed.next(slots + s * S::SLOT);
#pragma unroll
    for (int i = 0; i < S::TM; i++)
#pragma unroll
        for (int j = 0; j < S::TN; j++)
            acc[i][j] = T(0);
    int      first = p.group * brief_share<S>(k); /* step of the slot */
    unsigned slot = slots, xs = slot + p.row * 4 + first * ROW, ys = slot + S::XB + p.col * 4 + first * YROW;
    copies_wait<S::BUFFERS - 1>();
    __syncthreads();
    if (first < k)
        f[0].read(xs, ys);
#pragma unroll 1
    while (k >= S::BK) {
        k -= S::BK;
#pragma unroll 1
        for (int h = S::PER / BRIEF_STEPS; h > 0; h--) {
#pragma unroll
            for (int l = 0; l < BRIEF_STEPS; l++) {
                if (l + 1 < BRIEF_STEPS) {
                    f[(l + 1) % 2].read(xs + (l + 1) * ROW, ys + (l + 1) * YROW);
                } else if (h > 1) {
                    xs += BRIEF_STEPS * ROW;
                    ys += BRIEF_STEPS * YROW;
                    f[0].read(xs, ys);
                } else {
                    unsigned old = slot;
                    copies_wait<S::BUFFERS - 2>();
                    __syncthreads();
                    slot  = slot == slots + S::RING - S::SLOT ? slots : slot + S::SLOT;
                    first = p.group * brief_share<S>(k);
                    xs    = slot + p.row * 4 + first * ROW;
                    ys    = slot + S::XB + p.col * 4 + first * YROW;
                    if (first < k)
                        f[0].read(xs, ys);
                    feed.next(old);
                }
                brief_multiply<S>(f[l % 2], acc);
            }
        }
    }
    int share = brief_share<S>(k), n = k - first < share ? k - first : share;
#pragma unroll 1
    for (; n > 0; n -= 2) {
        if (n > 1)
            f[1].read(xs + ROW, ys + YROW);
        brief_multiply<S>(f[0], acc);
        if (n > 2)
            f[0].read(xs + 2 * ROW, ys + 2 * YROW);
        if (n > 1)
            brief_multiply<S>(f[1], acc);
        xs += 2 * ROW;
        ys += 2 * YROW;
    }
    __syncthreads();
}

/* mine = the sums over both groups, each the rows that it writes: a lane's first MINE ones, or the others. */
template <typename S, bool SECOND>
static __device__ __forceinline__ void brief_fold(unsigned memory, const typename S::type acc[S::TM][S::TN],
                                                  typename S::type mine[S::MINE][S::TN])
{
    typedef typename Four<typename S::type>::type V;
    enum { Q = S::TN / 4, LINE = S::WARPS * 32 * 16, HALF = S::MINE * Q * LINE };
    unsigned at = memory + threadIdx.x % (S::WARPS * 32) * 16;
#pragma unroll
    for (int i = 0; i < S::MINE; i++)
#pragma unroll
        for (int j = 0; j < S::TN; j += 4) {
            const typename S::type *a = &acc[SECOND ? i : i + S::MINE][j];
            V                       v = {a[1], a[0], a[3], a[2]};
            shared_store(at + SECOND * HALF + (i * Q + j / 4) * LINE, v);
        }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < S::MINE; i++)
#pragma unroll
        for (int j = 0; j < S::TN; j += 4) {
            const typename S::type *a = &acc[SECOND ? i + S::MINE : i][j];
            V                       v;
            shared_load(at + !SECOND * HALF + (i * Q + j / 4) * LINE, &v);
            mine[i][j]     = a[0] + v.y;
            mine[i][j + 1] = a[1] + v.x;
            mine[i][j + 2] = a[2] + v.w;
            mine[i][j + 3] = a[3] + v.z;
        }
}

/* Of a lane's row i of those that it writes, in the tile. */
template <typename S> static __device__ __forceinline__ int brief_row(const BriefPlace &p, int i)
{
    return S::GROUPS == 2 ? p.row + p.group * S::DOWN * (S::MINE / 4) + i / 4 * S::DOWN + i % 4 : p.row + i / 4 * S::DOWN + i % 4;
}

template <typename S>
static __device__ __forceinline__ void brief_straight(const GemmArgs &g, typename S::type *c, int rows, int cols, const BriefPlace &p,
                                                      const typename S::type mine[S::MINE][S::TN])
{
    typedef typename S::type       T;
    typedef typename Four<T>::type V;
    T    alpha = Four<T>::from(g.alpha), beta = Four<T>::from(g.beta);
    bool keep = !Four<T>::zero(g.beta);
    if (rows >= S::BM && cols >= S::BN && !keep) {
#pragma unroll
        for (int i = 0; i < S::MINE; i += 4) {
            T *to = c + brief_row<S>(p, i) * g.ldc + p.col;
#pragma unroll
            for (int e = 0; e < 4; e++, to += g.ldc)
#pragma unroll
                for (int j = 0; j < S::TN; j += 4) {
                    const T *q = &mine[i + e][j];
                    V        v = {alpha * q[0], alpha * q[1], alpha * q[2], alpha * q[3]};
                    *(V *)(to + j / 4 * S::ACROSS) = v;
                }
        }
        return;
    }
#pragma unroll
    for (int i = 0; i < S::MINE; i++) {
        int r  = brief_row<S>(p, i);
        T  *to = c + r * g.ldc + p.col;
        if (r < rows)
#pragma unroll
            for (int j = 0; j < S::TN; j += 4) {
                int at = j / 4 * S::ACROSS;
                V   q  = {mine[i][j], mine[i][j + 1], mine[i][j + 2], mine[i][j + 3]};
                if (p.col + at + 4 <= cols) {
                    put(to + at, q, alpha, beta, keep);
                } else {
#pragma unroll
                    for (int e = 0; e < 3; e++)
                        if (p.col + at + e < cols)
                            put(to + at + e, mine[i][j + e], alpha, beta, keep);
                }
            }
    }
}

/* To the staged tile, pairs of columns turned round. */
template <typename S>
static __device__ __forceinline__ void brief_stage(typename S::type *tile, const BriefPlace &p, const typename S::type mine[S::MINE][S::TN])
{
    unsigned at = shared_address(tile) + (brief_row<S>(p, 0) * S::PITCH + p.col) * 4;
#pragma unroll
    for (int i = 0; i < S::MINE; i++)
#pragma unroll
        for (int j = 0; j < S::TN; j += 4) {
            typename Four<typename S::type>::type v = {mine[i][j + 1], mine[i][j], mine[i][j + 3], mine[i][j + 2]};
            shared_store(at + ((i / 4 * S::DOWN + i % 4) * S::PITCH + j / 4 * S::ACROSS) * 4, v);
        }
    __syncthreads();
}

template <typename S>
static __device__ __forceinline__ void brief_staged(const GemmArgs &g, typename S::type *c, typename S::type *tile, int rows, int cols,
                                                    const BriefPlace &p, const typename S::type mine[S::MINE][S::TN])
{
    typedef typename S::type T;
    enum { DOWN = S::THREADS / S::BN, DEEP = 16, PITCH = S::PITCH };
    T    alpha = Four<T>::from(g.alpha), beta = Four<T>::from(g.beta);
    bool keep = !Four<T>::zero(g.beta);
    brief_stage<S>(tile, p, mine);
    int                r = threadIdx.x / S::BN, col = threadIdx.x % S::BN;
    const T           *from = tile + r * PITCH + (col ^ 1);
    T                 *to   = c + r * g.ldc + col;
    unsigned long long step = g.ldc * DOWN;
    if (col >= cols)
        return;
    if (rows == S::BM && !keep) {
#pragma unroll 1
        for (int i = 0; i < S::BM; i += DOWN * DEEP) {
            T v[DEEP];
#pragma unroll
            for (int d = 0; d < DEEP; d++)
                v[d] = from[d * DOWN * PITCH];
#pragma unroll
            for (int d = 0; d < DEEP; d++, to += step)
                *to = alpha * v[d];
            from += DEEP * DOWN * PITCH;
        }
    } else {
#pragma unroll 2
        for (; r < rows; r += DOWN, from += DOWN * PITCH, to += step)
            put(to, *from, alpha, beta, keep);
    }
}

/* mine = this thread's results of the tile at (row0, col0), summed up. */
template <typename S, bool XKC, bool YKC>
static __device__ __forceinline__ void brief_results(const GemmArgs &g, unsigned memory, int row0, int col0, const BriefPlace &p,
                                                     typename S::type mine[S::MINE][S::TN])
{
    typename S::type acc[S::TM][S::TN];
    brief_product<S, XKC, YKC>(g, memory, row0, col0, p, acc);
    if (S::GROUPS == 1) {
#pragma unroll
        for (int i = 0; i < S::MINE; i++)
#pragma unroll
            for (int j = 0; j < S::TN; j++)
                mine[i][j] = acc[i][j];
    } else if (p.group == 0) {
        brief_fold<S, false>(memory, acc, mine);
    } else {
        brief_fold<S, true>(memory, acc, mine);
    }
}

template <typename S, bool XKC, bool YKC> static __device__ __forceinline__ void brief_gemm(const GemmArgs &g)
{
    typedef typename S::type T;
    extern __shared__ __align__(128) unsigned char memory[];
    T          mine[S::MINE][S::TN];
    int        tm, tn;
    BriefPlace p = brief_place<S>();
    tile_order(blockIdx.x, (g.m + S::BM - 1) / S::BM, (g.n + S::BN - 1) / S::BN, &tm, &tn);
    int row0 = tm * S::BM, col0 = tn * S::BN;
    asm volatile("griddepcontrol.wait;" ::: "memory");
    brief_results<S, XKC, YKC>(g, shared_address(memory), row0, col0, p, mine);
    T *c = (T *)g.c + blockIdx.z * g.c_batch + row0 * g.ldc + col0;
    if (g.vector & 4)
        brief_straight<S>(g, c, g.m - row0, g.n - col0, p, mine);
    else
        brief_staged<S>(g, c, (T *)(memory + S::FOLD), g.m - row0 < S::BM ? g.m - row0 : S::BM, g.n - col0, p, mine);
}

#endif
