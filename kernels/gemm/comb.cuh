/* SPDX-License-Identifier: Apache-2.0
 *
 * Products in one launch as in direct.cuh, with the lanes of a warp taking steps of k in turn.
 *
 *   lanes     of a warp stand at 8 places, 2 down and 4 across, of 16 x 8 results each.  At each place are 4 lanes, each with every fourth step
 *             of k.  Their sums meet at the end, as those of groups of warps do in direct.cuh.
 *   shared    an operand contiguous along k is read by ldmatrix: of sixteen bytes, four steps of one row, each of a place's lanes gets its
 *             own word, so that four neighbouring registers are four rows of one step here too.  (Read as it lies, they are four steps of
 *             a row, all rows of a step are in one register bank, and 37 % of the multiplications wait for it.)  The quads of row r are
 *             exchanged by an exclusive or with r / 4 % 8.  An operand contiguous along the result is read as it lies; its lines are
 *             padded by two quads, so that lanes one step apart want different banks.
 *   slices    come by cp.async, SLOTS of them in flight.  The barrier that says that the next one has arrived and that all have read this one
 *             stands before the last step's multiplications.  What k leaves over, at the end of it, comes first, padded with zeros: the
 *             loop knows only whole slices.
 *
 * comb_gemm     the blocks of a cluster share out a tile's slices, or several clusters do (direct.cuh)
 * comb_stream   the tiles laid end to end are cut into a piece for each block (stream.h): one round, whatever the tiles */
#ifndef WW_KERNELS_GEMM_COMB_H
#define WW_KERNELS_GEMM_COMB_H

#include "direct.cuh"
#include "stream.h"

template <typename T, int BM_, int BN_, int BK_, int SLOTS_> struct CombShape {
    typedef T type;
    enum {
        BM = BM_, BN = BN_, BK = BK_, SLOTS = SLOTS_, WM = 32, WN = 32, TM = 16, TN = 8, GROUPS = 4, PAD = 8,
        THREADS = BM * BN / 32, ROWS4 = 4, COLS4 = 2, DOWN = 8, ACROSS = 16,
        XW = BK * (BM + PAD), SLOT = XW + BK * (BN + PAD), PITCH = BN + 4, TILE = BM * PITCH + 8, /* words */
        STEPS = BK / 4,
    };
};

/* Word lane % 4 of the four rows whose addresses the lanes lane / 4 + 0, 8, 16 and 24 say. */
static __device__ __forceinline__ void matrix_load(unsigned address, float *v)
{
    unsigned a, b, c, d;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(address)
                 : "memory");
    v[0] = Four<float>::from(a);
    v[1] = Four<float>::from(b);
    v[2] = Four<float>::from(c);
    v[3] = Four<float>::from(d);
}

static __device__ __forceinline__ void matrix_load(unsigned address, unsigned *v)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                 : "r"(address)
                 : "memory");
}

/* How a lane reads R rows of one step, in quads DOWN apart.  row, step: of its results; first, place, of_matrix: the warp's first row, and of
 * which place and which row of a quad this lane says the address to ldmatrix. */
template <typename T, int ROWS, int BK, int R, int DOWN, int PAD, bool KC> struct CombSide {
    enum { TURNS = DOWN / 4 }; /* places along this side */
    unsigned line[TURNS];      /* bytes: of the row whose address this lane says, at the quads that are t before they are exchanged */
    __device__ __forceinline__ void open(unsigned slot, int, int, int first, int place, int of_matrix)
    {
#pragma unroll
        for (int t = 0; t < TURNS; t++)
            line[t] = slot + ((first + place * 4 + of_matrix) * BK + (t ^ place) * 4) * 4;
    }
    __device__ __forceinline__ void move(unsigned by)
    {
#pragma unroll
        for (int t = 0; t < TURNS; t++)
            line[t] += by;
    }
    __device__ __forceinline__ void read(int l, T *v) const
    {
#pragma unroll
        for (int q = 0; q < R / 4; q++) {
            int quad = (l ^ (q * DOWN & 28)) / 4;
            matrix_load(line[quad % TURNS] + (q * DOWN * BK + quad / TURNS * TURNS * 4) * 4, v + q * 4);
        }
    }
};

