/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of bf16 or fp16 operands with float sums by the tensor cores of sm_90a, where C has few rows of tiles: thin results, whose time is that of slices on their
 * way from the L2.
 *
 *   blocks      one warpgroup multiplies 64 x BN results (wgmma m64n<BN>k16); a thread of the other orders slices of 64 of k.  A block has one tile.
 *   cluster     its blocks have args.group tiles below each other, and as many of these columns as the launch says (1 to 8 blocks).  Those of a row take turns to
 *               order X's slices, each for all of them, and those of a column Y's: a line of either leaves the L2 once for them.
 *   slices      a ring of args.stages; a buffer is free when all blocks of the cluster have read it.
 *   edges       what a box would bring from outside of an operand is not copied; its place is zero from the beginning.  A block outside of C
 *               takes its turns.
 *   results     by shared memory, as floats; turned: what is added up is C's transpose. */
#ifndef WW_KERNELS_GEMM_HALF_COLUMN_CUH
#define WW_KERNELS_GEMM_HALF_COLUMN_CUH

#include "half_joined.cuh"

template <int BN_, int XN_, int YN_, int BRAIN_> struct ColumnShape {
    enum {
        BN = BN_, XN = XN_, YN = YN_, /* XN, YN: the operand does not lie along k */
        BRAIN = BRAIN_,               /* bf16, else fp16 */
        SYM = 0, ENDS = 1, SHARES = 1, BM = 64, BK = HALF_SLICE, RESULTS = BN / 2, LINE = 128, BOX = 64 * LINE, BOXES = (BN + 63) / 64, /* of 64 columns */
        X = BOX, Y = (YN ? BOXES * 64 : BN) * LINE, SLICE = X + Y, PITCH = BN + 8, /* of sums, in floats */
    };
};

struct ColumnTile {
    int      row, col, slices;
    int      x, y;         /* bytes of a slice that come */
    int      down, across; /* where in the cluster */
    unsigned row_mates, column_mates;
};

template <typename S> static __device__ __forceinline__ ColumnTile column_tile(const HalfArgs &a)
{
    const GemmArgs &g = a.g;
    int all = cluster_size(), high = a.group, wide = all / high, t = blockIdx.x / all, rows = (g.m + S::BM - 1) / S::BM, groups = (rows + high - 1) / high;
    int down = (int)cluster_rank() % high, across = (int)cluster_rank() / high;
    int row = (t % groups * high + down) * S::BM, col = (t / groups * wide + across) * S::BN, below = g.m - row, right = g.n - col;
    int x = below >= S::BM || (S::XN && below > 0) ? S::X : below > 0 ? a.x_rest * S::LINE : 0;
    int y = right <= 0 ? 0 : S::YN ? at_most((right + 63) / 64, S::BOXES) * S::BOX : right >= S::BN ? S::Y : a.y_rest * S::LINE;
    unsigned mates = 0;
    for (int i = 0; i < wide; i++)
        mates |= 1u << (down + i * high);
    return {row, col, (g.k + S::BK - 1) / S::BK, x, y, down, across, mates, ((1u << high) - 1) << across * high};
}

/* A slice's Y, for all blocks of the column. */
template <typename S> static __device__ __forceinline__ void order_columns(const HalfArgs &a, const ColumnTile &t, unsigned to, unsigned full, int k)
{
    if (!S::YN && t.y)
        box_copy_to(to, t.y == S::Y ? &a.y : &a.y_edge, k, t.col, full, t.column_mates);
    else if (S::YN)
#pragma unroll
        for (int i = 0; i < S::BOXES; i++)
            if (i * S::BOX < t.y)
                box_copy_to(to + i * S::BOX, &a.y, t.col + i * 64, k, full, t.column_mates);
}

/* One thread orders all of this block's slices. */
template <typename S> static __device__ __forceinline__ void order_column(const HalfArgs &a, const ColumnTile &t, JoinedRing r)
{
    int high = a.group, wide = (int)cluster_size() / high, x_turn = t.across, y_turn = t.down; /* slices until it is this block's */
    for (int s = 0; s < t.slices; s++) {
        unsigned full = r.full + r.buffer * 8, to = r.slices + r.buffer * S::SLICE;
        bar_wait(r.empty + r.buffer * 8, r.phase ^ 1);
        bar_expect(full, t.x + t.y);
        if (t.x && x_turn == 0)
            box_copy_to(to, t.x == S::X ? &a.x : &a.x_edge, S::XN ? t.row : s * S::BK, S::XN ? s * S::BK : t.row, full, t.row_mates);
        if (y_turn == 0)
            order_columns<S>(a, t, to + S::X, full, s * S::BK);
        x_turn = x_turn ? x_turn - 1 : wide - 1;
        y_turn = y_turn ? y_turn - 1 : high - 1;
        ring_on(&r);
    }
}

