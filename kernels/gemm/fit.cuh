/* SPDX-License-Identifier: Apache-2.0
 *
 * Whole tiles of 120 x 160, for results that are as many of them as there are multiprocessors, or hardly fewer: 1920 x 1280 is 128.  No part
 * of a tile passes through memory, nobody waits for another block.
 *
 *   lanes     15 x 10 results: 25 words of shared memory for 150 multiplications (16 x 8: 24 for 128).
 *   groups    two of four warps: of each slice one multiplies the first half of the steps, the other one the rest.  At the end each leaves its sums of
 *             half of the rows to the other one in shared memory, adds those that it finds there to its own and writes them.
 *   turned    an aligned X along k comes as it lies, and four warps turn it (TURN), each 32 rows by its own boxes as in turn.cuh.  Eight rows by four
 *             steps are a matrix of ldmatrix: lane 4 r + l gets row r of step l, of four such matrices rows r, r + 8, r + 16, r + 24, and leaves them
 *             side by side with one access.  So a lane's rows are 8 apart.  136 words from step to step: lanes of four steps write to different banks.
 *   rows      any other X comes as k rows; a lane's 15 are three quads, a pair and a single one.
 *   reads     of the next step stand behind rows of this one (READS): ptxas at level 1 moves few of them.  X has one place in registers for both,
 *             since a row's element is not needed again, Y has two.
 *
 * Blocks go on to tiles a grid's width apart, the ring goes on from tile to tile.  Sums are added in an order that depends on the shape
 * alone.  Not here: tiles that are shared (even.cuh), Y along k (copied before).
 * Invariants: blockIdx.x is the only index. */
#ifndef WW_KERNELS_GEMM_FIT_CUH
#define WW_KERNELS_GEMM_FIT_CUH

#include "flow.h"

template <typename T_, bool TURN_> struct Fit {
    typedef T_                     T;
    typedef typename Four<T>::type V;
    enum {
        BM = 120, BN = 160, BK = 32, TM = 15, TN = 10,
        TURN        = TURN_,
        PITCH       = TURN ? 136 : BM, /* words from step to step of X's slice */
        XB          = BK * PITCH * 4,
        YB          = BK * BN * 4, /* bytes of a slice */
        BUFFERS     = TURN ? 3 : 4,
        GROUP       = 128, /* threads */
        MULTIPLIERS = 2 * GROUP,
        LAUNCH      = MULTIPLIERS + 128,
        STEPS       = BK / 2, /* of a slice, to a group */
        UNROLL      = 8,
        TURNERS     = 4,
        AHEAD       = 2, /* slices of X that are on their way, or there, before they are turned */
        BOX         = 32 * BK * 4,
        RAW         = TURN ? AHEAD * TURNERS * BOX : 0,
        BARS        = 2 * BUFFERS + (TURN ? TURNERS * AHEAD : 0),
        GIVE        = 72,
        TAKE        = 216, /* registers of warps that fetch and of those that multiply */
        HALF        = 8 /* rows of a lane that the first group writes */
    };
    unsigned xs, ys, full, empty, buffer, phase;

    /* Ends with all threads of the block past a barrier. */
    __device__ __forceinline__ void open(const void *slices, const Bar *bars)
    {
        xs     = shared_address(slices);
        ys     = xs + BUFFERS * XB;
        full   = shared_address(bars);
        empty  = full + BUFFERS * 8;
        buffer = 0;
        phase  = 0;
        if (threadIdx.x == 0) {
            for (int b = 0; b < BUFFERS; b++) {
                bar_init(full + b * 8, TURN ? 1 + TURNERS : 1);
                bar_init(empty + b * 8, MULTIPLIERS / 32);
            }
            for (int b = 2 * BUFFERS; b < BARS; b++)
                bar_init(full + b * 8, 1);
            asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        }
        __syncthreads();
    }

    __device__ __forceinline__ void next(void)
    {
        buffer = buffer + 1 == BUFFERS ? 0 : buffer + 1;
        phase ^= buffer == 0;
    }
};

/* bar_wait() of whole warps, which go on together. */
static __device__ __forceinline__ void fit_wait(unsigned bar, unsigned phase)
{
    asm volatile("{ .reg .pred p;\nagain: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@!p bra.uni again; }" ::"r"(bar),
                 "r"(phase)
                 : "memory");
}

/* ---- fetching ---------------------------------------------------------------------------------------------------- */

