/* SPDX-License-Identifier: Apache-2.0
 *
 * Tile products by tensor copies whose warps never wait for each other: a ninth warp orders the slices, the other eight take them
 * from the ring and give them back, each at its own pace.
 *
 *   ring      full[b] completes when both boxes of slice b have arrived, empty[b] when every warp has its last fragment of it
 *             in registers.  X and Y have a ring each, so a fragment's address is one register and a constant.
 *   loop      UNROLL steps, 4 to 17 KB of machine code.  A multiprocessor's instruction cache feeds warps at different places
 *             at full speed from up to 28 KB; a loop of 48 KB or more runs at a third of it unless all warps are at the same place.
 *   slice     at its beginning a warp waits for the next one, so none of the steps waits; at its end it gives it back.
 *   lanes     lane_spread_row(): reads of shared memory that do not delay multiplications.
 *   registers the ordering warps give up theirs (setmaxnreg), so those that multiply have 232.
 *   blocks    as in tensor.h: whole tiles a grid's width apart, those of the last, incomplete round shared out along k.  The ring goes
 *             on from tile to tile: while one is written, the first slices of the next arrive.
 *
 * Invariants: blockIdx.x is the only index; both kinds of warps walk the same pieces. */
#ifndef WW_KERNELS_GEMM_FLOW_H
#define WW_KERNELS_GEMM_FLOW_H

#include "boxes.h"
#include "stream.h"

/* S: Shape, with BUFFERS slices in the rings.  All addresses are those of the shared window. */
template <typename S> struct Flow {
    typedef typename S::type T;
    enum {
        XB      = S::BK * S::BM * sizeof(T),
        YB      = S::BK * S::BN * sizeof(T), /* bytes of a slice */
        WARPS   = S::THREADS / 32,
        BARRIER = 1,
        LAUNCH  = S::THREADS + 128,
        PITCH   = S::WN + 4,
        CHUNK   = S::DOWN * PITCH
    };
    unsigned xs, ys, full, empty;
    unsigned buffer, phase;

    /* Ends with all threads of the block past a barrier. */
    __device__ __forceinline__ void open(const void *slices, const Bar *bars)
    {
        xs     = shared_address(slices);
        ys     = xs + S::BUFFERS * XB;
        full   = shared_address(bars);
        empty  = full + S::BUFFERS * 8;
        buffer = 0;
        phase  = 0;
        if (threadIdx.x == 0) {
            for (int b = 0; b < S::BUFFERS; b++) {
                bar_init(full + b * 8, 1);
                bar_init(empty + b * 8, WARPS);
            }
            bar_init_done();
        }
        __syncthreads();
    }

    __device__ __forceinline__ void next(void)
    {
        buffer = buffer + 1 == S::BUFFERS ? 0 : buffer + 1;
        phase ^= buffer == 0;
    }

    /* One thread: the slices [from, to) of the tile at (row0, col0); bytes: of both boxes. */
    __device__ __forceinline__ void order(const GemmMap *x, const GemmMap *y, unsigned bytes, int row0, int col0,
                                          int from, int to)
    {
        for (int s = from; s < to; s++) {
            unsigned bar = full + buffer * 8;
            bar_sleep(empty + buffer * 8, phase ^ 1);
            bar_expect(bar, bytes);
            box_copy(xs + buffer * XB, x, row0, s * S::BK, bar);
            box_copy(ys + buffer * YB, y, col0, s * S::BK, bar);
            next();
        }
    }

    /* A warp: it needs buffer b no more. */
    __device__ __forceinline__ void give_back(unsigned b) const
    {
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            bar_arrive(empty + b * 8);
    }
};

/* The rows [from, to) of results, along one and back along the next. */
template <typename S>
static __device__ __forceinline__ void flow_multiply(const Fragment<S> &f, int from, int to,
                                                     typename S::type acc[S::TM][S::TN])
{
#pragma unroll
    for (int e = from * S::TN; e < to * S::TN; e++) {
        int i = e / S::TN, j = i % 2 ? S::TN - 1 - e % S::TN : e % S::TN;
        acc[i][j] = mul_add(f.x[i], f.y[j], acc[i][j]);
    }
}

/* acc = the sum over `count` slices, at least one.  Ends with all of them given back.
 * SQUARES: two symmetric tiles of BM rows side by side, the left one of X's slice with itself, the right one of what lies where Y's
 * would, BM wide. */
