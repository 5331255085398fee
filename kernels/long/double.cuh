/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of doubles on the tensor cores that multiply them (sm_80 and later data-centre GPUs).
 *
 *   blocks      SIDE x SIDE results; each warp 64 x 32 of them (SIDE 64: 32 x 32), as tiles of 8 x 8: a lane has two neighbours of one row of each.
 *   slices      of 16 or 32 along k, a ring of STAGES that cp.async fills two slices ahead: 16 bytes at a time where an operand's lines are aligned, else 8, with
 *               zeros outside of the matrix.
 *   shared      an operand lies as it does in memory.  Along k: rows in a pitch of 20 or 36; else lines of SIDE in a pitch of SIDE + 4.  Either way the 4 x 4
 *               doubles that half a warp reads lie in different banks.
 *   products    mma m8n8k4: Hopper's assembler joins none, so where the architecture has it one m16n8k16 stands for eight.  Each product is added with
 *               one rounding, four of k (16) at a time as the card does it; the emulator's order is the card's (docs/matrix.md).
 *   A * A^T     tiles on and under the diagonal, an element with row >= column written to both places that the fill asks for. */
#ifndef WW_KERNELS_LONG_DOUBLE_CUH
#define WW_KERNELS_LONG_DOUBLE_CUH

#include "../aat/symmetric.h"
#include "args.h"

typedef unsigned long long Wide;

template <int SIDE_, int BK_, bool XKC_, bool YKC_> struct DoubleShape {
    enum {
        SIDE = SIDE_, XKC = XKC_, YKC = YKC_, BK = BK_, STAGES = DOUBLE_STAGES, WM = SIDE / 2, WN = 32, WARPS = 2 * SIDE / WN, THREADS = 32 * WARPS,
        DOWN = WM / 8, ACROSS = WN / 8, ALONG = BK + 4, LINE = SIDE + 4, OPERAND = SIDE * ALONG, /* doubles: the larger of both ways */
    };
};

/* ---- slices -------------------------------------------------------------------------------------------------------- */

/* 16 or 8 bytes to shared memory, the first `from` of them from memory, zeros behind. */
template <int BYTES> static __device__ __forceinline__ void copy_async(unsigned to, const double *p, int from)
{
    if (BYTES == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(p), "r"(from) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(p), "r"(from) : "memory");
}

/* threadIdx.x, read here: what a copy's place is computed from is not kept in registers through the products. */
static __device__ __forceinline__ unsigned thread_again(void)
{
    unsigned t;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(t));
    return t;
}

/* Slice l0 of an operand whose rows of the result begin at i0: EACH doubles at a time. */
template <typename S, bool KC, int EACH>
static __device__ __forceinline__ void order_operand(unsigned to, const double *p, Wide ld, int i0, int rows, int l0, int k)
{
    enum { ACROSS = (KC ? S::BK : S::SIDE) / EACH, PIECES = S::SIDE * S::BK / EACH / S::THREADS, STEP = S::THREADS / ACROSS, PITCH = KC ? S::ALONG : S::LINE };
    unsigned t = thread_again(), outer = t / ACROSS, inner = t % ACROSS * EACH;
    int      line = (KC ? i0 : l0) + outer, lines = KC ? rows : k, first = (KC ? l0 : i0) + inner, left = (KC ? k : rows) - first; /* in the contiguous direction */
    int      from = left <= 0 ? 0 : left < EACH ? left * 8 : EACH * 8;
    const double *at = p + line * ld + (from ? first : 0);
    to += (outer * PITCH + inner) * 8;
#pragma unroll
    for (int n = 0; n < PIECES; n++) {
        bool in = line + n * STEP < lines;
        copy_async<EACH * 8>(to + n * STEP * PITCH * 8, in ? at : p, in ? from : 0);
        at += STEP * ld;
    }
}

template <typename S, bool KC>
static __device__ __forceinline__ void order_any(unsigned to, const double *p, Wide ld, int i0, int rows, int l0, int k, bool aligned)
{
    if (aligned)
        order_operand<S, KC, 2>(to, p, ld, i0, rows, l0, k);
    else
        order_operand<S, KC, 1>(to, p, ld, i0, rows, l0, k);
}

static __device__ __forceinline__ void slice_commit(void)
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int LEFT> static __device__ __forceinline__ void slice_wait(void)
{
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
}

/* ---- products ------------------------------------------------------------------------------------------------------ */

