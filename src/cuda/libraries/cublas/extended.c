/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of mixed types, and batches of products.  Operands whose type BLAS does not have are converted first: halves, bfloat16 and bytes.
 * Sums are of float, of double for double and for integers (exact up to 2^53, then taken modulo 2^32), also where the compute type would
 * allow sums of halves: a card's result may be less exact, not more. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/libraries/cublas/cublas.h"

/* cublasComputeType_t */
enum { COMPUTE_16F = 64, COMPUTE_32F = 68, COMPUTE_64F = 70, COMPUTE_32I = 72, COMPUTE_FAST = 74, COMPUTE_LAST = 78 };

typedef enum Batch { ONE, STRIDED, POINTERS } Batch;

typedef struct Operand {
    const void *p; /* POINTERS: of a list of pointers in device memory */
    int         type;
    int64_t     ld, stride;
} Operand;

typedef struct Product {
    int         ta, tb;
    int64_t     m, n, k, count;
    Batch       batch;
    char        letter; /* of the routine */
    int         scale;  /* type of alpha and beta */
    Operand     a, b, c;
    const char *call;
    Routine     gemm;
    const void *alpha, *beta; /* device memory; NULL: the copies */
    bool        beta_is_zero; /* known when it is computed */
    _Alignas(16) unsigned char host[2][16];
} Product;

typedef void (*Gemm)(const char *, const char *, const int *, const int *, const int *, const void *, const void *,
                     const int *, const void *, const int *, const void *, void *, const int *);

static bool is_complex(char letter)
{
    return letter == 'c' || letter == 'z';
}

/* The operand as the routine wants it, rows x columns without gaps; NULL: as it is. */
static void *converted(const Product *q, int type, const void *p, int64_t ld, int64_t rows, int64_t columns)
{
    if (number_letter(type) == q->letter)
        return NULL;
    char *out = calloc((size_t)(rows * columns) + 1, number_bytes(number_type(q->letter)));
    if (!out) {
        fprintf(stderr, "warpwright: %s: no memory for an operand of %lld x %lld\n", q->call, (long long)rows,
                (long long)columns);
        abort();
    }
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++)
            number_put(number_type(q->letter), out, j * rows + i, number_at(type, p, j * ld + i));
    return out;
}

static bool is_zero(const Product *q, const void *factor)
{
    Number x = number_at(number_type(q->letter), factor, 0);
    return x.re == 0 && x.im == 0;
}

static void multiply(const Product *q, const void *a, const void *b, void *c, const void *alpha, const void *beta)
{
    int64_t am = q->ta == OP_N ? q->m : q->k, an = q->ta == OP_N ? q->k : q->m;
    int64_t bm = q->tb == OP_N ? q->k : q->n, bn = q->tb == OP_N ? q->n : q->k;
    char    ops[] = {"NTC"[q->ta], "NTC"[q->tb]};
    void   *x = converted(q, q->a.type, a, q->a.ld, am, an), *y = converted(q, q->b.type, b, q->b.ld, bm, bn),
         *z = converted(q, q->c.type, c, q->c.ld, q->m, q->n);
    int m = (int)q->m, n = (int)q->n, k = (int)q->k, lda = (int)(x ? am > 1 ? am : 1 : q->a.ld),
        ldb = (int)(y ? bm > 1 ? bm : 1 : q->b.ld), ldc = (int)(z ? q->m : q->c.ld);
    if (z && is_zero(q, beta)) /* what stood there may be NaN */
        memset(z, 0, (size_t)q->m * (size_t)q->n * number_bytes(number_type(q->letter)));
    ((Gemm)q->gemm)(&ops[0], &ops[1], &m, &n, &k, alpha, x ? x : a, &lda, y ? y : b, &ldb, beta, z ? z : c, &ldc);
    for (int64_t j = 0; z && j < q->n; j++)
        for (int64_t i = 0; i < q->m; i++)
            number_put(q->c.type, c, j * q->c.ld + i, number_at(number_type(q->letter), z, j * q->m + i));
    free(x);
    free(y);
    free(z);
}

/* alpha or beta as the routine takes it. */
static void factor(const Product *q, const void *device, const unsigned char *host, unsigned char out[16])
{
    const void *p = device ? device : host;
    if (is_complex(q->letter))
        memcpy(out, p, number_bytes(number_type(q->letter)));
    else
        number_put(number_type(q->letter), out, 0, number_at(q->scale, p, 0));
}

static LibrarySpan span(const Product *q, const Operand *o, const void *p, int64_t rows, int64_t columns)
{
    size_t e = number_bytes(o->type);
    return (LibrarySpan){.at     = p,
                         .pitch  = (size_t)o->ld * e,
                         .width  = (size_t)rows * e,
                         .height = (size_t)columns,
                         .use    = o != &q->c        ? LIBRARY_READS
                                   : q->beta_is_zero ? LIBRARY_WRITES
                                                     : LIBRARY_UPDATES};
}