template <typename S, int UNROLL, bool SQUARES = false>
static __device__ __forceinline__ void flow_product(Flow<S> &ring, int count, typename S::type acc[S::TM][S::TN])
{
    typedef typename S::type T;
    enum {
        XROW  = S::BM * sizeof(T),
        YROW  = SQUARES ? XROW : S::BN * sizeof(T),
        AHEAD = 4
    }; /* rows before the next step's reads */
    int row, col;
    lane_place<S>(&row, &col);
#pragma unroll
    for (int i = 0; i < S::TM; i++)
#pragma unroll
        for (int j = 0; j < S::TN; j++)
            acc[i][j] = T(0);
    bool        right = SQUARES && col >= S::BM;
    unsigned    x0 = (right ? ring.ys : ring.xs) + row * (unsigned)sizeof(T), xb = right ? Flow<S>::YB : Flow<S>::XB;
    unsigned    y0 = (SQUARES && !right ? ring.xs : ring.ys) + (right ? col - S::BM : col) * (unsigned)sizeof(T);
    unsigned    yb = SQUARES ? xb : Flow<S>::YB, xs = x0 + ring.buffer * xb, ys = y0 + ring.buffer * yb;
    Fragment<S> f[2];
    bar_wait(ring.full + ring.buffer * 8, ring.phase);
    f[0].read(xs, ys);
#pragma unroll 1
    for (;;) {
        unsigned now = ring.buffer, xn = xs, yn = ys; /* after the last slice: something that nobody writes */
        ring.next();
        if (--count > 0) {
            bar_wait(ring.full + ring.buffer * 8, ring.phase);
            xn = x0 + ring.buffer * xb;
            yn = y0 + ring.buffer * yb;
        }
#pragma unroll 1
        for (int r = S::BK / UNROLL; r > 0; r--) {
#pragma unroll
            for (int l = 0; l < UNROLL; l++) {
                flow_multiply<S>(f[l % 2], 0, AHEAD, acc);
                if (l + 1 < UNROLL) {
                    f[(l + 1) % 2].read(xs + (l + 1) * XROW, ys + (l + 1) * YROW);
                } else {
                    xs = r == 1 ? xn : xs + UNROLL * XROW;
                    ys = r == 1 ? yn : ys + UNROLL * YROW;
                    f[0].read(xs, ys);
                }
                flow_multiply<S>(f[l % 2], AHEAD, S::TM, acc);
            }
        }
        ring.give_back(now);
        if (count == 0)
            break;
    }
}

/* Where a tile goes: C, or the workspace as it is. */
template <typename T> struct FlowTarget {
    T                 *at; /* the tile's first element */
    unsigned long long ld;
    int                rows, cols; /* that exist from there on */
    bool               fast, keep; /* rows aligned to 16 bytes; beta is not zero */
    T                  alpha, beta;

    __device__ __forceinline__ void put(unsigned long long e, typename Four<T>::type v) const
    {
        typedef typename Four<T>::type V;
        V                             *out = (V *)(at + e);
        V                              sum = {alpha * v.x, alpha * v.y, alpha * v.z, alpha * v.w};
        if (keep) {
            V old = *out;
            sum.x = mul_add(beta, old.x, sum.x);
            sum.y = mul_add(beta, old.y, sum.y);
            sum.z = mul_add(beta, old.z, sum.z);
            sum.w = mul_add(beta, old.w, sum.w);
        }
        *out = sum;
    }

    __device__ __forceinline__ void put(unsigned long long e, T v) const
    {
        v     = alpha * v;
        at[e] = keep ? mul_add(beta, at[e], v) : v;
    }
};

/* A warp's results pass through its part of shared memory, DOWN rows at a time, and leave in whole rows.  Four results that are
 * stored together lie in four neighbouring registers all through the loop, so each pair of columns is swapped: then a
 * result and the operand that changes lie in different banks. */
