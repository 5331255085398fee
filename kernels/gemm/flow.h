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

    /* arrivals: how many fill a slice, besides the bytes of its boxes.  more: barriers after these, for who orders; each takes one
     * arrival.  Ends with all threads of the block past a barrier. */
    __device__ __forceinline__ void open(const void *slices, const Bar *bars, int arrivals = 1, int more = 0)
    {
        xs     = shared_address(slices);
        ys     = xs + S::BUFFERS * XB;
        full   = shared_address(bars);
        empty  = full + S::BUFFERS * 8;
        buffer = 0;
        phase  = 0;
        if (threadIdx.x == 0) {
            for (int b = 0; b < S::BUFFERS; b++) {
                bar_init(full + b * 8, arrivals);
                bar_init(empty + b * 8, WARPS);
            }
            for (int b = 0; b < more; b++)
                bar_init(full + (2 * S::BUFFERS + b) * 8, 1);
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

/* The rows [from, to) of results, along one and back along the next, in this order for ptxas too. */
template <typename S>
static __device__ __forceinline__ void flow_multiply(const Fragment<S> &f, int from, int to,
                                                     typename S::type acc[S::TM][S::TN])
{
#pragma unroll
    for (int e = from * S::TN; e < to * S::TN; e++) {
        int i = e / S::TN, j = i % 2 ? S::TN - 1 - e % S::TN : e % S::TN;
        mul_add_here(f.x[i], f.y[j], &acc[i][j]);
    }
}

/* One step, and the reads of the next one after so many of its rows: Y's, half of X's, the others. */
template <typename S, int Y_AFTER, int X_AFTER, int X2_AFTER>
static __device__ __forceinline__ void flow_step(const Fragment<S> &f, Fragment<S> &next, unsigned xs, unsigned ys,
                                                 typename S::type acc[S::TM][S::TN])
{
    static_assert(S::TM == 16 && S::TN == 8, "16 rows of 8");
    flow_multiply<S>(f, 0, Y_AFTER, acc);
    next.read_y(ys, 0);
    next.read_y(ys, 1);
    flow_multiply<S>(f, Y_AFTER, X_AFTER, acc);
    next.read_x(xs, 0);
    next.read_x(xs, 1);
    flow_multiply<S>(f, X_AFTER, X2_AFTER, acc);
    next.read_x(xs, 2);
    next.read_x(xs, 3);
    flow_multiply<S>(f, X2_AFTER, S::TM, acc);
}

/* acc = the sum over `count` slices, at least one.  Ends with all of them given back.
 * SQUARES: two symmetric tiles of BM rows side by side, the left one of X's slice with itself, the right one of what lies where Y's
 * would, BM wide. */
template <typename S, int UNROLL, bool SQUARES = false, int Y_AFTER = 4, int X_AFTER = 8, int X2_AFTER = 12>
static __device__ __forceinline__ void flow_product(Flow<S> &ring, int count, typename S::type acc[S::TM][S::TN])
{
    typedef typename S::type T;
    enum { XROW = S::BM * sizeof(T), YROW = SQUARES ? XROW : S::BN * sizeof(T) };
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
                unsigned xr = xs + (l + 1) * XROW, yr = ys + (l + 1) * YROW;
                if (l + 1 == UNROLL) {
                    xs = xr = r == 1 ? xn : xs + UNROLL * XROW;
                    ys = yr = r == 1 ? yn : ys + UNROLL * YROW;
                }
                flow_step<S, Y_AFTER, X_AFTER, X2_AFTER>(f[l % 2], f[(l + 1) % 2], xr, yr, acc);
            }
        }
        ring.give_back(now);
        if (count == 0)
            break;
    }
}

/* Where a tile goes. */
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

/* The tile that begins at row0, col0. */
template <typename T> static __device__ __forceinline__ FlowTarget<T> flow_target(const GemmArgs &g, int row0, int col0)
{
    return {(T *)g.c + row0 * g.ldc + col0, g.ldc, g.m - row0, g.n - col0, (g.vector & 4) != 0, !Four<T>::zero(g.beta),
            Four<T>::from(g.alpha), Four<T>::from(g.beta)};
}

/* A warp's results pass through its part of shared memory, DOWN rows at a time, and leave in whole rows.  Four results that are
 * stored together lie in four neighbouring registers all through the loop, so each pair of columns is swapped: then a
 * result and the operand that changes lie in different banks.  EACH: rows not aligned that are read before the first is written (8 are 1 % faster
 * than 2 for even; flow's loop gets another order by them, 3 % slower). */
template <typename S, int EACH>
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
            enum { WIDE = S::WN / 32 };
#pragma unroll 1
            for (int r = 0; r < rows; r += EACH) {
                T one[EACH][WIDE];
#pragma unroll
                for (int n = 0; n < EACH * WIDE; n++)
                    one[n / WIDE][n % WIDE] = stage[(r + n / WIDE) * PITCH + n % WIDE * 32 + (lane ^ 1)];
#pragma unroll
                for (int n = 0; n < EACH * WIDE; n++)
                    if (r + n / WIDE < rows && col + n % WIDE * 32 + lane < t.cols)
                        t.put(base + (r + n / WIDE) * t.ld + n % WIDE * 32 + lane, one[n / WIDE][n % WIDE]);
            }
        }
    }
}

