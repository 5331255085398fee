/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix products on any device of warpwright.h: the emulator or a GPU.
 *
 *     C = alpha * op(A) * op(B) + beta * C        ww_gemm   float; int32 modulo 2^32; int64 of int32; double; with biases and an activation,
 *                                                         not of integers and doubles
 *     C = alpha * A * A^T + beta * C              ww_syrk   the whole symmetric result, or one triangle
 *     X' = a X + (b A + c A A) X, A = X X^T       ww_newton_schulz   steps of Newton and Schulz, fp16 and bf16
 *
 * Conventions are those of BLAS: a matrix is a pointer to its first element and a leading dimension, the distance in elements
 * from one row (row-major) or column (column-major) to the next; a sub-matrix is a pointer into it with the same leading
 * dimension.  With alpha = 0 neither A nor B is read, with beta = 0 C is not read, whatever they hold; with k = 0 the result is
 * beta * C, whatever alpha is.  A result must not overlap an operand: only one that begins where an operand of its own problem does
 * is refused.
 *
 * Exactness: float results are sums of products in float32, double ones in double, each added with one rounding; the same call gives the same bits
 * in every run.  Products of fp16, bf16 and fp8 are exact.  Where tensor cores add them (sm_90a), each step cuts 16 of them and the sum so
 * far at 25 bits below the largest; of fp8 32 of them at 13 bits, and what 128 of k add up to, or 256 for 16-bit results, is added
 * as floats (docs/matrix.md).  Elsewhere each is added with one rounding.
 * int32 results are exact modulo 2^32, int64 results of int32 operands modulo 2^64.
 *
 * Errors: everything is checked before anything runs (whether operands lie in allocations, on the emulator alone); ww_device_error() of the
 * device says what is wrong.  Start from a zeroed structure: fields that are left out mean the plain case (alpha must be set). */
#ifndef WARPWRIGHT_BLAS_H
#define WARPWRIGHT_BLAS_H

#include "warpwright/warpwright.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The kernels of one device, loaded as they are needed, and a workspace that grows.  Close it before its device.  Used by
 * one thread at a time, like its device. */
typedef struct WwBlas WwBlas;

WwStatus ww_blas_open(WwDevice *d, WwBlas **out);
void     ww_blas_close(WwBlas *b);

/* Everything asked of b afterwards goes on that stream: on a GPU a call then returns when its work is enqueued (ww_stream_open says what
 * follows from that).  NULL: calls are complete when they return.  The work on the stream before is waited for, since the workspace
 * is one: two streams that are to work at once take a WwBlas each. */
WwStatus ww_blas_stream(WwBlas *b, WwStream *s);
/* Takes b off its stream without waiting: what is asked of b next begins when the work it left there is complete.  For
 * streams of others, which may be gone by then; before ww_blas_stream(b, other) the stream must still exist. */
WwStatus ww_blas_leave(WwBlas *b);

/* WW_I32_I64: int32 operands, C, alpha and beta int64.  WW_F16 and WW_BF16: A, B and C of 16 bits; ..._F32: C is float.  Of these alpha and beta
 * are floats, and so are the sums; a 16-bit result is rounded once, to nearest even, beta * C included.
 * WW_E4M3_... and WW_E5M2_...: A and B of 8 bits (OCP 8-bit floating point: e4m3 has no infinities, 0x7f is its NaN), C float or bf16, the same
 * otherwise; each row of op(A) and each column of op(B) may have a scale (WwGemm.scale_a).
 * WW_F64: A, B, C, alpha and beta are doubles. */
typedef enum WwType {
    WW_F32       = 0,
    WW_I32       = 1,
    WW_I32_I64   = 2,
    WW_F16       = 3,
    WW_BF16      = 4,
    WW_F16_F32   = 5,
    WW_BF16_F32  = 6,
    WW_E4M3_F32  = 7,
    WW_E5M2_F32  = 8,
    WW_E4M3_BF16 = 9,
    WW_E5M2_BF16 = 10,
    WW_F64       = 11
} WwType;
typedef enum WwLayout { WW_ROW_MAJOR = 0, WW_COLUMN_MAJOR = 1 } WwLayout;
typedef enum WwFill { WW_FULL = 0, WW_LOWER = 1, WW_UPPER = 2 } WwFill;