template <typename S>
static __device__ __forceinline__ void flow_write(const FlowTarget<typename S::type> &t, typename S::type *stage,
                                                  const typename S::type acc[S::TM][S::TN])
{
    typedef typename S::type       T;
    typedef typename Four<T>::type V;
    enum { PITCH = Flow<S>::PITCH, Q = S::WN / 4 };
    int      lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int      row = warp / (S::BN / S::WN) * S::WM, col = warp % (S::BN / S::WN) * S::WN;
    bool     fast = t.fast && col + S::WN <= t.cols;
    unsigned to   = shared_address(stage + lane_spread_row(lane) * 4 * PITCH + lane_spread_column(lane) * 4);
#pragma unroll
    for (int i = 0; i < S::TM; i += 4) {
        __syncwarp();
#pragma unroll
        for (int e = 0; e < 4; e++)
#pragma unroll
            for (int j = 0; j < S::TN; j += 4) {
                V v = {acc[i + e][j + 1], acc[i + e][j], acc[i + e][j + 3], acc[i + e][j + 2]};
                shared_store(to + (e * PITCH + j / 4 * S::ACROSS) * (unsigned)sizeof(T), v);
            }
        __syncwarp();
        int                first = row + i / 4 * S::DOWN, rows = t.rows - first < S::DOWN ? t.rows - first : S::DOWN;
        unsigned long long base = first * t.ld + col;
        if (fast) {
#pragma unroll
            for (int n = 0; n < S::DOWN * Q; n += 32) {
                int v = n + lane, r = v / Q, c = v % Q * 4;
                V   q = *(const V *)(stage + r * PITCH + c), turned = {q.y, q.x, q.w, q.z};
                if (r < rows)
                    t.put(base + r * t.ld + c, turned);
            }
        } else {
#pragma unroll 1
            for (int v = lane; v < rows * S::WN; v += 32) {
                int r = v / S::WN, c = v % S::WN;
                if (col + c < t.cols)
                    t.put(base + r * t.ld + c, stage[r * PITCH + (c ^ 1)]);
            }
        }
    }
}

/* A partial tile of block b: of the tile its piece begins in, or of a later one. */
template <typename S>
static __device__ __forceinline__ typename S::type *flow_part(const GemmArgs &g, long long b, bool later)
{
    return (typename S::type *)g.work + (2 * b + later) * (S::BM * S::BN);
}

/* A tile whose slices several blocks share: the last of them adds the sums up, in the order of k. */
template <typename S>
static __device__ __forceinline__ void flow_add(const GemmArgs &g, const FlowTarget<typename S::type> &t, long long all,
                                                long long blocks, int per, int tile)
{
    typedef typename S::type       T;
    typedef typename Four<T>::type V;
    enum { Q = S::BN / 4, EACH = 16 }; /* reads of a thread that are under way at once: one by one they took 70 us */
    long long first, last, begin = (long long)tile * per;
    contributors(all, blocks, begin, begin + per, &first, &last);
#pragma unroll 1
    for (int v = threadIdx.x; v < S::BM * Q; v += S::THREADS * EACH) {
        V sum[EACH];
#pragma unroll
        for (int i = 0; i < EACH; i++)
            sum[i] = {T(0), T(0), T(0), T(0)};
#pragma unroll 1
        for (long long b = first; b <= last; b++) {
            const uint4 *part = (const uint4 *)flow_part<S>(g, b, b * all / blocks / per != tile) + v;
            uint4        p[EACH];
#pragma unroll
            for (int i = 0; i < EACH; i++)
                p[i] = load_past_l1(part + i * S::THREADS);
#pragma unroll
            for (int i = 0; i < EACH; i++)
                add_four<T>(&sum[i], p[i]);
        }
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            int r = (v + i * S::THREADS) / Q, c = (v + i * S::THREADS) % Q * 4;
            T   one[4] = {sum[i].x, sum[i].y, sum[i].z, sum[i].w};
            if (r >= t.rows)
                continue;
            if (t.fast && c + 4 <= t.cols) {
                t.put(r * t.ld + c, sum[i]);
            } else {
#pragma unroll
                for (int e = 0; e < 4; e++)
                    if (c + e < t.cols)
                        t.put(r * t.ld + c + e, one[e]);
            }
        }
    }
}

/* The tiles of C. */
template <typename S> struct FlowGrid {
    int down, across, tiles;

    __device__ __forceinline__ FlowGrid(const GemmArgs &g)
    {
        down   = (g.m + S::BM - 1) / S::BM;
        across = (g.n + S::BN - 1) / S::BN;
        tiles  = down * across;
    }

    __device__ __forceinline__ void place(int tile, int *row0, int *col0) const
    {
        int tm, tn;
        tile_order(tile, down, across, &tm, &tn);
        *row0 = tm * S::BM;
        *col0 = tn * S::BN;
    }
};

