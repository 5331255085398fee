/* SPDX-License-Identifier: Apache-2.0
 *
 * The pipeline of flow.h on tiles of every size, with every block the same share of the work and no operand copied before.
 *
 *   fetching  a warpgroup of its own.  Operands that lie as k rows, aligned, come as boxes that one thread orders; an aligned X along k can
 *             be turned by its four warps (turn.cuh); all of it draws any other one word by word (drawn.cuh), its rows padded by 4
 *             words.  It walks the pieces and says what the others need to know
 *             of each: so many registers less for those, and with a single one spilled ptxas chooses worse banks for all.
 *   blocks    two a multiprocessor: one multiplies while the other stores.
 *   groups    of warps, where a tile is too small for four, share the steps of each slice; their sums meet in shared memory.
 *   shares    the tiles for which there is not a block each, and as many more as there are blocks, are laid end to end and cut into
 *             pieces of equal length along k, to 8 steps (16 with two groups): to a slice, some blocks had 4 % more than others at a k of
 *             1024.  Each block does the last tile of its share first and then whole tiles, a grid's
 *             width apart.  Who has the last slices of a tile adds the others' sums to his own.  Those are of blocks with lower
 *             numbers and mostly the first they did, so he hardly ever waits for them, and somebody can always go on.
 *
 *   join      four warps, one of each scheduler, leave or add up their half of a tile, and wait for the same four of the other blocks alone.
 *
 * Sums are added in an order that depends on the shape and the number of blocks alone, so every run gives the same bits.
 * Invariants: blockIdx.x is the only index; blocks begin in the order of their numbers. */
#ifndef WW_KERNELS_GEMM_EVEN_CUH
#define WW_KERNELS_GEMM_EVEN_CUH

#include "direct.cuh"
#include "drawn.cuh"
#include "turn.cuh"

enum { EVEN_FETCHERS = 128, EVEN_TURN = 4 };

/* DRAW: as in ring.cuh, or EVEN_TURN: X is turned. */
template <typename S, int GROUPS, int DRAW> struct Even {
    typedef typename S::type T;
    enum {
        XP          = S::BM + (DRAW & 1 ? 4 : 0),
        YP          = S::BN + (DRAW & 2 ? 4 : 0),
        XB          = S::BK * XP * 4,
        YB          = S::BK * YP * 4, /* words of a row; bytes of a slice */
        MULTIPLIERS = S::THREADS * GROUPS,
        LAUNCH      = MULTIPLIERS + EVEN_FETCHERS,
        PIECES =
            S::BUFFERS + 4, /* known at once: of the slices in the ring, of those on their way, and what is written */
        STEPS     = S::BK / GROUPS,
        UNROLL    = 8,
        UNIT      = UNROLL * GROUPS, /* steps of k; shares and pieces are whole ones */
        UNITS     = S::BK / UNIT,    /* of a slice; the last one of a piece may have fewer */
        TURN      = DRAW == EVEN_TURN,
        FILLERS   = TURN   ? 1 + FlowTurn<S>::TURNERS
                    : DRAW ? 1 + EVEN_FETCHERS
                           : 1,
        MORE_BARS = TURN ? FlowTurn<S>::BARS : 0,
        RAW       = TURN ? FlowTurn<S>::BYTES : 0, /* of shared memory after the ring */
        QUADS     = S::TM * S::TN / 4,
        Y_AFTER   = TURN ? 12 : 4,
        X_AFTER   = TURN ? 12 : 8,
        X2_AFTER  = 12, /* as in flow.h */
        STAGED    = 1,
        TAKEN     = 2,
        JOIN      = 3, /* and one for each further half: barriers */
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
                bar_init(full + b * 8, FILLERS);
                bar_init(empty + b * 8, MULTIPLIERS / 32);
            }
            for (int b = 0; b < MORE_BARS; b++)
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

    /* A warp: it needs buffer b no more. */
    __device__ __forceinline__ void give_back(unsigned b) const
    {
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            bar_arrive(empty + b * 8);
    }
};

/* ---- shares ------------------------------------------------------------------------------------------------------ */

/* What the warps that multiply need to know of a piece; the fetching ones leave it in shared memory before its first slice is full. */
struct EvenPiece {
    int row0, col0;
    int count; /* units; 0: there are no more pieces */
    int first; /* block from which on others share the tile's slices; -1: a later block adds up; this block's own: nobody shares */
    int tile, pad[3];
};

