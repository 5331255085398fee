/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of bf16 or fp16 operands with float sums by the tensor cores of sm_90a, where there are few tiles, or lines that begin anywhere.
 *
 *   blocks      one warpgroup multiplies 64 x BN results (wgmma m64n<BN>k16), another draws the operands: slices of 64 of k.
 *   cluster     its blocks have the same tile and share out k.  Each leaves its sums in its shared memory; then each adds up and writes some of the
 *               tile's rows, the parts in their order: the same bits in every run.
 *   slices      a ring of args.stages; where there are fewer blocks than multiprocessors, as many as fit: all of k under way at once.
 *   operands    come by tensor copies where they can; else all four warps read them where they lie, in accesses as wide as their lines'
 *               alignment allows (args.x_grain, args.y_grain bytes; 0: tensor copies), or each warp whole slices where those are single elements.
 *               What is outside is zero.  A slice is boxes of 64 lines of 128 bytes, whichever index is contiguous, swizzled as tensor copies do.
 *   A * A^T     tiles on and under the diagonal, each result written in both directions. */
#ifndef WW_KERNELS_GEMM_HALF_JOINED_CUH
#define WW_KERNELS_GEMM_HALF_JOINED_CUH

#include "boxes.h"
#include "half_drawn.cuh"
#include "ring.cuh"

template <int BN_, int XN_, int YN_, int BRAIN_, int SYM_> struct JoinedShape {
    enum {
        BN = BN_, XN = XN_, YN = YN_, /* XN, YN: the operand does not lie along k */
        BRAIN = BRAIN_,               /* bf16, else fp16 */
        SYM = SYM_, ENDS = !SYM_, SHARES = 0, /* blocks of a cluster share operands */
        BM = 64, BK = HALF_SLICE, RESULTS = BN / 2, BOX = 64 * 128, X = BM * BK * 2, SLICE = X + BN * BK * 2,
        PITCH = BN + 8, /* floats: eight lanes' pairs of a row, four rows of a warp, on all banks */
    };
};

/* ---- operands ------------------------------------------------------------------------------------------------------ */

/* How many slices' copies of a warp may be on their way before it waits for the first of them: two fewer than the ring has buffers, since a
 * buffer becomes free when the slice behind its own is multiplied. */
static __device__ __forceinline__ int draws_far(int stages)
{
    return stages >= 9 ? 7 : stages >= 6 ? 4 : 2;
}

struct JoinedPlace {
    int row, col, first, end; /* of the first result; slices */
};

template <typename S> static __device__ __forceinline__ JoinedPlace joined_place(const GemmArgs &g)
{
    int all = cluster_size(), rank = cluster_rank(), t = blockIdx.x / all, slices = (g.k + S::BK - 1) / S::BK;
    int i = 0, j = t;
    if (S::SYM) { /* tile i * (i + 1) / 2 + j, j <= i */
        for (; j > i; i++)
            j -= i + 1;
    } else {
        int down = (g.m + S::BM - 1) / S::BM;
        i        = t % down;
        j        = t / down;
    }
    return {i * S::BM, j * S::BN, (int)((long long)slices * rank / all), (int)((long long)slices * (rank + 1) / all)};
}

struct JoinedRing {
    unsigned slices, full, empty; /* shared addresses */
    unsigned buffer, phase, stages;
};

static __device__ __forceinline__ void ring_on(JoinedRing *r)
{
    r->buffer = r->buffer + 1 == r->stages ? 0 : r->buffer + 1;
    r->phase ^= r->buffer == 0;
}

/* How many bytes of a slice's operands tensor copies bring: what is outside does not come (half.cuh), and is zero from the beginning. */
struct JoinedBoxes {
    int x, y;
};

template <typename S> static __device__ __forceinline__ JoinedBoxes joined_boxes(const HalfArgs &a, const JoinedPlace &p)
{
    enum { LINE = 128, Y = S::SLICE - S::X };
    int rows = a.g.m - p.row, columns = a.g.n - p.col;
    return {S::XN || rows >= S::BM ? S::X : a.x_rest * LINE,
            S::YN            ? at_most((columns + 63) / 64, S::BN / 64) * S::BOX
            : columns >= S::BN ? Y
                               : a.y_rest * LINE};
}

