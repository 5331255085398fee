/* SPDX-License-Identifier: Apache-2.0
 *
 * The block tile that the upper rungs of the ladder share: a block computes BM x BN of C, a warp WM x WN of it, a lane
 * TM x TN of that, over slices of BK along k that pass through two buffers of shared memory.
 *
 *   shared    X as xs[l][i], Y as ys[l][j]: along a fragment the elements are neighbours, so a lane reads four with one
 *             access.  Rows are padded by 4 words: a k-contiguous slice is stored transposed, lane by lane, and the pad
 *             puts its two groups of four l on different halves of the banks.
 *   lanes     8 down, 4 across; the row is lane / 2 % 8, the column lane % 2 + lane / 16 * 2.  With this order each
 *             16-byte read of a warp takes 2 passes for either operand; lane / 4 and lane % 4 would take 2 and 4.
 *   registers a lane's TM x TN results are 4 x 4 squares, 32 rows and 16 columns apart; the fragment of step l + 1 is
 *             read while step l is multiplied, the slice after the next one is on its way from memory.
 *   edges     a slice that lies inside the matrix is read with 16-byte accesses where its rows are aligned; any other
 *             one by guarded single elements, zero outside.  Both land in the same registers.
 *
 * Invariants: BK is a multiple of 4, every thread loads whole vectors, all threads reach every barrier. */
#ifndef WW_KERNELS_GEMM_TILE_H
#define WW_KERNELS_GEMM_TILE_H

#include "element.h"

/* One operand's slice: ROWS along the result, BK along k.  KC: k-contiguous. */
template <typename T, int ROWS, int BK, int THREADS, bool KC> struct Slice {
    typedef typename Four<T>::type V;
    enum {
        PITCH   = ROWS + 4,
        VECTORS = ROWS * BK / 4 / THREADS, /* a thread */
        ACROSS  = KC ? BK / 4 : ROWS / 4,  /* vectors in the contiguous direction */
    };
    const T           *p;    /* the block's first row, at k = 0 */
    unsigned long long ld;   /* distance in the other direction */
    int                rows; /* that exist from there on */
    bool               fast;
    V                  v[VECTORS];

    __device__ __forceinline__ void open(const void *base, unsigned long long row, unsigned long long col, int first,
                                         int count, bool aligned)
    {
        ld   = KC ? row : col;
        p    = (const T *)base + (KC ? (unsigned long long)first * ld : (unsigned long long)first);
        rows = count - first;
        fast = aligned && rows >= ROWS;
    }

    static __device__ __forceinline__ void place(int i, int *outer, int *inner)
    {
        int t  = threadIdx.x + i * THREADS;
        *outer = t / ACROSS;
        *inner = t % ACROSS * 4;
    }

    /* Elements at or past `end` along k are zero. */
    __device__ __forceinline__ void load(int k0, int end)
    {
        if (fast && k0 + BK <= end) {
#pragma unroll
            for (int i = 0; i < VECTORS; i++) {
                int outer, inner;
                place(i, &outer, &inner);
                v[i] = *(const V *)(KC ? p + outer * ld + k0 + inner : p + (k0 + outer) * ld + inner);
            }
        } else {
#pragma unroll
            for (int i = 0; i < VECTORS; i++) {
                int outer, inner;
                place(i, &outer, &inner);
                v[i].x = one(k0, end, outer, inner);
                v[i].y = one(k0, end, outer, inner + 1);
                v[i].z = one(k0, end, outer, inner + 2);
                v[i].w = one(k0, end, outer, inner + 3);
            }
        }
    }

    __device__ __forceinline__ T one(int k0, int end, int outer, int inner) const
    {
        int row = KC ? outer : inner;
        int l   = k0 + (KC ? inner : outer);
        return row < rows && l < end ? (KC ? p[row * ld + l] : p[l * ld + row]) : T(0);
    }

    __device__ __forceinline__ void store(T *s) const
    {
#pragma unroll
        for (int i = 0; i < VECTORS; i++) {
            int outer, inner;
            place(i, &outer, &inner);
            if (KC) {
                s[(inner + 0) * PITCH + outer] = v[i].x;
                s[(inner + 1) * PITCH + outer] = v[i].y;
                s[(inner + 2) * PITCH + outer] = v[i].z;
                s[(inner + 3) * PITCH + outer] = v[i].w;
            } else {
                ((V *)s)[outer * (PITCH / 4) + inner / 4] = v[i];
            }
        }
    }
};