/* The pieces of a block one after the other: a tile and which of its slices.  Tiles [0, shared) are shared. */
template <typename S, typename Tiles = Rectangle, int UNIT = S::BK> struct EvenWork {
    enum { MOST = 1 << 21 }; /* units of a tile that is shared: all of them together can be counted */
    Tiles all;
    int   per, shared; /* units of a tile */
    int   each, more;  /* units of a share; so many shares have one more */
    int   at, stop; /* what is left of this block's share: of the shared tiles' units laid end to end; the last first */
    int   t, tile, from, to;

    __device__ __forceinline__ EvenWork(const GemmArgs &g)
    {
        all.template open<S>(g);
        per      = (g.k + UNIT - 1) / UNIT;
        int grid = gridDim.x, rest = all.tiles % grid, b = blockIdx.x;
        shared = rest == 0 || per > MOST ? 0 : all.tiles < grid ? all.tiles : rest + grid;
        each   = shared * per / grid;
        more   = shared * per - each * grid;
        at     = b * each + (b < more ? b : more);
        stop   = at + each + (b < more);
        t      = shared + b;
    }

    /* The block that has a slice. */
    __device__ __forceinline__ int owner(int slice) const
    {
        int long_ones = more * (each + 1);
        return slice < long_ones ? slice / (each + 1) : more + (slice - long_ones) / each;
    }

    __device__ __forceinline__ bool next(int *row0, int *col0)
    {
        int tm, tn;
        if (at < stop) {
            tile      = (stop - 1) / per;
            int begin = tile * per;
            from      = at > begin ? at - begin : 0;
            to        = stop - begin;
            stop      = begin + from;
        } else if (t < all.tiles) {
            tile = t;
            from = 0;
            to   = per;
            t += gridDim.x;
        } else {
            return false;
        }
        all.place(tile, &tm, &tn);
        *row0 = tm * S::BM;
        *col0 = tn * S::BN;
        return true;
    }

    /* One thread; more: there is this piece. */
    __device__ __forceinline__ void say(EvenPiece *p, bool more, int row0, int col0) const
    {
        p->row0  = row0;
        p->col0  = col0;
        p->count = more ? to - from : 0;
        p->first = to < per ? -1 : from > 0 ? owner(tile * per) : (int)blockIdx.x;
        p->tile  = tile;
    }
};

/* ---- the product ------------------------------------------------------------------------------------------------- */

/* acc = the sum over `count` slices, at least one.  Ends with all of them given back. */
template <typename S, int GROUPS, int DRAW>
static __device__ __forceinline__ void even_product(Even<S, GROUPS, DRAW> &ring, int group, int count,
                                                    typename S::type acc[S::TM][S::TN])
{
    typedef typename S::type      T;
    typedef Even<S, GROUPS, DRAW> E;
    static_assert(GROUPS == 1 || E::UNITS == 1, "with two groups a unit is a slice");
    enum {
        XROW   = E::XP * 4,
        YROW   = E::YP * 4,
        ACROSS = S::BN / S::WN,
    };
    int lane = threadIdx.x % 32, warp = threadIdx.x % S::THREADS / 32;
    int row = warp / ACROSS * S::WM + lane_spread_row(lane) * 4,
        col = warp % ACROSS * S::WN + lane_spread_column(lane) * 4;
#pragma unroll
    for (int i = 0; i < S::TM; i++)
#pragma unroll
        for (int j = 0; j < S::TN; j++)
            acc[i][j] = T(0);
    unsigned x0 = ring.xs + (group * E::STEPS * E::XP + row) * 4, y0 = ring.ys + (group * E::STEPS * E::YP + col) * 4;
    unsigned xs = x0 + ring.buffer * E::XB, ys = y0 + ring.buffer * E::YB;
    Fragment<S> f[2];
    bar_wait(ring.full + ring.buffer * 8, ring.phase);
    f[0].read(xs, ys);
#pragma unroll 1
    for (;;) {
        unsigned now = ring.buffer, xn = xs, yn = ys; /* after the last slice: something that nobody writes */
        int      units = count < E::UNITS ? count : E::UNITS;
        ring.next();
        count -= units;
        if (count > 0) {
            bar_wait(ring.full + ring.buffer * 8, ring.phase);
            xn = x0 + ring.buffer * E::XB;
            yn = y0 + ring.buffer * E::YB;
        }
#pragma unroll 1
        for (; units > 0; units--) {
#pragma unroll
            for (int l = 0; l < E::UNROLL; l++) {
                unsigned xr = xs + (l + 1) * XROW, yr = ys + (l + 1) * YROW;
                if (l + 1 == E::UNROLL) {
                    xs = xr = units == 1 ? xn : xs + E::UNROLL * XROW;
                    ys = yr = units == 1 ? yn : ys + E::UNROLL * YROW;
                }
                flow_step<S, E::Y_AFTER, E::X_AFTER, E::X2_AFTER>(f[l % 2], f[(l + 1) % 2], xr, yr, acc);
            }
        }
        ring.give_back(now);
        if (count == 0)
            break;
    }
}