/* How float products may be computed.
 * WW_EXACT    each product is added in float arithmetic, with one rounding.
 * WW_TENSOR   as well on the tensor cores (sm_90a) where that is faster, each number as two fp16: the error of an element is at most
 *             (k + 16) 2^-24 |A||B|, the bound of float arithmetic but for the 16, and as a rule a fifth of what float arithmetic has, since
 *             fewer sums are rounded.  A pass over the operands looks for what two fp16 cannot hold: rows of op(A) or columns of op(B) whose numbers
 *             differ by more than 2^16 where it may be seen in a result, infinities, NaN, a largest number below 2^-100.  Then the product is
 *             computed as by WW_EXACT.
 *             Double products (not A * A^T) as 14 products of bytes, each number as an integer of up to 51 bits: as a rule a quarter of the error of double
 *             arithmetic, at most 42 sqrt(k) 2^-53 |A||B|.  A pass over the operands looks for rows of op(A) and columns of op(B) of which more than a quarter
 *             (of both together half) is below 3/16 of their root mean square, infinities, NaN, a largest number outside of 2^-400 to 2^400.  Then the
 *             product is computed as by WW_EXACT.  The workspace is 14 bytes for each element of op(A) and op(B) and up to a gigabyte for C, k at most 65536.
 * Batches and other types do not know WW_TENSOR and compute as by WW_EXACT. */
typedef enum WwPrecision { WW_EXACT = 0, WW_TENSOR = 1 } WwPrecision;

/* What is made of each element of a result, computed in float before it is rounded.
 * WW_RELU  v, or 0 where v is negative; NaN of NaN.
 * WW_GELU  0.5 v (1 + tanh(sqrt(2 / pi) (v + 0.044715 v^3))) (Hendrycks and Gimpel 2016, "Gaussian error linear units", the approximation by tanh)
 * WW_SILU  v / (1 + exp(-v))
 * The last two are within 2^-17 of their size, below 2^-100 within 2^-100, but NaN of minus infinity. */
typedef enum WwActivation { WW_NO_ACTIVATION = 0, WW_RELU = 1, WW_GELU = 2, WW_SILU = 3 } WwActivation;

/* The member of the problem's type counts. */
typedef union WwScalar {
    float   f32;
    double  f64;
    int32_t i32;
    int64_t i64;
} WwScalar;

typedef struct WwGemm {
    WwType   type;
    WwLayout layout;  /* of all three matrices */
    bool     trans_a; /* A is stored transposed: as k x m */
    bool     trans_b; /* B is stored transposed: as n x k */
    size_t   m, n, k; /* C is m x n, op(A) m x k, op(B) k x n; each may be 0 */
    WwScalar alpha, beta;
    WwPtr    a, b, c; /* aligned to an element's bytes */
    size_t   lda, ldb, ldc;
    /* Batches.  batch = 0 or 1: one problem.  Problem i reads a + i * stride_a (elements; 0 = one matrix for all) and so on, or,
     * where a_array is not NULL, the three host arrays give the addresses instead.  Rows of one result may lie between those of
     * another (stride_c < ldc), but no two results share an element. */
    size_t       batch;
    size_t       stride_a, stride_b, stride_c;
    const WwPtr *a_array, *b_array, *c_array;
    /* A rung of the ladder by its name ("wide"; ww_blas_rung), or by its name and how many blocks share out k ("middle:16": 1 to 8
     * or a multiple of 8 up to 128; rungs of smaller tiles that do not share it out evenly); NULL = chosen for the problem.  The first
     * five take no more than 65535 tiles across. */
    const char *rung;
    WwPrecision precision;
    /* 0, or the address of a word of device memory: with precision WW_TENSOR it is 0 when the product is complete and came from the tensor cores,
     * else not 0. */
    WwPtr told;
    /* Device memory for the kernel's own use; 0 = the library's, which grows when needed. */
    WwPtr  workspace;
    size_t workspace_bytes;
    /* Of 8-bit operands alone: device addresses of m and of n floats (batch: so many for each problem, one behind the other), by which each row of op(A) and
     * each column of op(B) is multiplied; 0: by 1.  C = alpha * (scale_a(i) * scale_b(j)) * sum of op(A)(i, l) * op(B)(l, j) + beta * C. */
    WwPtr scale_a, scale_b;
    /* C = activation(alpha * op(A) * op(B) + beta * C + bias): device addresses of m and of n elements of C's type, one for each row of C and one for each
     * column, the same ones for all problems of a batch; 0: none.  Not of integers and doubles.  Of floats a second kernel does it, in a pass over C. */
    WwPtr        row_bias, column_bias;
    WwActivation activation;
} WwGemm;

