/* SPDX-License-Identifier: Apache-2.0
 *
 * Products in one launch as in direct.cuh, with the lanes of a warp taking steps of k in turn.
 *
 *   lanes     of a warp stand at 8 places, 2 down and 4 across, of 16 x 8 results each.  At each place are 4 lanes, each with every fourth step
 *             of k.  Their sums meet at the end, as those of groups of warps do in direct.cuh.
 *   shared    an operand contiguous along k is read by ldmatrix: of sixteen bytes, four steps of one row, each of a place's lanes gets its
 *             own word, so that four neighbouring registers are four rows of one step here too.  (Read as it lies, they are four steps of
 *             a row, all rows of a step are in one register bank, and 37 % of the multiplications wait for it.)  Where it lies: lines.cuh.
 *   slices    come by cp.async, SLOTS - 1 of them in flight, each ordered in the course of the slice before.  The barrier that says that the next
 *             one has arrived and that all have read this one stands before the last step's multiplications.  What k leaves over, at the
 *             end of it, comes first, padded with zeros: the loop knows only whole slices.
 *   loops     one for each pair of accesses that two operands may need: a loop that asks which has worse registers.
 *
 * comb_gemm     the blocks of a cluster share out a tile's slices, or several clusters do (direct.cuh)
 * comb_stream   every block has the same share of all tiles' slices (even.cuh).  A piece's sums go from shared memory to registers; who has
 *               the last slices of a tile adds up the others' and writes it */
#ifndef WW_KERNELS_GEMM_COMB_H
#define WW_KERNELS_GEMM_COMB_H

#include "even.cuh"
#include "lines.cuh"