static __device__ __forceinline__ int even_word(const int *p)
{
    int v;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(shared_address(p)) : "memory");
    return v;
}

/* n more; all that the threads wrote before their last barrier is seen by who sees this. */
static __device__ __forceinline__ void even_tell(unsigned *p, unsigned n = 1)
{
    asm volatile("{ .reg .u64 g; cvta.to.global.u64 g, %0; red.release.gpu.global.add.u32 [g], %1; }" ::"l"(p), "r"(n)
                 : "memory");
}

static __device__ __forceinline__ unsigned even_seen(const unsigned *p)
{
    unsigned v;
    asm volatile("{ .reg .u64 g; cvta.to.global.u64 g, %1; ld.acquire.gpu.global.u32 %0, [g]; }"
                 : "=r"(v)
                 : "l"(p)
                 : "memory");
    return v;
}

/* acc += a partial tile, AT_ONCE of its quads under way at once. */
template <typename S>
static __device__ __forceinline__ void even_add(const uint4 *p, typename S::type acc[S::TM][S::TN])
{
    typedef Four<typename S::type> F;
    enum { QUADS = S::TM * S::TN / 4, AT_ONCE = 8 };
#pragma unroll
    for (int first = 0; first < QUADS; first += AT_ONCE) {
        uint4 v[AT_ONCE];
#pragma unroll
        for (int q = 0; q < AT_ONCE; q++)
            v[q] = load_past_l1(p + (first + q) * S::THREADS);
#pragma unroll
        for (int q = 0; q < AT_ONCE; q++) {
            partial_result<S>(first + q, 0, acc) += F::from(v[q].x);
            partial_result<S>(first + q, 1, acc) += F::from(v[q].y);
            partial_result<S>(first + q, 2, acc) += F::from(v[q].z);
            partial_result<S>(first + q, 3, acc) += F::from(v[q].w);
        }
    }
}

/* A piece of a tile that others share.  Who has the last slices adds up all, his own first, then in the order of k; the others, all
 * of them blocks of lower numbers, leave their sums in the workspace.  Each four warps have half of the tile's counter.  True: acc is the whole sum. */
template <typename S, int BARRIER>
static __device__ __forceinline__ bool even_join(const GemmArgs &g, const EvenPiece *piece,
                                                 typename S::type acc[S::TM][S::TN])
{
    enum { FOUR = S::THREADS < 128 ? S::THREADS : 128, BITS = 16, LEAST = (1 << BITS) - 1 };
    static_assert(S::THREADS <= 2 * FOUR, "halves of a counter");
    int       first = even_word(&piece->first), others = (int)blockIdx.x - first, half = threadIdx.x / FOUR;
    unsigned *count = (unsigned *)g.count + even_word(&piece->tile);
    if (first >= 0 && others == 0)
        return true;
    if (first < 0) {
        partial_store<S>(partial_tile<S>(g, blockIdx.x), acc);
    } else if (threadIdx.x % FOUR == 0) {
        while ((even_seen(count) >> half * BITS & LEAST) < (unsigned)others)
            asm volatile("nanosleep.u32 20;");
        add(count, 0U - ((unsigned)others << half * BITS));
    }
    asm volatile("bar.sync %0, %1;" ::"r"(BARRIER + half), "n"((int)FOUR) : "memory");
    if (first < 0) {
        if (threadIdx.x % FOUR == 0)
            even_tell(count, 1U << half * BITS);
        return false;
    }
    for (int b = first; b < (int)blockIdx.x; b++)
        even_add<S>(partial_tile<S>(g, b), acc);
    return true;
}