/* The slices of this block's tiles, one after the other. */
template <typename F> struct FitWalk {
    FlowGrid<F> grid;
    int         tile, k, end, row0, col0;

    __device__ __forceinline__ FitWalk(const GemmArgs &g)
        : grid(g.m, g.n), tile(blockIdx.x), k(0), end(g.k)
    {
        grid.place(tile, &row0, &col0);
    }

    __device__ __forceinline__ bool more(void) const { return tile < grid.tiles; }

    __device__ __forceinline__ void next(void)
    {
        k += F::BK;
        if (k < end)
            return;
        k = 0;
        tile += gridDim.x;
        if (more())
            grid.place(tile, &row0, &col0);
    }
};

/* One thread: both operands are k rows. */
template <typename F> static __device__ __forceinline__ void fit_order(F &ring, const TensorArgs &a)
{
    if (threadIdx.x != F::MULTIPLIERS)
        return;
    FitWalk<F> now(a.g);
    grid_turn();
#pragma unroll 1
    for (; now.more(); now.next()) {
        unsigned bar = ring.full + ring.buffer * 8;
        bar_sleep(ring.empty + ring.buffer * 8, ring.phase ^ 1);
        bar_expect(bar, F::XB + F::YB);
        box_copy(ring.xs + ring.buffer * F::XB, &a.x, now.row0, now.k, bar);
        box_copy(ring.ys + ring.buffer * F::YB, &a.y, now.col0, now.k, bar);
        ring.next();
    }
}

/* A warp that turns 32 rows.  raw: its boxes; bars: its barriers. */
template <typename F> struct FitTurner {
    typedef typename F::T T;
    unsigned              raw, bars, from, to, slot, phase;
    int                   warp;

    __device__ __forceinline__ FitTurner(const F &ring)
    {
        int lane = threadIdx.x % 32;
        asm("shfl.sync.idx.b32 %0, %1, 0, 31, 0xffffffff;" : "=r"(warp) : "r"(threadIdx.x / 32 % F::TURNERS)); /* known to be the warp's */
        raw      = ring.ys + F::BUFFERS * F::YB + warp * F::BOX;
        bars     = ring.full + (2 * F::BUFFERS + warp * F::AHEAD) * 8;
        from     = lane * 128 + (lane % 8 << 4); /* row `lane`, whose chunk c the copy has put in the place c ^ row % 8 */
        to       = (lane % 4 * F::PITCH + (warp * 8 + lane / 4) * 4) * (unsigned)sizeof(T);
        slot = phase = 0;
    }

    __device__ __forceinline__ void order(const GemmMap *x, const FitWalk<F> &next, int into) const
    {
        if (!elect_one())
            return;
        bar_expect(bars + into * 8, F::BOX);
        box_copy(raw + into * F::TURNERS * F::BOX, x, next.k, next.row0 + warp * 32, bars + into * 8);
    }

    __device__ __forceinline__ void turn(unsigned slice) const
    {
        enum { STEPS = 4 }; /* of a chunk */
        unsigned box = raw + slot * F::TURNERS * F::BOX + from, out = slice + to;
        bar_sleep(bars + slot * 8, phase);
#pragma unroll
        for (int c = 0; c < F::BK / STEPS; c++) { /* one by one: what multiplies reads in between */
            uint4 q;
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                         : "=r"(q.x), "=r"(q.y), "=r"(q.z), "=r"(q.w)
                         : "r"(box ^ c << 4)
                         : "memory");
            shared_store(out + c * STEPS * F::PITCH * 4, q);
        }
        __syncwarp();
    }

    __device__ __forceinline__ void next(void)
    {
        slot = slot + 1 == F::AHEAD ? 0 : slot + 1;
        phase ^= slot == 0;
    }
};

/* Four warps: X is turned; the first one orders Y too. */
template <typename F> static __device__ __forceinline__ void fit_turn(F &ring, const TensorArgs &a)
{
    FitTurner<F> t(ring);
    FitWalk<F>   now(a.g), next = now;
    grid_turn();
    for (int s = 0; s < F::AHEAD && next.more(); s++, next.next())
        t.order(&a.x, next, s);
#pragma unroll 1
    for (; now.more(); now.next()) {
        unsigned bar = ring.full + ring.buffer * 8;
        bar_sleep(ring.empty + ring.buffer * 8, ring.phase ^ 1);
        if (t.warp == 0 && elect_one()) {
            bar_expect(bar, F::YB);
            box_copy(ring.ys + ring.buffer * F::YB, &a.y, now.col0, now.k, bar);
        }
        t.turn(ring.xs + ring.buffer * F::XB);
        if (elect_one())
            bar_arrive(bar);
        if (next.more()) {
            t.order(&a.x, next, t.slot);
            next.next();
        }
        t.next();
        ring.next();
    }
}