template <typename T, int ROWS, int BK, int R, int DOWN, int PAD> struct CombSide<T, ROWS, BK, R, DOWN, PAD, false> {
    unsigned line;
    __device__ __forceinline__ void open(unsigned slot, int row, int step, int, int, int) { line = slot + (step * (ROWS + PAD) + row) * 4; }
    __device__ __forceinline__ void move(unsigned by) { line += by; }
    __device__ __forceinline__ void read(int l, T *v) const
    {
#pragma unroll
        for (int q = 0; q < R / 4; q++) {
            typename Four<T>::type f;
            shared_load(line + (l * (ROWS + PAD) + q * DOWN) * 4, &f);
            v[q * 4]     = f.x;
            v[q * 4 + 1] = f.y;
            v[q * 4 + 2] = f.z;
            v[q * 4 + 3] = f.w;
        }
    }
};

/* The slices of [k0, k1) on their way.  What is left of the last one comes first, so that all others are whole. */
template <typename S, bool XKC, bool YKC> struct CombFeed {
    typedef typename S::type T;
    Supply<S::BM, S::BK, S::THREADS, XKC, S::PAD> x;
    Supply<S::BN, S::BK, S::THREADS, YKC, S::PAD> y;
    int                                           at, end;

    __device__ __forceinline__ void first(const GemmArgs &g, int row0, int col0, int k0, int k1, unsigned slot)
    {
        unsigned long long z = blockIdx.z;
        const T           *xs = (const T *)g.x + z * g.x_batch, *ys = (const T *)g.y + z * g.y_batch;
        at  = k0;
        end = k0 + (k1 - k0) / S::BK * S::BK;
        if (end < k1) {
            x.open(xs, XKC ? g.x_row : g.x_col, row0, g.m, end, k1, g.vector & 1);
            y.open(ys, YKC ? g.y_col : g.y_row, col0, g.n, end, k1, g.vector & 2);
            x.fetch(slot, end);
            y.fetch(slot + S::XW * 4, end);
        }
        x.open(xs, XKC ? g.x_row : g.x_col, row0, g.m, k0, end, g.vector & 1);
        y.open(ys, YKC ? g.y_col : g.y_row, col0, g.n, k0, end, g.vector & 2);
        if (end < k1)
            copies_commit();
        else
            next<false>(slot);
    }

    /* Rows aligned and all there: nothing to ask. */
    __device__ __forceinline__ bool easy(void) const
    {
        return x.vector && y.vector && (!XKC || x.rows >= S::BM) && (!YKC || y.rows >= S::BN);
    }

    template <bool EASY> __device__ __forceinline__ void next(unsigned slot)
    {
        if (at < end && EASY) {
            x.template fetch_whole<4>(slot);
            y.template fetch_whole<4>(slot + S::XW * 4);
            x.skip();
            y.skip();
        } else if (at < end) {
            x.fetch(slot, at);
            y.fetch(slot + S::XW * 4, at);
        }
        at += S::BK;
        copies_commit();
    }
};

/* A lane's operands of one step, and of the next. */
template <typename S, bool XKC, bool YKC> struct CombReader {
    typedef typename S::type T;
    CombSide<T, S::BM, S::BK, S::TM, S::DOWN, S::PAD, XKC>   x;
    CombSide<T, S::BN, S::BK, S::TN, S::ACROSS, S::PAD, YKC> y;
    T                                                       a[2][S::TM], b[2][S::TN];
    __device__ __forceinline__ void open(unsigned slot)
    {
        enum { WIDE = S::BN / S::WN };
        int lane = threadIdx.x % 32, warp = threadIdx.x / 32, wr = warp / WIDE * S::WM, wc = warp % WIDE * S::WN;
        x.open(slot, wr + lane / 16 * 4, lane % 4, wr, lane / 4 % 2, lane / 8);
        y.open(slot + S::XW * 4, wc + lane / 4 % 4 * 4, lane % 4, wc, lane % 4, lane / 8);
    }
    __device__ __forceinline__ void read(int step, int to)
    {
        x.read(step * 4, a[to]);
        y.read(step * 4, b[to]);
    }
    /* The rows [from, to): along a row and back along the next. */
    __device__ __forceinline__ void multiply(int now, int from, int to, T acc[S::TM][S::TN]) const
    {
#pragma unroll
        for (int e = from * S::TN; e < to * S::TN; e++) {
            int i = e / S::TN, j = i % 2 ? S::TN - 1 - e % S::TN : e % S::TN;
            acc[i][j] = mul_add(a[now][i], b[now][j], acc[i][j]);
        }
    }
};