/* What tensor copies bring of a slice, ordered by one thread. */
template <typename S>
static __device__ __forceinline__ void order_slice(const HalfArgs &a, const JoinedPlace &p, const JoinedBoxes &b, const JoinedRing &r, int k)
{
    unsigned to = r.slices + r.buffer * S::SLICE, full = r.full + r.buffer * 8;
    bar_expect(full, (a.x_grain ? 0 : b.x) + (a.y_grain ? 0 : b.y));
    if (!a.x_grain)
        box_copy(to, b.x == S::X ? &a.x : &a.x_edge, S::XN ? p.row : k, S::XN ? k : p.row, full);
    if (a.y_grain)
        return;
    if (S::YN) {
#pragma unroll
        for (int i = 0; i < S::BN / 64; i++)
            if (i * S::BOX < b.y)
                box_copy(to + S::X + i * S::BOX, &a.y, p.col + i * 64, k, full);
    } else {
        box_copy(to + S::X, b.y == S::SLICE - S::X ? &a.y : &a.y_edge, k, p.col, full);
    }
}

/* What tensor copies leave out, by the warps that multiply. */
template <typename S> static __device__ __forceinline__ void zero_edges(const HalfArgs &a, const JoinedPlace &p, const JoinedRing &r)
{
    JoinedBoxes b = joined_boxes<S>(a, p);
    bool        x = !a.x_grain && b.x < S::X, y = !a.y_grain && b.y < S::SLICE - S::X;
    if (!x && !y)
        return;
    for (int i = 0; i < at_most(p.end - p.first, r.stages); i++) {
        if (x)
            zero_bytes(r.slices + i * S::SLICE, b.x, S::X, threadIdx.x, WARPGROUP);
        if (y)
            zero_bytes(r.slices + i * S::SLICE, S::X + b.y, S::SLICE, threadIdx.x, WARPGROUP);
    }
    fence_async();
    warpgroup_barrier(1);
}

/* One thread orders all slices. */
template <typename S> static __device__ __forceinline__ void order_slices(const HalfArgs &a, const JoinedPlace &p, JoinedRing r)
{
    JoinedBoxes b = joined_boxes<S>(a, p);
    for (int s = p.first; s < p.end; s++) {
        bar_wait(r.empty + r.buffer * 8, r.phase ^ 1);
        order_slice<S>(a, p, b, r, s * S::BK);
        ring_on(&r);
    }
}

struct JoinedLines {
    HalfLines x, y;
};

template <typename S> static __device__ __forceinline__ JoinedLines joined_lines(const GemmArgs &g)
{
    unsigned long long z = blockIdx.z;
    return {{(const unsigned short *)g.x + z * g.x_batch, S::XN ? g.x_col : g.x_row, S::XN ? g.k : g.m, S::XN ? g.m : g.k},
            {(const unsigned short *)g.y + z * g.y_batch, S::YN ? g.y_row : g.y_col, S::YN ? g.k : g.n, S::YN ? g.n : g.k}};
}

/* Where an operand is drawn an element at a time, each warp draws whole slices, four of them at once: a slice takes several times as long to come as to draw.
 * All four draw each where there are fewer. */
static __device__ __forceinline__ bool draws_alone(const HalfArgs &a, const JoinedPlace &p)
{
    return (a.x_grain == 2 || a.y_grain == 2) && p.end - p.first >= WARPGROUP / 32;
}