static const void *item(const Product *q, const Operand *o, int64_t i)
{
    const char *const *list = o->p;
    return q->batch == POINTERS ? list[i] : (const char *)o->p + o->stride * i * (int64_t)number_bytes(o->type);
}

static void compute(const void *args)
{
    Product                    p         = *(const Product *)args;
    const Product             *q         = &p;
    _Alignas(16) unsigned char alpha[16] = {0}, beta[16] = {0};
    factor(q, q->alpha, q->host[0], alpha);
    factor(q, q->beta, q->host[1], beta);
    p.beta_is_zero = is_zero(q, beta);
    for (int64_t i = 0; i < q->count; i++) {
        const void *a = item(q, &q->a, i), *b = item(q, &q->b, i), *c = item(q, &q->c, i);
        LibrarySpan s[] = {span(q, &q->a, a, q->ta == OP_N ? q->m : q->k, q->ta == OP_N ? q->k : q->m),
                           span(q, &q->b, b, q->tb == OP_N ? q->k : q->n, q->tb == OP_N ? q->n : q->k),
                           span(q, &q->c, c, q->m, q->n)};
        for (size_t k = 0; k < sizeof s / sizeof *s; k++)
            if (!ww_cuda_library_uses(q->call, &s[k]))
                return;
        multiply(q, a, b, (void *)(uintptr_t)c, alpha, beta);
        ww_cuda_library_wrote(&s[2]);
    }
}

static int scale_of(int compute_type, int *letter)
{
    switch (compute_type) {
    case COMPUTE_16F:
    case COMPUTE_16F + 1:
    case R_16F: *letter = 's'; return R_16F;
    case COMPUTE_64F:
    case COMPUTE_64F + 1:
    case R_64F: *letter = 'd'; return R_64F;
    case COMPUTE_32I:
    case COMPUTE_32I + 1:
    case R_32I: *letter = 'd'; return R_32I;
    case C_32F: *letter = 'c'; return C_32F;
    case C_64F: *letter = 'z'; return C_64F;
    case COMPUTE_32F:
    case COMPUTE_32F + 1:
    case R_32F: *letter = 's'; return R_32F;
    default: *letter = compute_type >= COMPUTE_FAST && compute_type <= COMPUTE_LAST ? 's' : 0; return R_32F;
    }
}

static Blas product(void *handle, Product q, const void *alpha, const void *beta, int compute_type)
{
    static const char *const routines[] = {"sgemm_", "dgemm_", "cgemm_", "zgemm_"};
    int                      letter;
    Call                     c = call_begin(handle, 's', q.call, "");
    q.scale                    = scale_of(compute_type, &letter);
    if (c.status)
        return c.status;
    if (!letter || !number_bytes(q.a.type) || !number_bytes(q.b.type) || !number_bytes(q.c.type) ||
        number_is_complex(q.a.type) != number_is_complex(q.c.type))
        return BLAS_NOT_SUPPORTED;
    if (q.a.type == C_32F || q.a.type == C_64F) { /* the compute type says no more than the size */
        letter  = q.a.type == C_32F ? 'c' : 'z';
        q.scale = q.a.type;
    }
    int64_t am = q.ta == OP_N ? q.m : q.k, bm = q.tb == OP_N ? q.k : q.n;
    call_refuse(&c, q.m < 0 || q.n < 0 || q.k < 0 || q.count < 0 || q.ta < OP_N || q.ta > OP_C || q.tb < OP_N ||
                        q.tb > OP_C);
    call_refuse(&c, q.a.ld < (am > 1 ? am : 1) || q.b.ld < (bm > 1 ? bm : 1) || q.c.ld < (q.m > 1 ? q.m : 1) ||
                        !alpha || !beta);
    call_refuse(&c, q.m && q.n && q.count && (!q.c.p || (q.k && (!q.a.p || !q.b.p))));
    if (c.status || !q.m || !q.n || !q.count)
        return c.status;
    const int64_t sizes[] = {q.m, q.n, q.k, q.a.ld, q.b.ld, q.c.ld};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i] > INT_MAX) /* the routine's integers */
            return BLAS_NOT_SUPPORTED;
    q.letter = (char)letter;
    q.gemm   = host_routine(routines[letter == 's' ? 0 : letter == 'd' ? 1 : letter == 'c' ? 2 : 3]);
    if (!q.gemm)
        return BLAS_NOT_SUPPORTED;
    if (c.handle->pointer == POINTER_DEVICE) {
        q.alpha = alpha;
        q.beta  = beta;
        call_memory(&c, alpha, number_bytes(q.scale), LIBRARY_READS);
        call_memory(&c, beta, number_bytes(q.scale), LIBRARY_READS);
    } else {
        memcpy(q.host[0], alpha, number_bytes(q.scale));
        memcpy(q.host[1], beta, number_bytes(q.scale));
    }
    const Operand *const all[] = {&q.a, &q.b, &q.c};
    for (size_t i = 0; q.batch == POINTERS && i < sizeof all / sizeof *all; i++)
        call_memory(&c, all[i]->p, (size_t)q.count * sizeof(void *), LIBRARY_READS);
    c.work.compute    = compute;
    c.work.args       = &q;
    c.work.bytes      = sizeof q;
    c.work.operations = (is_complex(q.letter) ? 8.0 : 2.0) * (double)q.m * (double)q.n * (double)q.k * (double)q.count;
    return call_end(&c, false);
}