/* count slices, of which SLOTS are on their way. */
template <typename S, bool XKC, bool YKC, bool EASY>
static __device__ __forceinline__ void comb_loop(CombFeed<S, XKC, YKC> &feed, CombReader<S, XKC, YKC> &r, unsigned slot, int count,
                                                 typename S::type acc[S::TM][S::TN])
{
    enum { FIRST = 2 }; /* rows before the next step is read: then fewest multiplications want three registers */
    int used = 0;
    r.read(0, 0);
#pragma unroll 1
    for (int s = 0; s < count; s++) {
#pragma unroll
        for (int l = 0; l < S::STEPS; l++) {
            r.multiply(l % 2, 0, FIRST, acc);
            if (l + 1 < S::STEPS) {
                r.read(l + 1, (l + 1) % 2);
            } else {
                unsigned left = slot, by = used + 1 == S::SLOTS ? (1 - S::SLOTS) * S::SLOT * 4 : S::SLOT * 4;
                used = used + 1 == S::SLOTS ? 0 : used + 1;
                by   = s + 1 < count ? by : 0; /* after the last slice the same again, for nothing */
                slot += by;
                r.x.move(by);
                r.y.move(by);
                copies_wait<S::SLOTS - 2>();
                __syncthreads();
                r.read(0, 0);
                feed.template next<EASY>(left);
            }
            r.multiply(l % 2, FIRST, S::TM, acc);
        }
    }
}

/* acc = the product over [k0, k1) of the tile at (row0, col0).  Ends with all copies done and all warps past them. */
template <typename S, bool XKC, bool YKC>
static __device__ __forceinline__ void comb_product(const GemmArgs &g, typename S::type *slots, int row0, int col0, int k0, int k1,
                                                    typename S::type acc[S::TM][S::TN])
{
    CombFeed<S, XKC, YKC>   feed;
    CombReader<S, XKC, YKC> reader;
    int                     count = (k1 - k0 + S::BK - 1) / S::BK;
    unsigned                slot  = shared_address(slots);
#pragma unroll
    for (int i = 0; i < S::TM; i++)
#pragma unroll
        for (int j = 0; j < S::TN; j++)
            acc[i][j] = typename S::type(0);
    if (count <= 0)
        return;
    feed.first(g, row0, col0, k0, k1, slot);
#pragma unroll 1
    for (int s = 1; s < S::SLOTS; s++)
        feed.template next<false>(slot + s * S::SLOT * 4);
    reader.open(slot);
    copies_wait<S::SLOTS - 1>();
    __syncthreads();
    if (feed.easy())
        comb_loop<S, XKC, YKC, true>(feed, reader, slot, count, acc);
    else
        comb_loop<S, XKC, YKC, false>(feed, reader, slot, count, acc);
    copies_wait<0>();
    __syncthreads();
}

/* Of a lane's first results; its group is its step. */
template <typename S> static __device__ __forceinline__ RingPlace comb_place(void)
{
    enum { WIDE = S::BN / S::WN };
    int       lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    RingPlace p    = {warp / WIDE * S::WM + lane / 16 * 4, warp % WIDE * S::WN + lane / 4 % 4 * 4, lane % 4};
    return p;
}

template <typename S, typename Tiles, bool XKC, bool YKC> static __device__ __forceinline__ void comb_gemm(const GemmArgs &g)
{
    typedef typename S::type T;
    extern __shared__ __align__(128) unsigned char memory[];
    T          *tile = (T *)memory, acc[S::TM][S::TN];
    DirectShare d    = direct_share<S, Tiles, true>(g);
    grid_turn();
    comb_product<S, XKC, YKC>(g, tile, d.row0, d.col0, d.k0, d.k1, acc);
    direct_stage<S>(tile, comb_place<S>(), acc);
    direct_finish<S, Tiles>(g, tile, d);
}

/* As stream_join (stream.h), for a tile that lies in shared memory: adds up what the blocks that share its slices have of it, in the order of
 * k; false: another block will. */