template <typename T, int BM_, int BN_, int BK_, int WM_, int WN_, int TM_, int TN_, int BUFFERS_ = 2, int SPREAD_ = 0> struct Shape {
    typedef T type;
    enum {
        BM = BM_, BN = BN_, BK = BK_, WM = WM_, WN = WN_, TM = TM_, TN = TN_, BUFFERS = BUFFERS_, SPREAD = SPREAD_,
        THREADS = BM / WM * (BN / WN) * 32,
        ROWS4 = TM / 4, COLS4 = TN / 4,      /* 4 x 4 squares of a lane */
        DOWN = WM / ROWS4, ACROSS = WN / COLS4, /* from one square to the next */
        WORDS = BUFFERS * BK * (BM + 4 + BN + 4), /* of shared memory */
    };
};

/* Lanes 4 down and 8 across in an order in which no lane reads the same 16 bytes as the one whose number differs in bit 0, in bit 1 or in
 * both.  Where it does (as in lane_place), shared memory answers in half the time and writes two registers a cycle, and
 * a multiplication that wants those banks waits: such a read costs 2.4 issue slots, one in this order 1.0. */
static __device__ __forceinline__ int lane_spread_row(int lane)
{
    return (lane ^ lane >> 2) & 3;
}

static __device__ __forceinline__ int lane_spread_column(int lane)
{
    return (lane & 3) | (lane >> 4 & 1) << 2;
}

/* Row and column of a lane's first square within the block. */
template <typename S> static __device__ __forceinline__ void lane_place(int *row, int *col)
{
    enum { LANES_N = S::WN / S::TN, LANES_M = S::WM / S::TM };
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int lm   = S::SPREAD ? lane_spread_row(lane) : lane / 2 % LANES_M;
    int ln   = S::SPREAD ? lane_spread_column(lane) : lane % 2 + lane / (2 * LANES_M) * 2;
    *row     = warp / (S::BN / S::WN) * S::WM + lm * 4;
    *col     = warp % (S::BN / S::WN) * S::WN + ln * 4;
}

template <typename S> struct Fragment {
    typedef typename S::type        T;
    typedef typename Four<T>::type  V;
    T x[S::TM], y[S::TN];
    __device__ __forceinline__ void read(const T *xs, const T *ys)
    {
#pragma unroll
        for (int i = 0; i < S::ROWS4; i++) {
            V q          = *(const V *)(xs + i * S::DOWN);
            x[i * 4]     = q.x;
            x[i * 4 + 1] = q.y;
            x[i * 4 + 2] = q.z;
            x[i * 4 + 3] = q.w;
        }
#pragma unroll
        for (int i = 0; i < S::COLS4; i++) {
            V q          = *(const V *)(ys + i * S::ACROSS);
            y[i * 4]     = q.x;
            y[i * 4 + 1] = q.y;
            y[i * 4 + 2] = q.z;
            y[i * 4 + 3] = q.w;
        }
    }
    /* The same by addresses of the shared window; or a quad of either. */
    __device__ __forceinline__ void read(unsigned xs, unsigned ys)
    {
#pragma unroll
        for (int i = 0; i < S::COLS4; i++)
            read_y(ys, i);
#pragma unroll
        for (int i = 0; i < S::ROWS4; i++)
            read_x(xs, i);
    }
    __device__ __forceinline__ void read_x(unsigned xs, int quad)
    {
        V q;
        shared_load(xs + quad * S::DOWN * (unsigned)sizeof(T), &q);
        x[quad * 4]     = q.x;
        x[quad * 4 + 1] = q.y;
        x[quad * 4 + 2] = q.z;
        x[quad * 4 + 3] = q.w;
    }
    __device__ __forceinline__ void read_y(unsigned ys, int quad)
    {
        V q;
        shared_load(ys + quad * S::ACROSS * (unsigned)sizeof(T), &q);
        y[quad * 4]     = q.x;
        y[quad * 4 + 1] = q.y;
        y[quad * 4 + 2] = q.z;
        y[quad * 4 + 3] = q.w;
    }
};

/* One step of k.  The order makes no difference to the results, only to the registers that neighbouring multiplications
 * want: a multiprocessor reads two of the three from different banks (even and odd numbers) at once, and one that the
 * multiplication before had in the same place for nothing.  With 16 columns: even columns, then odd ones, and in a column
 * up and down, even rows, then odd ones; of the machine code's 1024 multiplications a slice 108 then want two
 * registers of one bank (wide; large 159) instead of 243 (236) row by row.  With 16 rows and 8 columns the same along the
 * rows, which go back and forth: 302 of the tensor kernel's 4096.  With 8 x 8 row by row is best. */