/* Two rows of tiles, 16 x 8, over 16 of k.  x[i]: row lane / 4 + 8 (i % 2), k lane % 4 + 4 (i / 2);  y[i]: column lane / 4, k lane % 4 + 4 i. */
static __device__ __forceinline__ void multiply_double(double (&top)[2], double (&low)[2], const double (&x)[8], const double (&y)[4])
{
#ifdef DOUBLE_SIXTEEN
    asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%0,%1,%2,%3};"
                 : "+d"(top[0]), "+d"(top[1]), "+d"(low[0]), "+d"(low[1])
                 : "d"(x[0]), "d"(x[1]), "d"(x[2]), "d"(x[3]), "d"(x[4]), "d"(x[5]), "d"(x[6]), "d"(x[7]), "d"(y[0]), "d"(y[1]), "d"(y[2]), "d"(y[3]));
#else
#pragma unroll
    for (int i = 0; i < 4; i++) {
        asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                     : "+d"(top[0]), "+d"(top[1])
                     : "d"(x[i * 2]), "d"(y[i]));
        asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                     : "+d"(low[0]), "+d"(low[1])
                     : "d"(x[i * 2 + 1]), "d"(y[i]));
    }
#endif
}

/* Fragments of 16 of k from l0 on: rows row and on, columns col and on. */
template <typename S> static __device__ __forceinline__ void read_rows(const double *xs, int row, int l0, double (&x)[8])
{
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int q = 0; q < 8; q++) {
        int r = row + q % 2 * 8 + lane / 4, at = l0 + lane % 4 + q / 2 * 4;
        x[q]  = xs[S::XKC ? r * S::ALONG + at : at * S::LINE + r];
    }
}

template <typename S> static __device__ __forceinline__ void read_columns(const double *ys, int col, int l0, double (&y)[S::ACROSS][4])
{
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int j = 0; j < S::ACROSS; j++)
#pragma unroll
        for (int q = 0; q < 4; q++) {
            int c = col + j * 8 + lane / 4, at = l0 + lane % 4 + q * 4;
            y[j][q] = ys[S::YKC ? c * S::ALONG + at : at * S::LINE + c];
        }
}

/* Rows are read a step ahead.  order: the two halves of what is ordered while products are under way. */
template <typename S, typename Order>
static __device__ __forceinline__ void multiply_slice(const double *xs, const double *ys, int row, int col, double (&sum)[S::DOWN][S::ACROSS][2], Order order)
{
    enum { STEPS = S::DOWN / 2, ALL = STEPS * S::BK / 16 };
    double y[S::ACROSS][4], x[2][8];
    read_columns<S>(ys, col, 0, y);
    read_rows<S>(xs, row, 0, x[0]);
#pragma unroll
    for (int n = 0; n < ALL; n++) {
        int i = n % STEPS * 2;
        if (n + 1 < ALL)
            read_rows<S>(xs, row + (n + 1) % STEPS * 16, (n + 1) / STEPS * 16, x[(n + 1) % 2]);
#pragma unroll
        for (int j = 0; j < S::ACROSS; j++)
            multiply_double(sum[i][j], sum[i + 1][j], x[n % 2], y[j]);
        if (n == 0 || n == ALL / 2)
            order(n > 0);
        if (n + 1 < ALL && (n + 1) % STEPS == 0)
            read_columns<S>(ys, col, (n + 1) / STEPS * 16, y);
    }
}

template <typename S>
static __device__ __forceinline__ void double_product(const GemmArgs &g, int row0, int col0, int row, int col, double (&sum)[S::DOWN][S::ACROSS][2])
{
    extern __shared__ __align__(16) double slices[];
    Wide          z = blockIdx.z, xld = S::XKC ? g.x_row : g.x_col, yld = S::YKC ? g.y_col : g.y_row;
    const double *x = (const double *)g.x + z * g.x_batch, *y = (const double *)g.y + z * g.y_batch;
    unsigned      to     = shared_address(slices);
    int           count  = (g.k + S::BK - 1) / S::BK;
#pragma unroll
    for (int i = 0; i < S::DOWN; i++)
#pragma unroll
        for (int j = 0; j < S::ACROSS; j++)
            sum[i][j][0] = sum[i][j][1] = 0;
    for (int s = 0; s < S::STAGES - 1; s++) {
        if (s < count) {
            order_any<S, S::XKC>(to + s * 2 * S::OPERAND * 8, x, xld, row0, g.m, s * S::BK, g.k, g.vector & 1);
            order_any<S, S::YKC>(to + (s * 2 + 1) * S::OPERAND * 8, y, yld, col0, g.n, s * S::BK, g.k, g.vector & 2);
        }
        slice_commit();
    }
    for (int s = 0, here = 0, next = S::STAGES - 1; s < count; s++) {
        slice_wait<S::STAGES - 2>();
        __syncthreads(); /* the slice has come, and what `next` held has been read */
        multiply_slice<S>(slices + here * 2 * S::OPERAND, slices + (here * 2 + 1) * S::OPERAND, row, col, sum, [&](bool second) {
            int l = (s + S::STAGES - 1) * S::BK;
            if (l < g.k && !second)
                order_any<S, S::XKC>(to + next * 2 * S::OPERAND * 8, x, xld, row0, g.m, l, g.k, g.vector & 1);
            if (l < g.k && second)
                order_any<S, S::YKC>(to + (next * 2 + 1) * S::OPERAND * 8, y, yld, col0, g.n, l, g.k, g.vector & 2);
            if (second)
                slice_commit();
        });
        here = here + 1 == S::STAGES ? 0 : here + 1;
        next = next + 1 == S::STAGES ? 0 : next + 1;
    }
}