/* What tensor copies leave out, by the warps that multiply. */
template <typename S> static __device__ __forceinline__ void zero_column(const ColumnTile &t, const JoinedRing &r)
{
    if (t.x + t.y == S::SLICE)
        return;
    for (int i = 0; i < at_most(t.slices, r.stages); i++) {
        zero_bytes(r.slices + i * S::SLICE, t.x, S::X, threadIdx.x, WARPGROUP);
        zero_bytes(r.slices + i * S::SLICE, S::X + t.y, S::SLICE, threadIdx.x, WARPGROUP);
    }
    fence_async();
    warpgroup_barrier(1);
}

/* The sums become results, four neighbours of a row of C at once. */
template <typename S> static __device__ __forceinline__ void put_column(HalfArgs a, const ColumnTile &t, unsigned sums)
{
    enum { ACROSS = S::BN / 4, DOWN = S::BM / 4 };
    float alpha = Four<float>::from(a.g.alpha);
    if (!a.turned) {
        for (int u = threadIdx.x; u < S::BM * ACROSS; u += 2 * WARPGROUP) {
            int   row = u / ACROSS, col = u % ACROSS * 4;
            float v[4];
            asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3]) : "r"(sums + (row * S::PITCH + col) * 4) : "memory");
#pragma unroll
            for (int j = 0; j < 4; j++)
                v[j] *= alpha;
            put_some<S>(a, t.row + row, t.col + col, v);
        }
        return;
    }
    int m = a.g.m; /* C is n x m */
    a.g.m = a.g.n;
    a.g.n = m;
    for (int u = threadIdx.x; u < DOWN * S::BN; u += 2 * WARPGROUP) {
        int   row = (u / 4 / S::BN * 4 + u % 4) * 4, col = u / 4 % S::BN; /* four lanes write 32 bytes */
        float v[4];
#pragma unroll
        for (int j = 0; j < 4; j++)
            v[j] = alpha * Four<float>::from(shared_word(sums + ((row + j) * S::PITCH + col) * 4));
        store_line<S>(a, t.col + col, t.row + row, v);
    }
}

template <typename S> static __device__ __forceinline__ void column_product(const HalfArgs &args)
{
    extern __shared__ __align__(1024) unsigned char slices[];
    __shared__ __align__(8) Bar full[JOINED_STAGES], empty[JOINED_STAGES];
    unsigned   at = (shared_address(slices) + 1023) / 1024 * 1024;
    ColumnTile t  = column_tile<S>(args);
    JoinedRing r  = {at, shared_address(full), shared_address(empty), 0, 0, (unsigned)args.stages};
    if (threadIdx.x == 0) {
        map_early(&args.x);
        map_early(&args.y);
        for (int b = 0; b < args.stages; b++) {
            bar_init(r.full + b * 8, 1);
            bar_init(r.empty + b * 8, cluster_size());
        }
        bars_ready();
    }
    cluster_meet();
    grid_turn();
    if (threadIdx.x >= WARPGROUP) {
        if (threadIdx.x < WARPGROUP + 32 && elect_one())
            order_column<S>(args, t, r);
    } else {
        float d[S::RESULTS];
        zero_column<S>(t, r);
        multiply_slices<S>(t.slices, r, false, d);
        warpgroup_barrier(1);
        leave_sums<S>(at, d);
    }
    __syncthreads();
    put_column<S>(args, t, at);
    cluster_meet(); /* the others' copies and arrivals come to this block's memory */
}

#define HALF_COLUMN(name, ...)                                                                                         \
    extern "C" __global__ void __launch_bounds__(2 * WARPGROUP, 2) name(const __grid_constant__ HalfArgs args)         \
    {                                                                                                                  \
        column_product<ColumnShape<__VA_ARGS__>>(GRID_CONSTANT(name, HalfArgs, args));                                 \
    }

#endif