WwStatus ww_gemm(WwBlas *b, const WwGemm *p);
/* Bytes of workspace that ww_gemm would use for this problem. */
WwStatus ww_gemm_workspace(WwBlas *b, const WwGemm *p, size_t *bytes);
/* The rung that would compute it, as WwGemm.rung names it; valid until the next such question on b. */
WwStatus ww_gemm_rung(WwBlas *b, const WwGemm *p, const char **rung);

/* A is n x k (trans: stored as k x n, the product is then A^T * A); C is n x n.
 * WW_FULL writes both halves, bit for bit the same, and reads only the lower triangle of C (beta != 0).  WW_LOWER and
 * WW_UPPER read and write that triangle only.  Lower means row index >= column index, in either layout. */
typedef struct WwSyrk {
    WwType   type;
    WwLayout layout;
    WwFill   fill;
    bool     trans;
    size_t   n, k;
    WwScalar alpha, beta;
    WwPtr    a, c;
    size_t   lda, ldc;
    /* As in WwGemm. */
    size_t       batch, stride_a, stride_c;
    const WwPtr *a_array, *c_array;
    const char  *rung;
    WwPrecision  precision;
    WwPtr        told;
    WwPtr        workspace;
    size_t       workspace_bytes;
    WwPtr        scale; /* of each row of A, as in WwGemm: n floats */
} WwSyrk;

WwStatus ww_syrk(WwBlas *b, const WwSyrk *p);
WwStatus ww_syrk_workspace(WwBlas *b, const WwSyrk *p, size_t *bytes);
/* A large whole int32 result is ww_gemm's, on the tensor cores ("bytes"). */
WwStatus ww_syrk_rung(WwBlas *b, const WwSyrk *p, const char **rung);

/* Newton-Schulz steps towards the orthogonal factor of X, as the Muon optimiser takes them:
 *
 *     X' = a * X + (b * A + c * A * A) * X,  A = X * X^T        where m <= n; else the same of the transpose, with A = X^T * X
 *
 * on 16-bit matrices with float sums; A, b * A + c * A * A and each X' are rounded to 16 bits, once each.  X is to be scaled before, so that its
 * largest singular value is at most about 1 (Muon divides by the Frobenius norm).  a, b, c: 3.4445, -4.7750, 2.0315 are Muon's (Jordan and
 * others 2024, "Muon: an optimizer for hidden layers in neural networks"); 1.5, -0.5, 0 is the classical step.
 * y must not overlap x, which stays as it is.  Two square matrices of the shorter side, and with more than one step one as X, lie in memory of
 * the library's, which grows when needed.  WW_ERR_INVALID: what does not fit, as with ww_gemm. */
typedef struct WwNewtonSchulz {
    WwType   type; /* WW_F16 or WW_BF16 */
    WwLayout layout;
    size_t   m, n;
    float    a, b, c;
    size_t   steps; /* 0: 1 */
    WwPtr    x, y;
    size_t   ldx, ldy;
} WwNewtonSchulz;

WwStatus ww_newton_schulz(WwBlas *b, const WwNewtonSchulz *p);

/* Copies `bytes` bytes from any address to any other of the same device by a kernel whose accesses are all aligned.
 * WW_ERR_INVALID: the ranges overlap. */
WwStatus ww_blas_copy(WwBlas *b, WwPtr dst, WwPtr src, size_t bytes);

/* A matrix of `rows` rows of `columns` elements to other leading dimensions (row by row, in elements), or transposed: dst is then `columns`
 * rows of `rows` elements.  Untransposed rows may begin at any byte; transposed elements have 1, 2, 4, 8 or 16 bytes and are aligned to
 * them.  No byte between the rows is touched.  Source and destination must not overlap: only a destination that begins where its source does
 * is refused. */
typedef struct WwCopy {
    size_t element; /* bytes */
    bool   trans;
    size_t rows, columns;
    WwPtr  src, dst;
    size_t ld_src, ld_dst;
} WwCopy;

WwStatus ww_blas_copy_matrix(WwBlas *b, const WwCopy *p);

/* The i-th rung of a ladder ("gemm" or "aat"), from the first to the best; NULL past the last. */
const char *ww_blas_rung(const char *ladder, size_t i);

#ifdef __cplusplus
}
#endif
#endif