template <typename S>
static __device__ __forceinline__ void multiply(const Fragment<S> &f, typename S::type acc[S::TM][S::TN])
{
#pragma unroll
    for (int e = 0; e < S::TM * S::TN; e++) {
        int i = e / S::TN, j = e % S::TN;
        if (S::TN == 16) {
            int at = e / S::TM;
            i      = e % (S::TM / 2) * 2 + e % S::TM / (S::TM / 2);
            i      = at % 2 ? S::TM - 1 - i : i;
            j      = at % (S::TN / 2) * 2 + at / (S::TN / 2);
        } else if (S::TM == 16) {
            j = e % (S::TN / 2) * 2 + e % S::TN / (S::TN / 2);
            j = i % 2 ? S::TN - 1 - j : j;
        }
        acc[i][j] = mul_add(f.x[i], f.y[j], acc[i][j]);
    }
}

/* acc = X * Y for the block's tile at (row0, col0), over [k0, end).  Ends with all warps past their last read of shared
 * memory only as far as the next barrier: a caller that goes on to another tile needs one in between. */
template <typename S, bool XKC, bool YKC>
static __device__ __forceinline__ void tile_product(const GemmArgs &g, const void *gx, const void *gy, int row0, int col0,
                                                    int k0, int end, typename S::type *shared,
                                                    typename S::type acc[S::TM][S::TN])
{
    typedef typename S::type T;
    enum { XP = S::BM + 4, YP = S::BN + 4 };
    Slice<T, S::BM, S::BK, S::THREADS, XKC> sx;
    Slice<T, S::BN, S::BK, S::THREADS, YKC> sy;
    T  *xs = shared, *ys = shared + 2 * S::BK * XP;
    int row, col;
    lane_place<S>(&row, &col);
    sx.open(gx, g.x_row, g.x_col, row0, g.m, g.vector & 1);
    sy.open(gy, g.y_col, g.y_row, col0, g.n, g.vector & 2);
#pragma unroll
    for (int i = 0; i < S::TM; i++)
#pragma unroll
        for (int j = 0; j < S::TN; j++)
            acc[i][j] = T(0);
    if (k0 >= end)
        return;
    sx.load(k0, end);
    sy.load(k0, end);
    sx.store(xs);
    sy.store(ys);
    __syncthreads();
    Fragment<S> f[2];
    f[0].read(xs + row, ys + col);
    int buf = 0;
    for (;;) {
        k0 += S::BK;
        bool more = k0 < end;
        if (more) {
            sx.load(k0, end);
            sy.load(k0, end);
        }
        const T *xr = xs + buf * S::BK * XP + row, *yr = ys + buf * S::BK * YP + col;
#pragma unroll
        for (int l = 0; l < S::BK; l++) {
            if (l + 1 < S::BK) {
                f[(l + 1) % 2].read(xr + (l + 1) * XP, yr + (l + 1) * YP);
            } else if (more) {
                buf ^= 1;
                sx.store(xs + buf * S::BK * XP);
                sy.store(ys + buf * S::BK * YP);
                __syncthreads();
                f[0].read(xs + buf * S::BK * XP + row, ys + buf * S::BK * YP + col);
            }
            multiply<S>(f[l % 2], acc);
        }
        if (!more)
            break;
    }
}

/* The same over all of k with one buffer and no read ahead: load, wait, store, wait, multiply. */
template <typename S, bool XKC, bool YKC>
static __device__ __forceinline__ void tile_product_plain(const GemmArgs &g, const void *gx, const void *gy, int row0,
                                                          int col0, int end, typename S::type *shared,
                                                          typename S::type acc[S::TM][S::TN])
{
    typedef typename S::type T;
    enum { XP = S::BM + 4, YP = S::BN + 4 };
    Slice<T, S::BM, S::BK, S::THREADS, XKC> sx;
    Slice<T, S::BN, S::BK, S::THREADS, YKC> sy;
    T  *xs = shared, *ys = shared + S::BK * XP;
    int row, col;
    lane_place<S>(&row, &col);
    sx.open(gx, g.x_row, g.x_col, row0, g.m, g.vector & 1);
    sy.open(gy, g.y_col, g.y_row, col0, g.n, g.vector & 2);
#pragma unroll
    for (int i = 0; i < S::TM; i++)
#pragma unroll
        for (int j = 0; j < S::TN; j++)
            acc[i][j] = T(0);
    for (int k0 = 0; k0 < end; k0 += S::BK) {
        sx.load(k0, end);
        sy.load(k0, end);
        __syncthreads();
        sx.store(xs);
        sy.store(ys);
        __syncthreads();
#pragma unroll
        for (int l = 0; l < S::BK; l++) {
            Fragment<S> f;
            f.read(xs + l * XP + row, ys + l * YP + col);
            multiply<S>(f, acc);
        }
    }
}