/* ---- multiplying ------------------------------------------------------------------------------------------------- */

/* Four, two or one element from shared memory; two to it. */
#define FIT_ACCESS(T, type, bits)                                                                                      \
    static __device__ __forceinline__ void fit_load4(unsigned at, T *v)                                                \
    {                                                                                                                  \
        asm volatile("ld.shared.v4." type " {%0, %1, %2, %3}, [%4];"                                                   \
                     : "=" bits(v[0]), "=" bits(v[1]), "=" bits(v[2]), "=" bits(v[3])                                  \
                     : "r"(at)                                                                                         \
                     : "memory");                                                                                      \
    }                                                                                                                  \
    static __device__ __forceinline__ void fit_load2(unsigned at, T *v)                                                \
    {                                                                                                                  \
        asm volatile("ld.shared.v2." type " {%0, %1}, [%2];" : "=" bits(v[0]), "=" bits(v[1]) : "r"(at) : "memory");   \
    }                                                                                                                  \
    static __device__ __forceinline__ void fit_load1(unsigned at, T *v)                                                \
    {                                                                                                                  \
        asm volatile("ld.shared." type " %0, [%1];" : "=" bits(v[0]) : "r"(at) : "memory");                            \
    }                                                                                                                  \
    static __device__ __forceinline__ void fit_store2(unsigned at, T x, T y)                                           \
    {                                                                                                                  \
        asm volatile("st.shared.v2." type " [%0], {%1, %2};" ::"r"(at), bits(x), bits(y) : "memory");                  \
    }
FIT_ACCESS(float, "f32", "f")
FIT_ACCESS(unsigned, "u32", "r")

/* Where a lane is in its group's tile: of 8 down and 16 across. */
static __device__ __forceinline__ void fit_place(int *down, int *across)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    *down    = warp / 2 % 2 * 4 + lane_spread_row(lane);
    *across  = warp % 2 * 8 + lane_spread_column(lane);
}

/* The addresses of a lane's operands in one step; X's pair and single one where X is k rows. */
template <typename F> struct FitAt {
    unsigned x, y, y_pair, x_pair, x_one;

    __device__ __forceinline__ void go(unsigned to_x, unsigned to_y, int down, int across)
    {
        x      = to_x;
        y      = to_y;
        y_pair = y + 512 - across * 8;
        x_pair = F::TURN ? 0 : x + 384 - down * 8;
        x_one  = F::TURN ? 0 : x + 448 - down * 12;
    }

    /* Read number n of the step `step`: Y's quads and pair, X's quads and what is left of it. */
    __device__ __forceinline__ void read(int n, int step, typename F::T *vx, typename F::T *vy) const
    {
        unsigned dx = step * F::PITCH * 4, dy = step * F::BN * 4;
        if (n < 2)
            fit_load4(y + dy + n * 256, vy + n * 4);
        else if (n == 2)
            fit_load2(y_pair + dy, vy + 8);
        else if (n < 6 || (n == 6 && F::TURN))
            fit_load4(x + dx + (n - 3) * 128, vx + (n - 3) * 4);
        else if (n == 6) {
            fit_load2(x_pair + dx, vx + 12);
            fit_load1(x_one + dx, vx + 14);
        }
    }
};

/* One step, along one row of results and back along the next, and the reads of step `step`, each behind a row after which nobody needs what it replaces. */
template <typename F>
static __device__ __forceinline__ void fit_step(typename F::T *x, const typename F::T *y, typename F::T *next, const FitAt<F> &at, int step,
                                                typename F::T acc[F::TM][F::TN])
{
#pragma unroll
    for (int i = 0; i < F::TM; i++) {
#pragma unroll
        for (int e = 0; e < F::TN; e++) {
            int j = i % 2 ? F::TN - 1 - e : e;
            mul_add_here(x[i], y[j], &acc[i][j]);
        }
        constexpr int READS[2][7] = {{13, 13, 13, 12, 13, 11, 14}, {7, 10, 11, 11, 12, 13, 14}};
#pragma unroll
        for (int n = 0; n < 7; n++)
            if (READS[F::TURN][n] == i)
                at.read(n, step, x, next);
    }
}

