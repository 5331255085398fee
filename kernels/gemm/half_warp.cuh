/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of bf16 or fp16 operands with float sums by the tensor cores of any GPU since sm_80, a warp at a time.
 *
 *   blocks      four warps, two rows of two; each has WM x WN of the block's BM x BN results, as tiles of 16 x 8 (mma m16n8k16).
 *   slices      64 of k, in a ring of args.stages.  All warps draw them where the operands lie (half_drawn.cuh), those behind the one that is multiplied
 *               on their way.  One barrier a slice: behind it the slice is there, and the buffer of the one before is free.
 *   results     pass through shared memory as floats, 64 rows at a time, and leave four neighbours a thread.
 *   A * A^T     tiles on and under the diagonal, each result written in both directions. */
#ifndef WW_KERNELS_GEMM_HALF_WARP_CUH
#define WW_KERNELS_GEMM_HALF_WARP_CUH

#include "half_drawn.cuh"

template <int BM_, int BN_, int XN_, int YN_, int BRAIN_, int SYM_> struct WarpShape {
    enum {
        BM = BM_, BN = BN_, XN = XN_, YN = YN_, /* XN, YN: the operand does not lie along k */
        BRAIN = BRAIN_,                         /* bf16, else fp16 */
        SYM = SYM_, ENDS = !SYM_, BK = HALF_SLICE, WM = BM / 2, WN = BN / 2, DOWN = WM / 16, ACROSS = WN / 8, X = BM * 128, SLICE = X + BN * 128,
        PITCH = BN + 8, /* floats: eight lanes' pairs of a row, four rows of a warp, on all banks */
        ROWS = 64,      /* that pass through shared memory at a time */
    };
};

template <typename S> static __device__ __forceinline__ DrawnTile warp_tile(const GemmArgs &g)
{
    int i = 0, j = blockIdx.x;
    if (!S::SYM)
        return tile_in_groups(g, j, S::BM, S::BN);
    for (; j > i; i++) /* tile i * (i + 1) / 2 + j, j <= i */
        j -= i + 1;
    return {i * S::BM, j * S::BN};
}

/* ---- operands ------------------------------------------------------------------------------------------------------ */

template <int TURNED> static __device__ __forceinline__ void load_fragments(unsigned (&v)[4], unsigned at)
{
    if (TURNED)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                     : "r"(at)
                     : "memory");
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                     : "r"(at)
                     : "memory");
}

/* 16 rows of X from `row` on, 16 of k: as mma has its first operand. */
template <int N> static __device__ __forceinline__ void load_x(unsigned (&v)[4], unsigned x, int row, int k)
{
    int lane = threadIdx.x % 32;
    if (N)
        load_fragments<1>(v, box_at(x + row / 64 * (64 * 128), k + lane % 8 + lane / 16 * 8, (row % 64 + lane / 8 % 2 * 8) * 2));
    else
        load_fragments<0>(v, box_at(x, row + lane % 16, (k + lane / 16 * 8) * 2));
}

/* 16 columns of Y from `col` on, 16 of k: as mma has its second operand, of eight columns and then of the others. */
template <int N> static __device__ __forceinline__ void load_y(unsigned (&v)[4], unsigned y, int col, int k)
{
    int lane = threadIdx.x % 32;
    if (N)
        load_fragments<1>(v, box_at(y + col / 64 * (64 * 128), k + lane % 16, (col % 64 + lane / 16 * 8) * 2));
    else
        load_fragments<0>(v, box_at(y, col + lane % 8 + lane / 16 * 8, (k + lane / 8 % 2 * 8) * 2));
}

/* ---- products ------------------------------------------------------------------------------------------------------ */

template <int BRAIN> static __device__ __forceinline__ void multiply_fragments(float (&d)[4], const unsigned (&x)[4], unsigned y0, unsigned y1)
{
    if (BRAIN)
        asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y0), "r"(y1));
    else
        asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y0), "r"(y1));
}

/* A warp's results of a slice; row, col: its first ones in the tile. */
template <typename S>
static __device__ __forceinline__ void multiply_slice(unsigned slice, int row, int col, float (&d)[S::DOWN][S::ACROSS][4])
{
#pragma unroll
    for (int k = 0; k < S::BK; k += 16) {
        unsigned x[S::DOWN][4], y[S::ACROSS / 2][4];
#pragma unroll
        for (int i = 0; i < S::DOWN; i++)
            load_x<S::XN>(x[i], slice, row + i * 16, k);
#pragma unroll
        for (int j = 0; j < S::ACROSS / 2; j++)
            load_y<S::YN>(y[j], slice + S::X, col + j * 16, k);
#pragma unroll
        for (int i = 0; i < S::DOWN; i++)
#pragma unroll
            for (int j = 0; j < S::ACROSS; j++)
                multiply_fragments<S::BRAIN>(d[i][j], x[i], y[j / 2][j % 2 * 2], y[j / 2][j % 2 * 2 + 1]);
    }
}