/* The first group's acc = the sum over all groups.  stage: QUADS vectors a thread of each other group. */
template <typename S, int GROUPS, int DRAW>
static __device__ __forceinline__ void even_fold(typename S::type *stage, int group, typename S::type acc[S::TM][S::TN])
{
    typedef typename S::type       T;
    typedef typename Four<T>::type V;
    typedef Even<S, GROUPS, DRAW>  E;
    V                             *at = (V *)stage + threadIdx.x % S::THREADS;
    if (group > 0) {
        asm volatile("bar.sync %0, %1;" ::"n"((int)E::TAKEN), "n"((int)E::MULTIPLIERS) : "memory");
#pragma unroll
        for (int q = 0; q < E::QUADS; q++) {
            V v = {partial_result<S>(q, 0, acc), partial_result<S>(q, 1, acc), partial_result<S>(q, 2, acc),
                   partial_result<S>(q, 3, acc)};
            shared_store(shared_address(at) + ((group - 1) * E::QUADS + q) * S::THREADS * 16, v);
        }
        asm volatile("bar.arrive %0, %1;" ::"n"((int)E::STAGED), "n"((int)E::MULTIPLIERS) : "memory");
    } else {
        asm volatile("bar.sync %0, %1;" ::"n"((int)E::STAGED), "n"((int)E::MULTIPLIERS) : "memory");
#pragma unroll
        for (int e = 0; e < GROUPS - 1; e++)
#pragma unroll
            for (int q = 0; q < E::QUADS; q++) {
                V v;
                shared_load(shared_address(at) + (e * E::QUADS + q) * S::THREADS * 16, &v);
                partial_result<S>(q, 0, acc) += v.x;
                partial_result<S>(q, 1, acc) += v.y;
                partial_result<S>(q, 2, acc) += v.z;
                partial_result<S>(q, 3, acc) += v.w;
            }
        asm volatile("bar.arrive %0, %1;" ::"n"((int)E::TAKEN), "n"((int)E::MULTIPLIERS) : "memory");
    }
}

/* The warpgroup that fetches: the slices of one piece after the other.  One thread orders boxes; where an operand is drawn, all take part. */
template <typename S, int GROUPS, int DRAW>
static __device__ __forceinline__ void even_fetch(Even<S, GROUPS, DRAW> &ring, const TensorArgs &a, EvenPiece *pieces)
{
    typedef Even<S, GROUPS, DRAW>             E;
    const GemmArgs                           &g = a.g;
    EvenWork<S, Rectangle, E::UNIT>           work(g);
    Drawn<S::BM, S::BK, E::XP, EVEN_FETCHERS> x;
    Drawn<S::BN, S::BK, E::YP, EVEN_FETCHERS> y;
    int                                       row0, col0;
    bool                                      more = true;
    if (DRAW == 0 && threadIdx.x != E::MULTIPLIERS)
        return;
#pragma unroll 1
    for (int n = 0; more; n = n + 1 == E::PIECES ? 0 : n + 1) {
        more = work.next(&row0, &col0);
        if (!more)
            work.from = 0, work.to = 1;
        if (DRAW & 1)
            x.open(g.x, g.x_row, g.x_col, row0, g.m, work.from * E::UNIT, g.k);
        if (DRAW & 2)
            y.open(g.y, g.y_col, g.y_row, col0, g.n, work.from * E::UNIT, g.k);
#pragma unroll 1
        for (int s = work.from; s < work.to; s += E::UNITS) {
            unsigned bar = ring.full + ring.buffer * 8, xs = ring.xs + ring.buffer * E::XB,
                     ys = ring.ys + ring.buffer * E::YB;
            bar_sleep(ring.empty + ring.buffer * 8, ring.phase ^ 1);
            if (threadIdx.x == E::MULTIPLIERS) {
                if (s == work.from)
                    work.say(pieces + n, more, row0, col0);
                if (!more || DRAW == 3)
                    bar_arrive(bar);
                else
                    bar_expect(bar, (DRAW & 1 ? 0 : E::XB) + (DRAW & 2 ? 0 : E::YB));
                if (more && !(DRAW & 1))
                    box_copy(xs, &a.x, row0, s * E::UNIT, bar);
                if (more && !(DRAW & 2))
                    box_copy(ys, &a.y, col0, s * E::UNIT, bar);
            }
            if (more && (DRAW & 1))
                x.draw(xs);
            if (more && (DRAW & 2))
                y.draw(ys);
            if (DRAW)
                draw_arrive(bar);
            ring.next();
        }
    }
    if (DRAW)
        asm volatile("cp.async.wait_all;" ::: "memory");
}

/* A slice on its way: its first step and its columns of Y.  k negative: there are no more. */
struct EvenSlice {
    int k, col;
};