/* The pieces of a block one after the other: a tile of G and which of its slices. */
template <typename S, typename G> struct FlowWork {
    G         grid;
    int       per, whole; /* slices of a tile; tiles that nobody shares */
    long long at, stop;   /* of this block, in the slices of the others laid end to end */
    int       t, tile, from, to;

    __device__ __forceinline__ FlowWork(const GemmArgs &g) : grid(g)
    {
        per   = (g.k + S::BK - 1) / S::BK;
        whole = grid.tiles / (int)gridDim.x * (int)gridDim.x;
        t     = blockIdx.x;
        at = stop = 0;
        if (blockIdx.x < sharers()) {
            at   = blockIdx.x * all() / sharers();
            stop = (blockIdx.x + 1) * all() / sharers();
        }
    }

    __device__ __forceinline__ long long all(void) const { return (long long)(grid.tiles - whole) * per; }

    /* No more blocks than there are slices. */
    __device__ __forceinline__ long long sharers(void) const { return all() < gridDim.x ? all() : gridDim.x; }

    __device__ __forceinline__ bool next(int *row0, int *col0)
    {
        if (t < whole) {
            tile = t;
            from = 0;
            to   = per;
            t += gridDim.x;
        } else if (at < stop) {
            tile          = (int)(at / per);
            long long end = (long long)tile * per;
            from          = (int)(at - end);
            to            = stop - end < per ? (int)(stop - end) : per;
            at            = end + to;
            tile += whole;
        } else {
            return false;
        }
        grid.place(tile, row0, col0);
        return true;
    }
};

template <typename S, int UNROLL> static __device__ __forceinline__ void flow_gemm(const TensorArgs &a)
{
    typedef typename S::type T;
    extern __shared__ __align__(128) unsigned char slices[];
    __shared__ __align__(8) Bar bars[2 * S::BUFFERS];
    __shared__ unsigned         said;
    const GemmArgs             &g = a.g;
    Flow<S>                     ring;
    FlowWork<S, FlowGrid<S>>    work(g);
    int                         row0, col0;
    ring.open(slices, bars);
    if (threadIdx.x >= S::THREADS) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == S::THREADS)
            while (work.next(&row0, &col0))
                ring.order(&a.x, &a.y, Flow<S>::XB + Flow<S>::YB, row0, col0, work.from, work.to);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        T alpha = Four<T>::from(g.alpha), beta = Four<T>::from(g.beta);
#pragma unroll 1
        while (work.next(&row0, &col0)) {
            T acc[S::TM][S::TN];
            flow_product<S, UNROLL>(ring, work.to - work.from, acc);
            T   *c    = (T *)g.c + row0 * g.ldc + col0;
            bool mine = work.to - work.from == work.per, aligned = (g.vector & 4) != 0, keep = !Four<T>::zero(g.beta);
            int  tile = work.tile - work.whole;
            T *part = flow_part<S>(g, blockIdx.x, !mine && blockIdx.x * work.all() / work.sharers() / work.per != tile);
            FlowTarget<T> to = {
                mine ? c : part,  mine ? g.ldc : S::BN, mine ? g.m - row0 : S::BM, mine ? g.n - col0 : S::BN,
                !mine || aligned, mine && keep,         mine ? alpha : T(1),       beta};
            flow_write<S>(to,
                          (T *)slices + S::BUFFERS * (Flow<S>::XB + Flow<S>::YB) / sizeof(T) +
                              threadIdx.x / 32 * Flow<S>::CHUNK,
                          acc);
            if (!mine && stream_last<S, Flow<S>::BARRIER>(g, work.all(), work.sharers(), work.per, tile, &said)) {
                FlowTarget<T> last = {c, g.ldc, g.m - row0, g.n - col0, aligned, keep, alpha, beta};
                flow_add<S>(g, last, work.all(), work.sharers(), work.per, tile);
            }
        }
    }
}

#define FLOW_KERNEL(name, body, shape, unroll)                                                                         \
    extern "C" __global__ void __launch_bounds__(Flow<shape>::LAUNCH, 1) name(const __grid_constant__ TensorArgs a)    \
    {                                                                                                                  \
        body<shape, unroll>(a);                                                                                        \
    }

#endif