/* C = alpha * acc + beta * C for this lane's squares. */
template <typename S>
static __device__ __forceinline__ void tile_write(const GemmArgs &g, typename S::type *c, int row0, int col0,
                                                  const typename S::type acc[S::TM][S::TN])
{
    typedef typename S::type       T;
    typedef typename Four<T>::type V;
    T    alpha = Four<T>::from(g.alpha), beta = Four<T>::from(g.beta);
    int  row, col;
    bool keep = !Four<T>::zero(g.beta);
    bool fast = (g.vector & 4) && row0 + S::BM <= g.m && col0 + S::BN <= g.n;
    lane_place<S>(&row, &col);
    row += row0;
    col += col0;
#pragma unroll
    for (int i = 0; i < S::TM; i++) {
        int r = row + i / 4 * S::DOWN + i % 4;
        T  *out = c + (unsigned long long)r * g.ldc;
#pragma unroll
        for (int j = 0; j < S::TN; j += 4) {
            int at = col + j / 4 * S::ACROSS;
            if (fast) {
                V q = {acc[i][j], acc[i][j + 1], acc[i][j + 2], acc[i][j + 3]};
                put(out + at, q, alpha, beta, keep);
            } else {
#pragma unroll
                for (int e = 0; e < 4; e++)
                    if (r < g.m && at + e < g.n)
                        put(out + at + e, acc[i][j + e], alpha, beta, keep);
            }
        }
    }
}

/* Tiles in groups of GROUP rows, down a group's columns: the blocks that run together share rows of X and columns of Y
 * in L2. */
static __device__ __forceinline__ void tile_order(int id, int tiles_m, int tiles_n, int *tm, int *tn)
{
    enum { GROUP = 16 };
    int per   = GROUP * tiles_n;
    int first = id / per * GROUP;
    int high  = tiles_m - first < GROUP ? tiles_m - first : GROUP;
    *tm       = first + id % per % high;
    *tn       = id % per / high;
}

template <typename S, bool XKC, bool YKC> static __device__ __forceinline__ void tile_gemm(const GemmArgs &g)
{
    typedef typename S::type T;
    __shared__ __align__(16) T shared[S::WORDS];
    T                          acc[S::TM][S::TN];
    int                        tm, tn;
    unsigned long long         z = blockIdx.z;
    tile_order(blockIdx.x, (g.m + S::BM - 1) / S::BM, (g.n + S::BN - 1) / S::BN, &tm, &tn);
    const T *x = (const T *)g.x + z * g.x_batch, *y = (const T *)g.y + z * g.y_batch;
    if (S::BUFFERS == 1)
        tile_product_plain<S, XKC, YKC>(g, x, y, tm * S::BM, tn * S::BN, g.k, shared, acc);
    else
        tile_product<S, XKC, YKC>(g, x, y, tm * S::BM, tn * S::BN, 0, g.k, shared, acc);
    tile_write<S>(g, (T *)g.c + z * g.c_batch, tm * S::BM, tn * S::BN, acc);
}

/* The four layouts of one shape: which operand is k-contiguous stands in the name, k for yes and n for no. */
#define TILE_KERNEL(name, body, shape, blocks, x, y)                                                                   \
    extern "C" __global__ void __launch_bounds__(shape::THREADS, blocks) name(const GemmArgs g)                        \
    {                                                                                                                  \
        body<shape, x, y>(g);                                                                                          \
    }
#define TILE_KERNELS(name, body, shape, blocks)                                                                        \
    TILE_KERNEL(name##_kn, body, shape, blocks, true, false)                                                           \
    TILE_KERNEL(name##_kk, body, shape, blocks, true, true)                                                            \
    TILE_KERNEL(name##_nn, body, shape, blocks, false, false)                                                          \
    TILE_KERNEL(name##_nk, body, shape, blocks, false, true)

#endif