/* Slice s of both operands, if there is one; its group of copies in any case. */
template <typename S>
static __device__ __forceinline__ void draw_slice(const HalfArgs &a, const HalfLines &x, const HalfLines &y, DrawnTile t, unsigned to, int s, int slices)
{
    if (s < slices) {
        draw_operand<S::BM, S::XN>(to, x, a.x_grain, t.row, s * S::BK);
        draw_operand<S::BN, S::YN>(to + S::X, y, a.y_grain, t.col, s * S::BK);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/* ---- results ------------------------------------------------------------------------------------------------------- */

/* Those of the warps that have rows `from` to from + ROWS of the tile to shared memory. */
template <typename S>
static __device__ __forceinline__ void leave_rows(unsigned to, int from, int row, int col, const float (&d)[S::DOWN][S::ACROSS][4])
{
    int lane = threadIdx.x % 32;
    if (row < from || row >= from + S::ROWS)
        return;
#pragma unroll
    for (int i = 0; i < S::DOWN; i++)
#pragma unroll
        for (int j = 0; j < S::ACROSS; j++)
#pragma unroll
            for (int e = 0; e < 4; e += 2) {
                int at = (row - from + i * 16 + lane / 4 + e * 4) * S::PITCH + col + j * 8 + lane % 4 * 2;
                asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(to + at * 4), "f"(d[i][j][e]), "f"(d[i][j][e + 1]) : "memory");
            }
}

template <typename S> static __device__ __forceinline__ void put_rows(const HalfArgs &a, unsigned from, int row0, int col0)
{
    enum { ACROSS = S::BN / 4 };
    float alpha = Four<float>::from(a.g.alpha);
    for (int u = threadIdx.x; u < S::ROWS * ACROSS; u += WARPGROUP) {
        int   row = u / ACROSS, col = u % ACROSS * 4;
        float v[4];
        asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3])
                     : "r"(from + (row * S::PITCH + col) * 4)
                     : "memory");
#pragma unroll
        for (int j = 0; j < 4; j++)
            v[j] *= alpha;
        put_some<S>(a, row0 + row, col0 + col, v);
    }
}

template <typename S> static __device__ __forceinline__ void warp_product(const HalfArgs &args)
{
    extern __shared__ __align__(1024) unsigned char ring[];
    const GemmArgs    &g    = args.g;
    unsigned long long z    = blockIdx.z;
    unsigned           at   = (shared_address(ring) + 1023) / 1024 * 1024;
    DrawnTile           t    = warp_tile<S>(g);
    int                warp = threadIdx.x / 32, row = warp / 2 * S::WM, col = warp % 2 * S::WN, slices = (g.k + S::BK - 1) / S::BK, last = args.stages - 1;
    HalfLines          x    = {(const unsigned short *)g.x + z * g.x_batch, S::XN ? g.x_col : g.x_row, S::XN ? g.k : g.m, S::XN ? g.m : g.k};
    HalfLines          y    = {(const unsigned short *)g.y + z * g.y_batch, S::YN ? g.y_row : g.y_col, S::YN ? g.k : g.n, S::YN ? g.n : g.k};
    float              d[S::DOWN][S::ACROSS][4] = {};
    int                read = 0, drawn = last; /* buffers */
    for (int s = 0; s < last; s++)
        draw_slice<S>(args, x, y, t, at + s * S::SLICE, s, slices);
    for (int s = 0; s < slices; s++) {
        draws_come(last - 1);
        __syncthreads();
        draw_slice<S>(args, x, y, t, at + drawn * S::SLICE, s + last, slices);
        multiply_slice<S>(at + read * S::SLICE, row, col, d);
        read  = read == last ? 0 : read + 1;
        drawn = drawn == last ? 0 : drawn + 1;
    }
    draws_wait<0>();
    HalfArgs a = args;
    a.g.c      = (char *)a.g.c + z * g.c_batch * (a.wide ? 4 : 2);
    a.from     = (const char *)a.from + z * g.c_batch * (a.wide ? 4 : 2);
    for (int from = 0; from < S::BM; from += S::ROWS) {
        __syncthreads();
        leave_rows<S>(at, from, row, col, d);
        __syncthreads();
        put_rows<S>(a, at, t.row + from, t.col);
    }
}

#define HALF_WARP(name, ...)                                                                                           \
    extern "C" __global__ void __launch_bounds__(WARPGROUP, 2) name(const __grid_constant__ HalfArgs args)             \
    {                                                                                                                  \
        warp_product<WarpShape<__VA_ARGS__>>(GRID_CONSTANT(name, HalfArgs, args));                                     \
    }

#endif