/* acc = this group's part of the product.  Ends with all slices given back. */
template <typename F>
static __device__ __forceinline__ void fit_product(F &ring, int group, int count, typename F::T acc[F::TM][F::TN])
{
    typedef typename F::T T;
    int                   down, across;
    fit_place(&down, &across);
    unsigned x0 = ring.xs + (group * F::STEPS * F::PITCH + down * 4) * 4, y0 = ring.ys + (group * F::STEPS * F::BN + across * 4) * 4;
    FitAt<F> at;
    T        x[16], y[2][F::TN];
#pragma unroll
    for (int i = 0; i < F::TM; i++)
#pragma unroll
        for (int j = 0; j < F::TN; j++)
            acc[i][j] = T(0);
    at.go(x0 + ring.buffer * F::XB, y0 + ring.buffer * F::YB, down, across);
    bar_wait(ring.full + ring.buffer * 8, ring.phase);
#pragma unroll
    for (int n = 0; n < 7; n++)
        at.read(n, 0, x, y[0]);
#pragma unroll 1
    for (;;) {
        unsigned now = ring.buffer, was = ring.phase;
        ring.next();
        if (--count == 0) /* something that nobody writes */
            ring.buffer = now, ring.phase = was;
        fit_wait(ring.full + ring.buffer * 8, ring.phase);
        unsigned xn = x0 + ring.buffer * F::XB, yn = y0 + ring.buffer * F::YB;
#pragma unroll 1
        for (int u = F::STEPS / F::UNROLL; u > 0; u--) {
#pragma unroll
            for (int l = 0; l < F::UNROLL; l++) {
                bool last = l + 1 == F::UNROLL;
                if (last)
                    at.go(u == 1 ? xn : at.x + F::UNROLL * F::PITCH * 4, u == 1 ? yn : at.y + F::UNROLL * F::BN * 4, down, across);
                fit_step<F>(x, y[l % 2], y[1 - l % 2], at, last ? 0 : l + 1, acc);
            }
        }
        __syncwarp();
        if (elect_one())
            bar_arrive(ring.empty + now * 8);
        if (count == 0)
            break;
    }
    ring.next();
}

/* ---- C ----------------------------------------------------------------------------------------------------------- */

/* Rows [FIRST, LAST) of a lane's results, to and from shared memory: quads and pairs of the whole group side by side.  Neighbours are swapped: then
 * four results that are stored at once lie in registers of the other bank than the Y that changes. */
template <typename F, int FIRST, int LAST>
static __device__ __forceinline__ void fit_leave(unsigned at, const typename F::T acc[F::TM][F::TN])
{
    typedef typename F::V V;
    unsigned quad = at + threadIdx.x % F::GROUP * 16, pair = at + (LAST - FIRST) * 2 * F::GROUP * 16 + threadIdx.x % F::GROUP * 8;
#pragma unroll
    for (int i = FIRST; i < LAST; i++) {
        const typename F::T *r = acc[i];
        shared_store(quad + (i - FIRST) * 2 * F::GROUP * 16, V{r[1], r[0], r[3], r[2]});
        shared_store(quad + ((i - FIRST) * 2 + 1) * F::GROUP * 16, V{r[5], r[4], r[7], r[6]});
        fit_store2(pair + (i - FIRST) * F::GROUP * 8, r[9], r[8]);
    }
}

template <typename F, int FIRST, int LAST>
static __device__ __forceinline__ void fit_add(unsigned at, typename F::T acc[F::TM][F::TN])
{
    unsigned quad = at + threadIdx.x % F::GROUP * 16, pair = at + (LAST - FIRST) * 2 * F::GROUP * 16 + threadIdx.x % F::GROUP * 8;
#pragma unroll
    for (int i = FIRST; i < LAST; i++) {
        typename F::T v[F::TN];
        fit_load4(quad + (i - FIRST) * 2 * F::GROUP * 16, v);
        fit_load4(quad + ((i - FIRST) * 2 + 1) * F::GROUP * 16, v + 4);
        fit_load2(pair + (i - FIRST) * F::GROUP * 8, v + 8);
#pragma unroll
        for (int j = 0; j < F::TN; j++)
            acc[i][j] += v[j ^ 1];
    }
}

template <typename T> struct __attribute__((aligned(8))) FitPair {
    T x, y;
};

template <typename T>
static __device__ __forceinline__ void fit_put(const FlowTarget<T> &t, unsigned long long e, FitPair<T> v)
{
    FitPair<T> *out = (FitPair<T> *)(t.at + e), sum = {t.alpha * v.x, t.alpha * v.y};
    if (t.keep) {
        FitPair<T> old = *out;
        sum.x          = mul_add(t.beta, old.x, sum.x);
        sum.y          = mul_add(t.beta, old.y, sum.y);
    }
    *out = sum;
}