/* HERE: multiplications in the order of the source ("Level 1"); where Y, or in slim tiles X, lies along k, ptxas has not the registers for it. */
template <typename T, int BM_, int BN_, int BK_, int SLOTS_, bool HERE_ = false> struct CombShape {
    typedef T type;
    enum {
        BM      = BM_,
        BN      = BN_,
        BK      = BK_,
        SLOTS   = SLOTS_,
        WM      = 32,
        WN      = 32,
        TM      = 16,
        TN      = 8,
        GROUPS  = 4,
        PAD     = 8,
        THREADS = BM * BN / 32,
        ROWS4   = 4,
        COLS4   = 2,
        DOWN    = 8,
        ACROSS  = 16,
        XW      = BM > 64 ? BM * (BK + 4) : BK * (BM + PAD), /* words; the larger of an operand along k and of one along the result */
        SLOT    = XW + (BN > 64 ? BN * (BK + 4) : BK * (BN + PAD)),
        PITCH   = BN + 4,
        TILE    = BM * PITCH + 8,
        STEPS   = BK / 4,
        HERE    = HERE_,
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
    unsigned line;

    __device__ __forceinline__ void open(unsigned slot, int, int, int first, int place, int of_matrix)
    {
        line = slot + (of_matrix * (ROWS / 4) + first / 4 + place) * (BK + 4) * 4;
    }

    __device__ __forceinline__ void read(int l, T *v) const
    {
#pragma unroll
        for (int q = 0; q < R / 4; q++)
            matrix_load(line + (q * DOWN / 4 * (BK + 4) + l) * 4, v + q * 4);
    }
};

template <typename T, int ROWS, int BK, int R, int DOWN, int PAD> struct CombSide<T, ROWS, BK, R, DOWN, PAD, false> {
    unsigned line;

    __device__ __forceinline__ void open(unsigned slot, int row, int step, int, int, int)
    {
        line = slot + (step * (ROWS + PAD) + row) * 4;
    }

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

/* A lane's operands of one step, and of the next. */
template <typename S, bool XKC, bool YKC> struct CombReader {
    typedef typename S::type T;
    CombSide<T, S::BM, S::BK, S::TM, S::DOWN, S::PAD, XKC>   x;
    CombSide<T, S::BN, S::BK, S::TN, S::ACROSS, S::PAD, YKC> y;
    T a[2][S::TM], b[2][S::TN];

    __device__ __forceinline__ void open(unsigned slot)
    {
        enum { WIDE = S::BN / S::WN };
        int lane = threadIdx.x % 32, warp = threadIdx.x / 32, wr = warp / WIDE * S::WM, wc = warp % WIDE * S::WN;
        x.open(slot, wr + lane / 16 * 4, lane % 4, wr, lane / 4 % 2, lane / 8);
        y.open(slot + S::XW * 4, wc + lane / 4 % 4 * 4, lane % 4, wc, lane % 4, lane / 8);
    }

    __device__ __forceinline__ void move(unsigned by)
    {
        x.line += by;
        y.line += by;
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
            if (S::HERE)
                mul_add_here(a[now][i], b[now][j], &acc[i][j]);
            else
                acc[i][j] = mul_add(a[now][i], b[now][j], acc[i][j]);
        }
    }
};

/* The slices of [k0, k1) on their way; XE, YE: words of an access. */
template <typename S, bool XKC, bool YKC, int XE, int YE> struct CombFeed {
    Lines<S::BM, S::BK, S::THREADS, XKC, S::PAD, XE> x;
    Lines<S::BN, S::BK, S::THREADS, YKC, S::PAD, YE> y;
    int left; /* whole slices that are not on their way */

    __device__ __forceinline__ void open(const GemmArgs &g, int row0, int col0, int k0, unsigned slot)
    {
        unsigned long long z  = blockIdx.z;
        const unsigned    *xs = (const unsigned *)g.x + z * g.x_batch, *ys = (const unsigned *)g.y + z * g.y_batch;
        x.open(xs, XKC ? g.x_row : g.x_col, row0, g.m, k0, slot);
        y.open(ys, YKC ? g.y_col : g.y_row, col0, g.n, k0, slot + S::XW * 4);
    }

    __device__ __forceinline__ void part(int p)
    {
        x.part(p, left > 0);
        y.part(p, left > 0);
    }

    /* The slice is ordered; the next one goes `by` bytes further on. */
    __device__ __forceinline__ void done(unsigned by)
    {
        copies_commit();
        left--;
        x.to += by;
        y.to += by;
    }

    /* The first SLOTS - 1. */
    __device__ __forceinline__ void first(const GemmArgs &g, int row0, int col0, int k0, int k1, unsigned slot)
    {
        int s = 0;
        left  = (k1 - k0) / S::BK;
        if (k1 - k0 > left * S::BK) {
            int end = k0 + left * S::BK;
            open(g, row0, col0, end, slot);
            x.rest(k1 - end);
            y.rest(k1 - end);
            copies_commit();
            s = 1;
        }
        open(g, row0, col0, k0, slot + s * S::SLOT * 4);
#pragma unroll 1
        for (; s < S::SLOTS - 1; s++) {
            part(0);
            part(1);
            done(S::SLOT * 4);
        }
    }
};

/* acc += the product over [k0, k1) of the tile at (row0, col0).  Ends with all copies done and all warps past them. */
template <typename S, bool XKC, bool YKC, int XE, int YE>
static __device__ __forceinline__ void comb_loop(const GemmArgs &g, unsigned slot, int row0, int col0, int k0, int k1,
                                                 typename S::type acc[S::TM][S::TN])
{
    enum { BEFORE = S::HERE ? 12 : 2, AROUND = S::SLOT * S::SLOTS * 4 }; /* rows before the next step is read */
    CombFeed<S, XKC, YKC, XE, YE> feed;
    CombReader<S, XKC, YKC> r;
    int used = 0;
    feed.first(g, row0, col0, k0, k1, slot);
    r.open(slot);
    copies_wait<S::SLOTS - 2>();
    __syncthreads();
    r.read(0, 0);
#pragma unroll 1
    for (int count = (k1 - k0 + S::BK - 1) / S::BK; count > 0; count--) {
#pragma unroll
        for (int l = 0; l < S::STEPS; l++) {
            r.multiply(l % 2, 0, BEFORE, acc);
            if (l + 1 < S::STEPS) {
                r.read(l + 1, (l + 1) % 2);
                if (l == 0 || l == S::STEPS / 2)
                    feed.part(l != 0);
            } else {
                used = used + 1 == S::SLOTS ? 0 : used + 1;
                feed.done(S::SLOT * 4 - (used == 1 ? AROUND : 0));
                r.move(count == 1 ? 0 : S::SLOT * 4 - (used == 0 ? AROUND : 0)); /* after the last slice the same again, for nothing */
                copies_wait<S::SLOTS - 2>();
                __syncthreads();
                r.read(0, 0);
            }
            r.multiply(l % 2, BEFORE, S::TM, acc);
        }
    }
    copies_wait<0>();
    __syncthreads();
}

/* Whether there is a loop for each pair of accesses; integers, which have faster ways, have two. */
template <typename T> struct CombPairs {
    enum { ALL = 0 };
};
template <> struct CombPairs<float> {
    enum { ALL = 1 };
};

/* acc = the product. */
template <typename S, bool XKC, bool YKC>
static __device__ __forceinline__ void comb_product(const GemmArgs &g, typename S::type *slots, int row0, int col0,
                                                    int k0, int k1, typename S::type acc[S::TM][S::TN])
{
    enum { ALL = CombPairs<typename S::type>::ALL };
    unsigned slot = shared_address(slots);
    bool     x    = (g.vector & 1) && (XKC || g.m - row0 >= S::BM || g.m % 4 == 0);
    bool     y    = (g.vector & 2) && (YKC || g.n - col0 >= S::BN || g.n % 4 == 0);
#pragma unroll
    for (int i = 0; i < S::TM; i++)
#pragma unroll
        for (int j = 0; j < S::TN; j++)
            acc[i][j] = typename S::type(0);
    if (k0 >= k1)
        return;
    if (x && y)
        comb_loop<S, XKC, YKC, 4, 4>(g, slot, row0, col0, k0, k1, acc);
    else if (ALL && x)
        comb_loop<S, XKC, YKC, 4, 1>(g, slot, row0, col0, k0, k1, acc);
    else if (ALL && y)
        comb_loop<S, XKC, YKC, 1, 4>(g, slot, row0, col0, k0, k1, acc);
    else
        comb_loop<S, XKC, YKC, 1, 1>(g, slot, row0, col0, k0, k1, acc);
}

/* Of a lane's first results; its group is its step. */
template <typename S> static __device__ __forceinline__ RingPlace comb_place(void)
{
    enum { WIDE = S::BN / S::WN };
    int       lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    RingPlace p = {warp / WIDE * S::WM + lane / 16 * 4, warp % WIDE * S::WN + lane / 4 % 4 * 4, lane % 4};
    return p;
}

template <typename S, typename Tiles, bool XKC, bool YKC>
static __device__ __forceinline__ void comb_gemm(const GemmArgs &g)
{
    typedef typename S::type T;
    extern __shared__ __align__(128) unsigned char memory[];
    T                                             *tile = (T *)memory, acc[S::TM][S::TN];
    DirectShare                                    d    = direct_share<S, Tiles, true>(g);
    grid_turn();
    comb_product<S, XKC, YKC>(g, tile, d.row0, d.col0, d.k0, d.k1, acc);
    direct_stage<S>(tile, comb_place<S>(), acc);
    direct_finish<S, Tiles>(g, tile, d);
}

/* A thread's QUADS of four neighbours in a row of a tile, THREADS apart, pairs of columns turned round as ring_stage has them. */
template <typename S> struct CombTile {
    typedef typename S::type       T;
    typedef typename Four<T>::type V;
    enum { Q = S::BN / 4, QUADS = S::BM * Q / S::THREADS, DOWN = S::THREADS / Q, BYTES = S::BM * S::BN * 4 };
    V sum[QUADS];

    static __device__ __forceinline__ int row(int i) { return threadIdx.x / Q + i * DOWN; }
    static __device__ __forceinline__ int col(void) { return threadIdx.x % Q * 4; }

    /* What the four lanes at each place have, added up.  Ends with nobody reading the tile. */
    __device__ __forceinline__ void fold(T *tile, const T acc[S::TM][S::TN])
    {
        direct_stage<S>(tile, comb_place<S>(), acc);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < QUADS; i++) {
            const T *at = tile + direct_at<S>(row(i), col());
            sum[i]      = *(const V *)at;
#pragma unroll
            for (int e = 1; e < S::GROUPS; e++)
                add_four<T>(&sum[i], *(const uint4 *)(at + e * S::TILE));
        }
        __syncthreads();
    }

    /* To this block's place in the workspace. */
    __device__ __forceinline__ void leave(const GemmArgs &g) const
    {
        V *to = (V *)((char *)g.work + (long long)blockIdx.x * BYTES) + threadIdx.x;
#pragma unroll
        for (int i = 0; i < QUADS; i++)
            to[i * S::THREADS] = sum[i];
    }

    /* sum += N blocks' parts, all under way at once. */
    template <int N> __device__ __forceinline__ void add(unsigned long long from)
    {
        uint4 part[N * QUADS];
#pragma unroll
        for (int e = 0; e < N * QUADS; e++)
            asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(part[e].x), "=r"(part[e].y), "=r"(part[e].z), "=r"(part[e].w)
                         : "l"(from + e * S::THREADS * 16)
                         : "memory");
#pragma unroll
        for (int e = 0; e < N * QUADS; e++)
            add_four<T>(&sum[e % QUADS], part[e]);
    }

    /* sum += the parts of the blocks from `first` to this one, which all say so in *count. */
    __device__ __forceinline__ void gather(const GemmArgs &g, int first, unsigned *count)
    {
        enum { AT_ONCE = 4 };
        int                others = (int)blockIdx.x - first;
        unsigned long long from;
        asm("cvta.to.global.u64 %0, %1;" : "=l"(from) : "l"(g.work));
        from += (unsigned long long)first * BYTES + threadIdx.x * 16;
        if (threadIdx.x == 0) {
            while (even_seen(count) < (unsigned)others)
                asm volatile("nanosleep.u32 20;");
            clear(count);
        }
        __syncthreads();
#pragma unroll 1
        for (; others >= AT_ONCE; others -= AT_ONCE) {
            add<AT_ONCE>(from);
            from += AT_ONCE * BYTES;
        }
#pragma unroll 1
        for (; others > 0; others--) {
            add<1>(from);
            from += BYTES;
        }
    }

    /* Straight to the aligned rows of a tile that is whole across. */
    __device__ __forceinline__ void write(const GemmArgs &g, int row0, int col0) const
    {
        T    alpha = Four<T>::from(g.alpha), beta = Four<T>::from(g.beta), *c = (T *)g.c + (unsigned long long)row0 * g.ldc + col0;
        bool keep  = !Four<T>::zero(g.beta);
#pragma unroll
        for (int i = 0; i < QUADS; i++) {
            V q = sum[i], turned = {q.y, q.x, q.w, q.z};
            if (row0 + row(i) < g.m)
                put(c + row(i) * g.ldc + col(), turned, alpha, beta, keep);
        }
    }

    /* Back to the tile. */
    __device__ __forceinline__ void stage(T *tile) const
    {
#pragma unroll
        for (int i = 0; i < QUADS; i++)
            *(V *)(tile + direct_at<S>(row(i), col())) = sum[i];
        __syncthreads();
    }
};