/* ---- the functions ---- */

#define OPERANDS(atype, btype, ctype, sa, sb, sc)                                                                      \
    .a = {a, atype, lda, sa}, .b = {b, btype, ldb, sb}, .c = {c, ctype, ldc, sc}
#define SIZES(name, kind, number)                                                                                      \
    .ta = ta, .tb = tb, .m = m, .n = n, .k = k, .count = number, .batch = kind, .call = name

#define EX(X, Int)                                                                                                     \
    Blas cublasGemmEx##X(void *h, int ta, int tb, Int m, Int n, Int k, const void *alpha, const void *a, int atype,    \
                         Int lda, const void *b, int btype, Int ldb, const void *beta, void *c, int ctype, Int ldc,    \
                         int type, int algorithm)                                                                      \
    {                                                                                                                  \
        (void)algorithm;                                                                                               \
        return product(h, (Product){SIZES("cublasGemmEx", ONE, 1), OPERANDS(atype, btype, ctype, 0, 0, 0)}, alpha,     \
                       beta, type);                                                                                    \
    }                                                                                                                  \
    Blas cublasGemmStridedBatchedEx##X(void *h, int ta, int tb, Int m, Int n, Int k, const void *alpha, const void *a, \
                                       int atype, Int lda, long long sa, const void *b, int btype, Int ldb,            \
                                       long long sb, const void *beta, void *c, int ctype, Int ldc, long long sc,      \
                                       Int count, int type, int algorithm)                                             \
    {                                                                                                                  \
        (void)algorithm;                                                                                               \
        return product(                                                                                                \
            h,                                                                                                         \
            (Product){SIZES("cublasGemmStridedBatchedEx", STRIDED, count), OPERANDS(atype, btype, ctype, sa, sb, sc)}, \
            alpha, beta, type);                                                                                        \
    }                                                                                                                  \
    Blas cublasGemmBatchedEx##X(void *h, int ta, int tb, Int m, Int n, Int k, const void *alpha, const void *a,        \
                                int atype, Int lda, const void *b, int btype, Int ldb, const void *beta, void *c,      \
                                int ctype, Int ldc, Int count, int type, int algorithm)                                \
    {                                                                                                                  \
        (void)algorithm;                                                                                               \
        return product(                                                                                                \
            h, (Product){SIZES("cublasGemmBatchedEx", POINTERS, count), OPERANDS(atype, btype, ctype, 0, 0, 0)},       \
            alpha, beta, type);                                                                                        \
    }
EX(, int)
EX(_64, int64_t)