template <typename S> static __device__ __forceinline__ void draw_whole_slices(const HalfArgs &a, const JoinedPlace &p, JoinedRing r)
{
    enum { WARPS = WARPGROUP / 32 };
    JoinedLines l = joined_lines<S>(a.g);
    JoinedBoxes b = joined_boxes<S>(a, p);
    int         warp = threadIdx.x / 32 % WARPS;
    for (int s = p.first; s < p.end; s++) {
        if ((s - p.first) % WARPS == warp) {
            unsigned to = r.slices + r.buffer * S::SLICE;
            bar_wait(r.empty + r.buffer * 8, r.phase ^ 1);
            if ((!a.x_grain || !a.y_grain) && threadIdx.x % 32 == 0)
                order_slice<S>(a, p, b, r, s * S::BK);
            if (a.x_grain)
                draw_operand<S::BM, S::XN, 32>(to, l.x, a.x_grain, p.row, s * S::BK);
            if (a.y_grain)
                draw_operand<S::BN, S::YN, 32>(to + S::X, l.y, a.y_grain, p.col, s * S::BK);
            asm volatile("cp.async.commit_group;" ::: "memory");
            draws_wait<0>();
            __syncwarp();
            if (threadIdx.x % 32 == 0)
                bar_arrive(r.full + r.buffer * 8);
        }
        ring_on(&r);
    }
}

/* The warps that bring slices of which they draw some.  An mbarrier of a full buffer is told by the thread that orders copies and by each warp that draws. */
template <typename S> static __device__ __forceinline__ void draw_slices(const HalfArgs &a, const JoinedPlace &p, JoinedRing r)
{
    JoinedLines        l = joined_lines<S>(a.g);
    bool               orders = (!a.x_grain || !a.y_grain) && threadIdx.x == WARPGROUP;
    int                far = draws_far(r.stages);
    JoinedRing         told = r;
    JoinedBoxes        b = joined_boxes<S>(a, p);
    for (int s = p.first; s < p.end + far; s++) {
        if (s < p.end) {
            bar_wait(r.empty + r.buffer * 8, r.phase ^ 1);
            unsigned to = r.slices + r.buffer * S::SLICE;
            if (orders)
                order_slice<S>(a, p, b, r, s * S::BK);
            if (a.x_grain)
                draw_operand<S::BM, S::XN>(to, l.x, a.x_grain, p.row, s * S::BK);
            if (a.y_grain)
                draw_operand<S::BN, S::YN>(to + S::X, l.y, a.y_grain, p.col, s * S::BK);
            asm volatile("cp.async.commit_group;" ::: "memory");
            ring_on(&r);
        }
        if (s - p.first >= far && s - far < p.end) {
            draws_come(s < p.end ? far : p.end - 1 - (s - far));
            __syncwarp();
            if (threadIdx.x % 32 == 0)
                bar_arrive(told.full + told.buffer * 8);
            ring_on(&told);
        }
    }
}

/* ---- products ------------------------------------------------------------------------------------------------------ */

/* Those that bring slices are told of each that was read: this block's, or all of the cluster's. */
template <typename S> static __device__ __forceinline__ void multiply_slices(int all, JoinedRing r, bool drawn, float (&d)[S::RESULTS])
{
    enum { X_STEP = S::XN ? 16 * 128 / 16 : 2, Y_STEP = S::YN ? 16 * 128 / 16 : 2 }; /* 16 of k, in 16 bytes */
    unsigned before = r.stages, blocks = S::SHARES ? cluster_size() : 1;
#pragma unroll
    for (int i = 0; i < S::RESULTS; i++) /* there may be fewer slices than blocks */
        d[i] = 0;
    for (int s = 0; s < all; s++) {
        unsigned at = r.slices + r.buffer * S::SLICE;
        bar_wait(r.full + r.buffer * 8, r.phase);
        if (drawn)
            fence_async();
        unsigned long long x = wgmma_operand<S::XN>(at), y = wgmma_operand<S::YN>(at + S::X);
        wgmma_begin();
#pragma unroll
        for (int l = 0; l < S::BK / 16; l++)
            wgmma_half<S::BRAIN, S::XN, S::YN>(d, x + l * X_STEP, y + l * Y_STEP, s + l > 0);
        wgmma_commit();
        wgmma_wait<1>();
        if (before < r.stages && threadIdx.x < blocks) {
            if (S::SHARES)
                bar_arrive_at(r.empty + before * 8, threadIdx.x);
            else
                bar_arrive(r.empty + before * 8);
        }
        before = r.buffer;
        ring_on(&r);
    }
    wgmma_wait<0>();
}

/* ---- results ------------------------------------------------------------------------------------------------------- */