template <typename S, typename Tiles, bool XKC, bool YKC>
static __device__ __forceinline__ void comb_stream(const GemmArgs &g)
{
    typedef typename S::type T;
    extern __shared__ __align__(128) unsigned char memory[];
    T                                             *tile = (T *)memory;
    EvenWork<S, Tiles>                             work(g);
    int                                            row0, col0;
    grid_turn();
#pragma unroll 1
    while (work.next(&row0, &col0)) {
        CombTile<S> sums;
        unsigned   *count = (unsigned *)g.count + work.tile;
        {
            T acc[S::TM][S::TN];
            comb_product<S, XKC, YKC>(g, tile, row0, col0, work.from * S::BK,
                                      work.to < work.per ? work.to * S::BK : g.k, acc);
            sums.fold(tile, acc);
        }
        if (work.to < work.per) {
            sums.leave(g);
            __syncthreads();
            if (threadIdx.x == 0)
                even_tell(count);
            continue;
        }
        if (work.from > 0)
            sums.gather(g, work.owner(work.tile * work.per), count);
        if (Tiles::ROWS == 1 && (g.vector & 4) && col0 + S::BN <= g.n) {
            sums.write(g, row0, col0);
        } else {
            sums.stage(tile);
            Tiles::template write<S>(g, tile, 0, row0, col0, 0, S::BM);
            __syncthreads();
        }
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