template <typename S>
static __device__ __forceinline__ bool comb_join(const GemmArgs &g, long long all, long long slices, long long at, unsigned *said,
                                                 typename S::type *tile)
{
    typedef typename S::type       T;
    typedef typename Four<T>::type V;
    enum { Q = S::BN / 4, QUADS = S::BM * Q, MINE = QUADS / S::THREADS, LEFT = 1 << 16 };
    unsigned *count  = (unsigned *)g.count + at;
    uint4    *work   = (uint4 *)g.work + threadIdx.x;
    long long blocks = gridDim.x, mine = blockIdx.x, first, last;
    contributors(all, blocks, at * slices, (at + 1) * slices, &first, &last);
    unsigned others = (unsigned)(last - first);
    if (threadIdx.x == 0)
        *said = add(count, 1) % LEFT == others;
    __syncthreads();
    bool last_here = *said != 0;
    if (!last_here) {
        uint4 *to = work + (2 * mine + (mine * all / blocks / slices != at)) * QUADS;
#pragma unroll
        for (int i = 0; i < MINE; i++) {
            int v               = threadIdx.x + i * S::THREADS;
            to[i * S::THREADS] = *(const uint4 *)(tile + direct_at<S>(v / Q, v % Q * 4));
        }
        fence();
    } else if (threadIdx.x == 0) {
        while (add(count, 0) / LEFT != others)
            ;
        clear(count);
    }
    __syncthreads();
    if (!last_here) {
        if (threadIdx.x == 0)
            add(count, LEFT);
        return false;
    }
    fence();
    V sum[MINE] = {};
    for (long long b = first; b <= last; b++) {
        const uint4 *from = work + (2 * b + (b * all / blocks / slices != at)) * QUADS;
        uint4        part[MINE];
#pragma unroll
        for (int i = 0; i < MINE; i++) {
            int v   = threadIdx.x + i * S::THREADS;
            part[i] = b == mine ? *(const uint4 *)(tile + direct_at<S>(v / Q, v % Q * 4)) : load_past_l1(from + i * S::THREADS);
        }
#pragma unroll
        for (int i = 0; i < MINE; i++)
            add_four<T>(&sum[i], part[i]);
    }
#pragma unroll
    for (int i = 0; i < MINE; i++) {
        int v                                          = threadIdx.x + i * S::THREADS;
        *(V *)(tile + direct_at<S>(v / Q, v % Q * 4)) = sum[i];
    }
    return true;
}

/* The tiles laid end to end and cut into a piece for each block, as in stream.h. */
template <typename S, typename Tiles, bool XKC, bool YKC> static __device__ __forceinline__ void comb_stream(const GemmArgs &g)
{
    typedef typename S::type T;
    extern __shared__ __align__(128) unsigned char memory[];
    __shared__ unsigned said;
    T                  *tile = (T *)memory, acc[S::TM][S::TN];
    Tiles               tiles;
    RingPlace           p = comb_place<S>();
    tiles.template open<S>(g);
    long long slices = (g.k + S::BK - 1) / S::BK, all = slices * tiles.tiles;
    long long at = blockIdx.x * all / gridDim.x, stop = (blockIdx.x + 1LL) * all / gridDim.x;
    grid_turn();
    while (at < stop) {
        long long t = at / slices, from = at - t * slices, to = stop - t * slices < slices ? stop - t * slices : slices;
        int       tm, tn, end = to * S::BK < g.k ? (int)to * S::BK : g.k;
        tiles.place((int)t, &tm, &tn);
        comb_product<S, XKC, YKC>(g, tile, tm * S::BM, tn * S::BN, (int)from * S::BK, end, acc);
        direct_stage<S>(tile, p, acc);
        __syncthreads();
        direct_fold<S>(tile);
        bool ours = (from == 0 && to == slices) || comb_join<S>(g, all, slices, t, &said, tile);
        __syncthreads();
        if (ours) {
            Tiles::template write<S>(g, tile, 0, tm * S::BM, tn * S::BN, 0, S::BM);
            __syncthreads();
        }
        at = t * slices + to;
    }
}

#define COMB_KERNEL(name, body, shape, tiles, blocks, x, y)                                                            \
    extern "C" __global__ void __launch_bounds__(shape::THREADS, blocks) name(const GemmArgs g)                        \
    {                                                                                                                  \
        body<shape, tiles, x, y>(g);                                                                                   \
    }
#define COMB_KERNELS(name, body, shape, blocks)                                                                        \
    COMB_KERNEL(name##_kn, body, shape, Rectangle, blocks, true, false)                                                \
    COMB_KERNEL(name##_kk, body, shape, Rectangle, blocks, true, true)                                                 \
    COMB_KERNEL(name##_nn, body, shape, Rectangle, blocks, false, false)                                               \
    COMB_KERNEL(name##_nk, body, shape, Rectangle, blocks, false, true)

#endif
