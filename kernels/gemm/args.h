/* SPDX-License-Identifier: Apache-2.0
 *
 * The one argument of every matrix kernel, shared by host and device, and the matrix it describes.
 *
 *     C = alpha * X * Y + beta * C         C is m x n, row by row, rows ldc elements apart
 *     X(i, l) = x[i * x_row + l * x_col]   one of x_row, x_col is 1, the other is the leading dimension
 *     Y(l, j) = y[l * y_row + j * y_col]   likewise
 *
 * Every layout and transposition of the public interface is such a problem: a column-major one is the row-major one of
 * the transposed result.  A stride of 1 along l is "k-contiguous".  Problem z of a batch lies z strides further on.
 *
 * alpha and beta are the bits of the element type: float, or an integer modulo 2^32.  beta = 0 never reads C, whatever
 * is in it.  fill: which part of C is written (A * A^T only; the other kernels write all of it). */
#ifndef WW_KERNELS_GEMM_ARGS_H
#define WW_KERNELS_GEMM_ARGS_H

#if defined(__CUDACC__) || defined(__CUDA__)
typedef const void *GemmConst;
typedef void       *GemmPtr;
#else
#include <stdint.h>
typedef uint64_t GemmConst, GemmPtr;
#endif

/* The parameter `name` of a kernel, where it is; clang_cuda.h has its own way. */
#ifndef GRID_CONSTANT
#define GRID_CONSTANT(kernel, type, name) name
#endif

/* Which triangle is read (beta) and which are written; FULL reads the lower one. */
enum { GEMM_FILL_FULL = 0, GEMM_FILL_LOWER = 1, GEMM_FILL_UPPER = 2, GEMM_FILL_FULL_FROM_UPPER = 3 };

enum { GEMM_PAIRS = 8, GEMM_FOURS = 16 }; /* in GemmArgs.vector */

typedef struct GemmArgs {
    GemmConst          x, y;
    GemmPtr            c;
    GemmPtr            work;  /* stream-K: partial tiles; NULL elsewhere */
    GemmPtr            count; /* stream-K: one arrival counter a tile, zero before and after every launch */
    unsigned long long x_row, x_col, y_row, y_col, ldc;
    unsigned long long x_batch, y_batch, c_batch;
    int                m, n, k;
    unsigned           alpha, beta;
    int                fill;
    int                vector; /* bit 0: rows of x are aligned to 16 bytes; bit 1: of y; bit 2: of c; GEMM_PAIRS, GEMM_FOURS: half.h */
    int                parts;  /* k is shared out in so many parts (0: one), part z of the sums z * c_batch further on; batches: none */
} GemmArgs;

/* What becomes of a result v = alpha * sum + beta * C before it is rounded: f(v + row_bias[i] + column_bias[j]).  f(v) = v; v or 0, whichever is larger,
 * and NaN of NaN; v / (1 + 2^(v * (gate[0] + gate[1] * v * v))).  The biases have elements of C's type, 0: none. */
enum { GEMM_AS_IT_IS = 0, GEMM_RECTIFY = 1, GEMM_GATE = 2 };
typedef struct GemmEnd {
    GemmConst row_bias, column_bias;
    int       activation;
    float     gate[2];
} GemmEnd;

/* A pass over C that does this alone (finish.cu): problem z of a batch lies z * c_batch further on. */
typedef struct FinishArgs {
    GemmPtr            c;
    unsigned long long ldc, c_batch;
    int                m, n;
    GemmEnd            end;
} FinishArgs;

/* Tensor-copy kernels: the same problem with its operands as tensor maps (ww_tensor_map), X as k rows of m and Y as k rows of n
 * elements; a box is BK rows of a tile's side.  g.x and g.y are not used. */
typedef struct GemmMap {
#if defined(__CUDACC__) || defined(__CUDA__)
    __attribute__((aligned(64)))
#else
    _Alignas(64)
#endif
    unsigned long long word[16];
} GemmMap;

typedef struct TensorArgs {
    GemmMap x, y;
    GemmArgs  g;
} TensorArgs;

#endif