/* One warp of even_turn(): orders its box of the next slice into the place that it has just turned, or one that was never used. */
template <typename S, int GROUPS>
static __device__ __forceinline__ void
even_ask(const TensorArgs &a, EvenWork<S, Rectangle, Even<S, GROUPS, EVEN_TURN>::UNIT> &work,
         const typename FlowTurn<S>::Turner &t, int slot, EvenPiece *pieces, int *n, int *row0, EvenSlice *next)
{
    typedef Even<S, GROUPS, EVEN_TURN> E;
    if (work.from >= work.to) {
        bool more = work.next(row0, &next->col);
        if (threadIdx.x == E::MULTIPLIERS)
            work.say(pieces + *n, more, *row0, next->col);
        *n = *n + 1 == E::PIECES ? 0 : *n + 1;
        if (!more) {
            next->k = -1;
            return;
        }
    }
    next->k = work.from * E::UNIT;
    if (threadIdx.x % 32 == 0)
        t.order(&a.x, next->k, *row0, slot);
    work.from += E::UNITS;
}

/* The same where X is contiguous along k, aligned: four warps turn it as in turn.cuh, each after its own boxes. */
template <typename S, int GROUPS>
static __device__ __forceinline__ void even_turn(Even<S, GROUPS, EVEN_TURN> &ring, const TensorArgs &a,
                                                 EvenPiece *pieces)
{
    typedef Even<S, GROUPS, EVEN_TURN> E;
    static_assert(FlowTurn<S>::AHEAD == 2, "the slice that is turned, and the one after it");
    typename FlowTurn<S>::Turner    t(ring.ys + S::BUFFERS * E::YB, ring.full + 2 * S::BUFFERS * 8);
    EvenWork<S, Rectangle, E::UNIT> work(a.g);
    int                             n = 0, row0 = 0;
    EvenSlice                       now, next   = {0, 0};
    work.from = work.to = 0;
    even_ask<S, GROUPS>(a, work, t, 0, pieces, &n, &row0, &next);
    now = next;
    if (next.k >= 0)
        even_ask<S, GROUPS>(a, work, t, 1, pieces, &n, &row0, &next);
#pragma unroll 1
    for (;;) {
        unsigned bar = ring.full + ring.buffer * 8;
        bar_sleep(ring.empty + ring.buffer * 8, ring.phase ^ 1);
        if (now.k < 0)
            break;
        if (threadIdx.x == E::MULTIPLIERS) {
            bar_expect(bar, E::YB);
            box_copy(ring.ys + ring.buffer * E::YB, &a.y, now.col, now.k, bar);
        }
        t.turn(ring.xs + ring.buffer * E::XB);
        if (threadIdx.x % 32 == 0)
            bar_arrive(bar);
        now = next;
        if (next.k >= 0)
            even_ask<S, GROUPS>(a, work, t, t.slot, pieces, &n, &row0, &next);
        t.next();
        ring.next();
    }
    if (threadIdx.x % 32 == 0)
        bar_arrive(ring.full + ring.buffer * 8);
    if (threadIdx.x == E::MULTIPLIERS)
        bar_arrive(ring.full + ring.buffer * 8);
}

template <typename S, int GROUPS, int DRAW> struct EvenFetch {
    static __device__ __forceinline__ void run(Even<S, GROUPS, DRAW> &ring, const TensorArgs &a, EvenPiece *pieces)
    {
        even_fetch<S, GROUPS, DRAW>(ring, a, pieces);
    }
};
template <typename S, int GROUPS> struct EvenFetch<S, GROUPS, EVEN_TURN> {
    static __device__ __forceinline__ void run(Even<S, GROUPS, EVEN_TURN> &ring, const TensorArgs &a, EvenPiece *pieces)
    {
        even_turn<S, GROUPS>(ring, a, pieces);
    }
};

/* A tile whose rows are aligned to 16 bytes and end after four results that are written together (tensor_run sees to it), straight from the
 * registers: a warp's access is four rows of 128 bytes. */
template <typename S>
static __device__ __forceinline__ void even_write(const FlowTarget<typename S::type> &t,
                                                  const typename S::type              acc[S::TM][S::TN])
{
    typedef typename Four<typename S::type>::type V;
    int                                           lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int                                           row = warp / (S::BN / S::WN) * S::WM + lane_spread_row(lane) * 4,
        col                                           = warp % (S::BN / S::WN) * S::WN + lane_spread_column(lane) * 4;
#pragma unroll
    for (int i = 0; i < S::TM; i++) {
        int                r = row + i / 4 * S::DOWN + i % 4;
        unsigned long long e = r * t.ld + col;
#pragma unroll
        for (int j = 0; j < S::TN; j += 4)
            if (r < t.rows && col + j / 4 * S::ACROSS < t.cols)
                t.put(e + j / 4 * S::ACROSS, V{acc[i][j], acc[i][j + 1], acc[i][j + 2], acc[i][j + 3]});
    }
}