/* Straight from the registers: a warp's access is four rows of 128 bytes, or of 64. */
template <typename F, int FIRST, int LAST>
static __device__ __forceinline__ void fit_write(const FlowTarget<typename F::T> &t, const typename F::T acc[F::TM][F::TN])
{
    typedef typename F::T T;
    int                   down, across;
    fit_place(&down, &across);
#pragma unroll
    for (int i = FIRST; i < LAST; i++) {
        int row = F::TURN ? i * 8 + down : i < 12 ? i / 4 * 32 + down * 4 + i % 4 : i < 14 ? 96 + down * 2 + i - 12 : 112 + down;
        if (row >= t.rows)
            continue;
        unsigned long long e = row * t.ld;
#pragma unroll
        for (int j = 0; j < F::TN; j += 4) {
            int  n = j < 8 ? 4 : 2, col = j < 8 ? j * 16 + across * 4 : 128 + across * 2;
            bool whole = t.fast && col + n <= t.cols;
            if (whole && n == 4)
                t.put(e + col, typename F::V{acc[i][j], acc[i][j + 1], acc[i][j + 2], acc[i][j + 3]});
            else if (whole)
                fit_put(t, e + col, FitPair<T>{acc[i][j], acc[i][j + 1]});
            else
#pragma unroll
                for (int c = 0; c < n; c++)
                    if (col + c < t.cols)
                        t.put(e + col + c, acc[i][j + c]);
        }
    }
}

/* A barrier of the threads that multiply. */
template <typename F> static __device__ __forceinline__ void fit_meet(void)
{
    asm volatile("bar.sync 1, %0;" ::"n"((int)F::MULTIPLIERS) : "memory");
}

/* A group that writes the rows [FIRST, LAST) of each lane: leaves the others, [FROM, TO), at `give`, adds to its own what the other group
 * has left at `take`, and writes them.  more: another tile comes. */
template <typename F, int FIRST, int LAST, int FROM, int TO>
static __device__ __forceinline__ void fit_finish(const FlowTarget<typename F::T> &to, unsigned give, unsigned take, bool more,
                                                  typename F::T acc[F::TM][F::TN])
{
    fit_leave<F, FROM, TO>(give, acc);
    fit_meet<F>();
    fit_add<F, FIRST, LAST>(take, acc);
    if (more)
        fit_meet<F>();
    fit_write<F, FIRST, LAST>(to, acc);
}

template <typename F> static __device__ __forceinline__ void fit_multiply(F &ring, const GemmArgs &g)
{
    typedef typename F::T T;
    FlowGrid<F>           grid(g.m, g.n);
    int                   group = threadIdx.x / F::GROUP, count = (g.k + F::BK - 1) / F::BK;
    unsigned              others = ring.ys + F::BUFFERS * F::YB + F::RAW, firsts = others + (F::TM - F::HALF) * F::GROUP * F::TN * 4;
#pragma unroll 1
    for (int tile = blockIdx.x; tile < grid.tiles; tile += gridDim.x) {
        T   acc[F::TM][F::TN];
        int row0, col0;
        fit_product(ring, group, count, acc);
        grid.place(tile, &row0, &col0);
        bool          more = tile + (int)gridDim.x < grid.tiles;
        FlowTarget<T> to   = flow_target<T>(g, row0, col0);
        if (group == 0)
            fit_finish<F, 0, F::HALF, F::HALF, F::TM>(to, others, firsts, more, acc);
        else
            fit_finish<F, F::HALF, F::TM, 0, F::HALF>(to, firsts, others, more, acc);
    }
}

template <typename F> static __device__ __forceinline__ void fit_gemm(const TensorArgs &a)
{
    extern __shared__ __align__(1024) unsigned char slices[];
    __shared__ __align__(8) Bar bars[F::BARS];
    F                           ring;
    ring.open(slices, bars);
    if (threadIdx.x >= F::MULTIPLIERS) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"((int)F::GIVE));
        if (F::TURN)
            fit_turn(ring, a);
        else
            fit_order(ring, a);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"((int)F::TAKE));
        grid_turn();
        fit_multiply(ring, a.g);
    }
}

#define FIT_KERNEL(name, type, turn)                                                                                   \
    extern "C" __global__ void __launch_bounds__(384, 1) name(const __grid_constant__ TensorArgs a)                    \
    {                                                                                                                  \
        fit_gemm<Fit<type, turn> >(GRID_CONSTANT(name, TensorArgs, a));                                                \
    }

#endif