/* The tiles of C. */
template <typename S> struct FlowGrid {
    int down, across, tiles;

    __device__ __forceinline__ FlowGrid(int m, int n)
    {
        down   = (m + S::BM - 1) / S::BM;
        across = (n + S::BN - 1) / S::BN;
        tiles  = down * across;
    }

    __device__ __forceinline__ void place(int tile, int *row0, int *col0) const
    {
        int tm, tn;
        tile_order(tile, down, across, &tm, &tn);
        *row0 = tm * S::BM;
        *col0 = tn * S::BN;
    }

    __device__ __forceinline__ bool square(int) const { return false; }
};

/* Piece n of this block: a tile of G and which of its slices.  Found anew each time, from nothing that is kept: the loop over slices
 * wants the registers. */
template <typename S, typename G> struct FlowPiece {
    int tile, from, to, row0, col0;
    int per, shared; /* slices of a tile; this one's number among the tiles that are shared, negative: it is not */
    long long all, sharers; /* slices of those tiles; blocks that share them, no more than there are slices */
    bool      square;       /* two tiles on the diagonal, see ../aat/flow.cuh */

    __device__ __forceinline__ bool find(const GemmArgs &g, int n)
    {
        int m = g.m;
        asm volatile("" : "+r"(m)); /* else the compiler keeps all that follows from it */
        const G grid(m, g.n);
        int     rounds = grid.tiles / (int)gridDim.x;
        per            = (g.k + S::BK - 1) / S::BK;
        tile           = blockIdx.x + n * gridDim.x;
        from           = 0;
        to             = per;
        shared         = -1;
        if (n >= rounds) {
            int whole = rounds * gridDim.x;
            all       = (long long)(grid.tiles - whole) * per;
            sharers   = all < gridDim.x ? all : gridDim.x;
            if (blockIdx.x >= sharers)
                return false;
            long long at = blockIdx.x * all / sharers, stop = (blockIdx.x + 1) * all / sharers;
            shared = (int)(at / per) + n - rounds;
            stop -= (long long)shared * per;
            if (stop <= 0)
                return false;
            from = n == rounds ? (int)(at % per) : 0;
            to   = stop < per ? (int)stop : per;
            tile = whole + shared;
        }
        grid.place(tile, &row0, &col0);
        square = grid.square(tile);
        return true;
    }

    __device__ __forceinline__ bool cut(void) const { return to - from != per; }
};

/* What the other warps do for a product of two operands that lie as the ring wants them: one thread orders the boxes. */
template <typename S> struct FlowOrder {
    enum {
        ARRIVALS = 1, /* as Flow::open takes them */
        BARS     = 0,
        BYTES    = 0, /* of shared memory, after the ring */
        GIVE     = 40,
        TAKE     = 232, /* registers of warps that do this and of those that multiply */
        Y_AFTER  = 4,
        X_AFTER  = 8,
        X2_AFTER = 12 /* flow_step; where the loop is fastest, which differs with what ptxas makes of all else */
    };

    static __device__ __forceinline__ void run(const TensorArgs &a, Flow<S> &ring)
    {
        FlowPiece<S, FlowGrid<S>> p;
        if (threadIdx.x == S::THREADS)
            for (int n = 0; p.find(a.g, n); n++)
                ring.order(&a.x, &a.y, Flow<S>::XB + Flow<S>::YB, p.row0, p.col0, p.from, p.to);
    }
};

template <typename S, int UNROLL, typename O> static __device__ __forceinline__ void flow_run(const TensorArgs &a)
{
    typedef typename S::type T;
    extern __shared__ __align__(1024) unsigned char slices[];
    __shared__ __align__(8) Bar bars[2 * S::BUFFERS + O::BARS];
    __shared__ unsigned         said;
    const GemmArgs             &g = a.g;
    Flow<S>                     ring;
    ring.open(slices, bars, O::ARRIVALS, O::BARS);
    if (threadIdx.x >= S::THREADS) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"((int)O::GIVE));
        O::run(a, ring);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"((int)O::TAKE));
        T *stage =
            (T *)(slices + S::BUFFERS * (Flow<S>::XB + Flow<S>::YB) + O::BYTES) + threadIdx.x / 32 * Flow<S>::CHUNK;
        FlowPiece<S, FlowGrid<S>> p;
#pragma unroll 1
        for (int n = 0; p.find(g, n); n++) {
            T acc[S::TM][S::TN];
            flow_product<S, UNROLL, false, O::Y_AFTER, O::X_AFTER, O::X2_AFTER>(ring, p.to - p.from, acc);
            p.find(g, n);
            if (!p.cut() || stream_join<S, Flow<S>::BARRIER, 8>(g, p.all, p.sharers, p.per, p.shared, &said, acc))
                flow_write<S, 2>(flow_target<T>(g, p.row0, p.col0), stage, acc);
        }
    }
}

template <typename S, int UNROLL> static __device__ __forceinline__ void flow_gemm(const TensorArgs &a)
{
    flow_run<S, UNROLL, FlowOrder<S>>(a);
}

#define FLOW_KERNEL(name, body, shape, unroll)                                                                         \
    extern "C" __global__ void __launch_bounds__(Flow<shape>::LAUNCH, 1) name(const __grid_constant__ TensorArgs a)    \
    {                                                                                                                  \
        body<shape, unroll>(GRID_CONSTANT(name, TensorArgs, a));                                                       \
    }

#endif