/* ---- results ------------------------------------------------------------------------------------------------------- */

template <typename S> static __device__ __forceinline__ void warp_place(int *row, int *col)
{
    int warp = threadIdx.x / 32;
    *row     = warp % 2 * S::WM;
    *col     = warp / 2 * S::WN;
}

template <typename S> static __device__ __forceinline__ void double_gemm(const LongArgs &a)
{
    const GemmArgs &g     = a.g;
    double          alpha = __builtin_bit_cast(double, a.alpha), beta = __builtin_bit_cast(double, a.beta);
    double         *c = (double *)g.c + blockIdx.z * g.c_batch, sum[S::DOWN][S::ACROSS][2];
    int             tm, tn, row, col, lane = threadIdx.x % 32;
    if (g.count && !*(const volatile unsigned *)g.count)
        return;
    tile_order(blockIdx.x, (g.m + S::SIDE - 1) / S::SIDE, (g.n + S::SIDE - 1) / S::SIDE, &tm, &tn);
    warp_place<S>(&row, &col);
    double_product<S>(g, tm * S::SIDE, tn * S::SIDE, row, col, sum);
    bool wide = g.vector & 4;
#pragma unroll
    for (int i = 0; i < S::DOWN; i++)
#pragma unroll
        for (int j = 0; j < S::ACROSS; j++) {
            int     r = tm * S::SIDE + row + i * 8 + lane / 4, at = tn * S::SIDE + col + j * 8 + lane % 4 * 2;
            double *to = c + r * g.ldc + at, one = alpha * sum[i][j][0], two = alpha * sum[i][j][1];
            if (r >= g.m || at >= g.n)
                continue;
            bool both = at + 1 < g.n;
            if (beta != 0) {
                one = __builtin_fma(beta, to[0], one);
                two = both ? __builtin_fma(beta, to[1], two) : two;
            }
            if (wide && both) {
                *(double2 *)to = {one, two};
            } else {
                to[0] = one;
                if (both)
                    to[1] = two;
            }
        }
}

template <typename S> static __device__ __forceinline__ void double_aat(const LongArgs &a)
{
    const GemmArgs &g     = a.g;
    double          alpha = __builtin_bit_cast(double, a.alpha), beta = __builtin_bit_cast(double, a.beta);
    double         *c = (double *)g.c + blockIdx.z * g.c_batch, sum[S::DOWN][S::ACROSS][2];
    int             tm, tn, row, col, lane = threadIdx.x % 32;
    bool            upper = g.fill >= GEMM_FILL_UPPER;
    triangle_place(blockIdx.x, &tm, &tn);
    warp_place<S>(&row, &col);
    double_product<S>(g, tm * S::SIDE, tn * S::SIDE, row, col, sum);
#pragma unroll
    for (int i = 0; i < S::DOWN; i++)
#pragma unroll
        for (int j = 0; j < S::ACROSS; j++)
#pragma unroll
            for (int e = 0; e < 2; e++) {
                int     r = tm * S::SIDE + row + i * 8 + lane / 4, at = tn * S::SIDE + col + j * 8 + lane % 4 * 2 + e;
                double *low = c + r * g.ldc + at, *high = c + at * g.ldc + r, v = alpha * sum[i][j][e];
                if (r >= g.m || at > r)
                    continue;
                if (beta != 0)
                    v = __builtin_fma(beta, *(upper ? high : low), v);
                if (g.fill != GEMM_FILL_UPPER)
                    *low = v;
                if (g.fill != GEMM_FILL_LOWER)
                    *high = v;
            }
}

#define DOUBLE_KERNEL(name, body, ...)                                                                                 \
    extern "C" __global__ void __launch_bounds__(DoubleShape<__VA_ARGS__>::THREADS, 1) name(const LongArgs a)          \
    {                                                                                                                  \
        body<DoubleShape<__VA_ARGS__>>(a);                                                                             \
    }

#endif