/* The others. */
template <typename S, int GROUPS, int DRAW>
static __device__ __forceinline__ void even_multiply(Even<S, GROUPS, DRAW> &ring, const GemmArgs &g,
                                                     const EvenPiece *pieces, typename S::type *stage)
{
    typedef typename S::type      T;
    typedef Even<S, GROUPS, DRAW> E;
    int                           group = threadIdx.x / S::THREADS;
    if (GROUPS > 1 && group == 0)
        asm volatile("bar.arrive %0, %1;" ::"n"((int)E::TAKEN), "n"((int)E::MULTIPLIERS) : "memory");
#pragma unroll 1
    for (const EvenPiece *p = pieces;; p = p + 1 == pieces + E::PIECES ? pieces : p + 1) {
        T acc[S::TM][S::TN];
        bar_wait(ring.full + ring.buffer * 8, ring.phase);
        int count = even_word(&p->count);
        if (count == 0)
            break;
        even_product<S, GROUPS, DRAW>(ring, group, count, acc);
        if (GROUPS > 1)
            even_fold<S, GROUPS, DRAW>(stage + S::THREADS / 32 * Flow<S>::CHUNK, group, acc);
        if (group > 0 || !even_join<S, E::JOIN>(g, p, acc))
            continue;
        FlowTarget<T> to = flow_target<T>(g, even_word(&p->row0), even_word(&p->col0));
        if (to.fast)
            even_write<S>(to, acc);
        else
            flow_write<S, 8>(to, stage + threadIdx.x / 32 * Flow<S>::CHUNK, acc);
    }
    if (GROUPS > 1 && group > 0) /* so that nobody has arrived for nothing */
        asm volatile("bar.sync %0, %1;" ::"n"((int)E::TAKEN), "n"((int)E::MULTIPLIERS) : "memory");
}

template <typename S, int GROUPS, int DRAW, int FETCH, int MULTIPLY>
static __device__ __forceinline__ void even_gemm(const TensorArgs &a)
{
    typedef typename S::type      T;
    typedef Even<S, GROUPS, DRAW> E;
    extern __shared__ __align__(1024) unsigned char slices[];
    __shared__ __align__(8) Bar bars[2 * S::BUFFERS + E::MORE_BARS];
    __shared__ EvenPiece        pieces[E::PIECES];
    E                           ring;
    ring.open(slices, bars);
    if (threadIdx.x >= E::MULTIPLIERS) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(FETCH));
        EvenFetch<S, GROUPS, DRAW>::run(ring, a, pieces);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(MULTIPLY));
        even_multiply<S, GROUPS, DRAW>(ring, a.g, pieces, (T *)slices + (S::BUFFERS * (E::XB + E::YB) + E::RAW) / 4);
    }
}

#define EVEN_KERNEL(name, shape, groups, draw, blocks, fetch, multiply)                                                \
    extern "C" __global__ void __launch_bounds__(Even<shape, groups, draw>::LAUNCH, blocks)                            \
        name(const __grid_constant__ TensorArgs a)                                                                     \
    {                                                                                                                  \
        even_gemm<shape, groups, draw, fetch, multiply>(GRID_CONSTANT(name, TensorArgs, a));                           \
    }
/* An operand by tensor copies (b) or drawn (d); of integers, which have faster ways, only the first. */
#define EVEN_KERNELS(name, floats, ints, groups, blocks, fetch, multiply)                                              \
    EVEN_KERNEL(name##_f32_bb, floats, groups, 0, blocks, fetch, multiply)                                             \
    EVEN_KERNEL(name##_f32_db, floats, groups, 1, blocks, fetch, multiply)                                             \
    EVEN_KERNEL(name##_f32_bd, floats, groups, 2, blocks, fetch, multiply)                                             \
    EVEN_KERNEL(name##_f32_dd, floats, groups, 3, blocks, fetch, multiply)                                             \
    EVEN_KERNEL(name##_i32_bb, ints, groups, 0, blocks, fetch, multiply)

#endif