/* Sums of float, or of complex floats. */
#define WIDE(L, compute_type, X, Int)                                                                                  \
    Blas cublas##L##gemmEx##X(void *h, int ta, int tb, Int m, Int n, Int k, const void *alpha, const void *a,          \
                              int atype, Int lda, const void *b, int btype, Int ldb, const void *beta, void *c,        \
                              int ctype, Int ldc)                                                                      \
    {                                                                                                                  \
        return product(h, (Product){SIZES("cublas" #L "gemmEx", ONE, 1), OPERANDS(atype, btype, ctype, 0, 0, 0)},      \
                       alpha, beta, compute_type);                                                                     \
    }
WIDTHS(WIDE, S, COMPUTE_32F)
WIDTHS(WIDE, C, C_32F)

#define BATCHES(L, type, compute_type, X, Int)                                                                         \
    Blas cublas##L##gemmBatched##X(void *h, int ta, int tb, Int m, Int n, Int k, const void *alpha, const void *a,     \
                                   Int lda, const void *b, Int ldb, const void *beta, const void *c, Int ldc,          \
                                   Int count)                                                                          \
    {                                                                                                                  \
        return product(                                                                                                \
            h, (Product){SIZES("cublas" #L "gemmBatched", POINTERS, count), OPERANDS(type, type, type, 0, 0, 0)},      \
            alpha, beta, compute_type);                                                                                \
    }                                                                                                                  \
    Blas cublas##L##gemmStridedBatched##X(void *h, int ta, int tb, Int m, Int n, Int k, const void *alpha,             \
                                          const void *a, Int lda, long long sa, const void *b, Int ldb, long long sb,  \
                                          const void *beta, void *c, Int ldc, long long sc, Int count)                 \
    {                                                                                                                  \
        return product(h,                                                                                              \
                       (Product){SIZES("cublas" #L "gemmStridedBatched", STRIDED, count),                              \
                                 OPERANDS(type, type, type, sa, sb, sc)},                                              \
                       alpha, beta, compute_type);                                                                     \
    }
WIDTHS(BATCHES, S, R_32F, COMPUTE_32F)
WIDTHS(BATCHES, D, R_64F, COMPUTE_64F)
WIDTHS(BATCHES, C, C_32F, C_32F)
WIDTHS(BATCHES, Z, C_64F, C_64F)
WIDTHS(BATCHES, H, R_16F, COMPUTE_16F)

#define HALF(X, Int)                                                                                                   \
    Blas cublasHgemm##X(void *h, int ta, int tb, Int m, Int n, Int k, const void *alpha, const void *a, Int lda,       \
                        const void *b, Int ldb, const void *beta, void *c, Int ldc)                                    \
    {                                                                                                                  \
        return product(h, (Product){SIZES("cublasHgemm", ONE, 1), OPERANDS(R_16F, R_16F, R_16F, 0, 0, 0)}, alpha,      \
                       beta, COMPUTE_16F);                                                                             \
    }
HALF(, int)
HALF(_64, int64_t)

/* ---- batches of a matrix and a vector ---- */

/* y' = x' * op(A)', of rows: a vector is a matrix of one row whose columns are a stride apart. */
static Blas vectors(void *handle, const char *name, Batch batch, int op, int64_t m, int64_t n, const void *alpha,
                    Operand a, Operand x, const void *beta, Operand y, int64_t count, int compute_type)
{
    if (handle_of(handle) && (x.ld <= 0 || y.ld <= 0 || (op == OP_C && number_is_complex(a.type)))) {
        ww_cuda_library_missing(name);
        return x.ld && y.ld ? BLAS_NOT_SUPPORTED : BLAS_INVALID_VALUE;
    }
    Product q = {.tb    = op == OP_N ? OP_T : OP_N,
                 .m     = 1,
                 .n     = op == OP_N ? m : n,
                 .k     = op == OP_N ? n : m,
                 .count = count,
                 .batch = batch,
                 .call  = name,
                 .a     = x,
                 .b     = a,
                 .c     = y};
    return a.ld < (m > 1 ? m : 1) ? BLAS_INVALID_VALUE : product(handle, q, alpha, beta, compute_type);
}

#define VECTORS(L, in, out, compute_type, X, Int)                                                                      \
    Blas cublas##L##gemvBatched##X(void *h, int ta, Int m, Int n, const void *alpha, const void *a, Int lda,           \
                                   const void *x, Int incx, const void *beta, const void *y, Int incy, Int count)      \
    {                                                                                                                  \
        return vectors(h, "cublas" #L "gemvBatched", POINTERS, ta, m, n, alpha, (Operand){a, in, lda, 0},              \
                       (Operand){x, in, incx, 0}, beta, (Operand){y, out, incy, 0}, count, compute_type);              \
    }                                                                                                                  \
    Blas cublas##L##gemvStridedBatched##X(void *h, int ta, Int m, Int n, const void *alpha, const void *a, Int lda,    \
                                          long long sa, const void *x, Int incx, long long sx, const void *beta,       \
                                          void *y, Int incy, long long sy, Int count)                                  \
    {                                                                                                                  \
        return vectors(h, "cublas" #L "gemvStridedBatched", STRIDED, ta, m, n, alpha, (Operand){a, in, lda, sa},       \
                       (Operand){x, in, incx, sx}, beta, (Operand){y, out, incy, sy}, count, compute_type);            \
    }
WIDTHS(VECTORS, S, R_32F, R_32F, COMPUTE_32F)
WIDTHS(VECTORS, D, R_64F, R_64F, COMPUTE_64F)
WIDTHS(VECTORS, C, C_32F, C_32F, C_32F)
WIDTHS(VECTORS, Z, C_64F, C_64F, C_64F)
WIDTHS(VECTORS, HSH, R_16F, R_16F, COMPUTE_32F)
WIDTHS(VECTORS, HSS, R_16F, R_32F, COMPUTE_32F)
WIDTHS(VECTORS, TST, R_16BF, R_16BF, COMPUTE_32F)
WIDTHS(VECTORS, TSS, R_16BF, R_32F, COMPUTE_32F)