/* This block's sums, in place of the slices. */
template <typename S> static __device__ __forceinline__ void leave_sums(unsigned to, const float (&d)[S::RESULTS])
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (int i = 0; i < S::RESULTS; i += 2) {
        int row = warp * 16 + lane / 4 + i / 2 % 2 * 8, col = i / 4 * 8 + lane % 4 * 2;
        asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(to + (row * S::PITCH + col) * 4), "f"(d[i]), "f"(d[i + 1]) : "memory");
    }
}

/* This block's rows of the tile. */
template <typename S> static __device__ __forceinline__ void join_rows(const HalfArgs &a, const JoinedPlace &p, unsigned sums)
{
    enum { ACROSS = S::BN / 4 };
    int   all = cluster_size(), rank = cluster_rank(), first = S::BM * rank / all, units = (S::BM * (rank + 1) / all - first) * ACROSS;
    float alpha = Four<float>::from(a.g.alpha);
    for (int u = threadIdx.x; u < units; u += 2 * WARPGROUP) {
        int   row = first + u / ACROSS, col = u % ACROSS * 4;
        float v[4] = {};
#pragma unroll 4
        for (int q = 0; q < all; q++) {
            uint4 part = cluster_load(sums + (row * S::PITCH + col) * 4, q);
            v[0] += Four<float>::from(part.x);
            v[1] += Four<float>::from(part.y);
            v[2] += Four<float>::from(part.z);
            v[3] += Four<float>::from(part.w);
        }
#pragma unroll
        for (int j = 0; j < 4; j++)
            v[j] *= alpha;
        put_some<S>(a, p.row + row, p.col + col, v);
    }
}

template <typename S> static __device__ __forceinline__ void joined_product(const HalfArgs &args)
{
    extern __shared__ __align__(1024) unsigned char slices[];
    __shared__ __align__(8) Bar full[JOINED_STAGES], empty[JOINED_STAGES];
    unsigned    at    = (shared_address(slices) + 1023) / 1024 * 1024;
    JoinedPlace p     = joined_place<S>(args.g);
    JoinedRing  r     = {at, shared_address(full), shared_address(empty), 0, 0, (unsigned)args.stages};
    bool        drawn = args.x_grain || args.y_grain, ordered = !args.x_grain || !args.y_grain;
    if (threadIdx.x == 0) {
        if (!args.x_grain)
            map_early(&args.x);
        if (!args.y_grain)
            map_early(&args.y);
        for (int b = 0; b < args.stages; b++) {
            bar_init(r.full + b * 8, (draws_alone(args, p) ? 1 : drawn ? WARPGROUP / 32 : 0) + ordered);
            bar_init(r.empty + b * 8, 1);
        }
        bars_ready();
    }
    __syncthreads();
    grid_turn();
    if (threadIdx.x >= WARPGROUP && draws_alone(args, p)) {
        draw_whole_slices<S>(args, p, r);
    } else if (threadIdx.x >= WARPGROUP && drawn) {
        draw_slices<S>(args, p, r);
    } else if (threadIdx.x >= WARPGROUP) {
        if (threadIdx.x < WARPGROUP + 32 && elect_one())
            order_slices<S>(args, p, r);
    } else {
        float d[S::RESULTS];
        zero_edges<S>(args, p, r);
        multiply_slices<S>(p.end - p.first, r, drawn, d);
        warpgroup_barrier(1);
        leave_sums<S>(at, d);
    }
    HalfArgs           a = args;
    cluster_meet();
    unsigned long long z = blockIdx.z * a.g.c_batch * (a.wide ? 4 : 2);
    a.g.c  = (char *)a.g.c + z;
    a.from = (const char *)a.from + z;
    join_rows<S>(a, p, at);
    cluster_meet(); /* the others have read this one's sums */
}

#define HALF_JOINED(name, blocks, ...)                                                                                 \
    extern "C" __global__ void __launch_bounds__(2 * WARPGROUP, blocks) name(const __grid_constant__ HalfArgs args)    \
    {                                                                                                                  \
        joined_product<JoinedShape<__VA_ARGS__>>(GRID_CONSTANT(name, HalfArgs, args));                                 \
    }

#endif
