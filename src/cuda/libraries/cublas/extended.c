/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of mixed types, batches and groups of products, and products of which a triangle is wanted (syrkx, herkx).  Operands whose type BLAS does
 * not have are converted first: halves, bfloat16 and bytes. Sums are of float, of double for double and for integers (exact up to 2^53, then taken
 * modulo 2^32), also where the compute type would allow sums of halves: a card's result may be less exact, not more. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/libraries/cublas/cublas.h"

/* cublasComputeType_t */
enum {
    COMPUTE_16F       = 64,
    COMPUTE_32F       = 68,
    COMPUTE_64F       = 70,
    COMPUTE_32I       = 72,
    COMPUTE_FAST      = 74,
    COMPUTE_LAST      = 78,
    COMPUTE_64F_FIXED = 79
};

typedef enum Batch { ONE, STRIDED, POINTERS } Batch;

typedef struct Operand {
    const void *p; /* POINTERS: of a list of pointers in device memory */
    int         type;
    int64_t     ld, stride;
} Operand;

typedef struct Product {
    int     ta, tb;
    int64_t m, n, k, count;
    Batch   batch;
    char    letter;            /* of the routine */
    int     scale, beta_scale; /* types of alpha and beta */
    bool    triangle, hermitian,
        alpha_real; /* only the triangle `fill` is written; its diagonal and beta are real, and alpha */
    bool        everywhere, factors; /* operands, alpha and beta are the host's */
    int         fill;
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

/* The product stands in x, m apart: its triangle is added to beta times what is there. */
static void put_triangle(const Product *q, const void *x, void *c, const void *beta)
{
    Number factor = number_at(number_type(q->letter), beta, 0);
    bool   over   = factor.re == 0 && factor.im == 0;
    for (int64_t j = 0; j < q->n; j++)
        for (int64_t i = q->fill == FILL_LOWER ? j : 0; i < (q->fill == FILL_LOWER ? q->m : j + 1); i++) {
            Number v = number_at(number_type(q->letter), x, j * q->m + i),
                   o = over ? (Number){0, 0} : number_product(factor, number_at(q->c.type, c, j * q->c.ld + i));
            number_put(q->c.type, c, j * q->c.ld + i, (Number){v.re + o.re, q->hermitian && i == j ? 0 : v.im + o.im});
        }
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
         *z = q->triangle ? ww_cuda_library_memory((size_t)(q->m * q->n) * number_bytes(number_type(q->letter)))
                          : converted(q, q->c.type, c, q->c.ld, q->m, q->n);
    int m = (int)q->m, n = (int)q->n, k = (int)q->k, lda = (int)(x ? am > 1 ? am : 1 : q->a.ld),
        ldb = (int)(y ? bm > 1 ? bm : 1 : q->b.ld), ldc = (int)(z ? q->m : q->c.ld);
    static const double zero[2];
    if (z && !q->triangle && is_zero(q, beta)) /* what stood there may be NaN */
        memset(z, 0, (size_t)q->m * (size_t)q->n * number_bytes(number_type(q->letter)));
    ((Gemm)q->gemm)(&ops[0], &ops[1], &m, &n, &k, alpha, x ? x : a, &lda, y ? y : b, &ldb, q->triangle ? zero : beta,
                    z ? z : c, &ldc);
    if (q->triangle)
        put_triangle(q, z, c, beta);
    for (int64_t j = 0; z && !q->triangle && j < q->n; j++)
        for (int64_t i = 0; i < q->m; i++)
            number_put(q->c.type, c, j * q->c.ld + i, number_at(number_type(q->letter), z, j * q->m + i));
    free(x);
    free(y);
    free(z);
}

/* alpha or beta as the routine takes it. */
static void factor(const Product *q, int type, const void *device, const unsigned char *host, unsigned char out[16])
{
    number_put(number_type(q->letter), out, 0, number_at(type, device ? device : host, 0));
}

static LibrarySpan span(const Product *q, const Operand *o, const void *p, int64_t rows, int64_t columns)
{
    size_t e = number_bytes(o->type);
    return (LibrarySpan){.at      = p,
                         .pitch   = (size_t)o->ld * e,
                         .width   = (size_t)rows * e,
                         .height  = (size_t)columns,
                         .use     = o != &q->c        ? LIBRARY_READS
                                    : q->beta_is_zero ? LIBRARY_WRITES
                                                      : LIBRARY_UPDATES,
                         .part    = o != &q->c || !q->triangle ? LIBRARY_WHOLE
                                    : q->fill == FILL_LOWER    ? LIBRARY_LOWER
                                                               : LIBRARY_UPPER,
                         .element = e};
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
    factor(q, q->scale, q->alpha, q->host[0], alpha);
    factor(q, q->beta_scale, q->beta, q->host[1], beta);
    p.beta_is_zero = is_zero(q, beta);
    for (int64_t i = 0; i < q->count; i++) {
        const void *a = item(q, &q->a, i), *b = item(q, &q->b, i), *c = item(q, &q->c, i);
        LibrarySpan s[] = {span(q, &q->a, a, q->ta == OP_N ? q->m : q->k, q->ta == OP_N ? q->k : q->m),
                           span(q, &q->b, b, q->tb == OP_N ? q->k : q->n, q->tb == OP_N ? q->n : q->k),
                           span(q, &q->c, c, q->m, q->n)};
        for (size_t k = 0; !q->everywhere && k < sizeof s / sizeof *s; k++)
            if (!ww_cuda_library_uses(q->call, &s[k]))
                return;
        multiply(q, a, b, (void *)(uintptr_t)c, alpha, beta);
        if (!q->everywhere)
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
    case COMPUTE_64F_FIXED:
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
    q.everywhere = c.handle->host;
    if (!letter || !number_bytes(q.a.type) || !number_bytes(q.b.type) || !number_bytes(q.c.type) ||
        number_is_complex(q.a.type) != number_is_complex(q.c.type))
        return BLAS_NOT_SUPPORTED;
    if (number_is_complex(q.a.type)) { /* the compute type says no more than the size */
        letter  = q.a.type == C_64F ? 'z' : 'c';
        q.scale = number_type((char)letter);
    }
    q.beta_scale = q.hermitian ? q.scale == C_64F ? R_64F : R_32F : q.scale;
    if (q.alpha_real)
        q.scale = q.beta_scale;
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
    if (c.handle->pointer == POINTER_DEVICE && !q.factors) {
        q.alpha = alpha;
        q.beta  = beta;
        call_memory(&c, alpha, number_bytes(q.scale), LIBRARY_READS);
        call_memory(&c, beta, number_bytes(q.beta_scale), LIBRARY_READS);
    } else {
        memcpy(q.host[0], alpha, number_bytes(q.scale));
        memcpy(q.host[1], beta, number_bytes(q.beta_scale));
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
#define WIDE(gemm, compute_type, X, Int)                                                                               \
    Blas cublas##gemm##Ex##X(void *h, int ta, int tb, Int m, Int n, Int k, const void *alpha, const void *a,           \
                             int atype, Int lda, const void *b, int btype, Int ldb, const void *beta, void *c,         \
                             int ctype, Int ldc)                                                                       \
    {                                                                                                                  \
        return product(h, (Product){SIZES("cublas" #gemm "Ex", ONE, 1), OPERANDS(atype, btype, ctype, 0, 0, 0)},       \
                       alpha, beta, compute_type);                                                                     \
    }
WIDTHS(WIDE, Sgemm, COMPUTE_32F)
WIDTHS(WIDE, Cgemm, C_32F)
WIDTHS(WIDE, Cgemm3m, C_32F) /* three real products for four: another order of the same sums */

#define BATCHES(gemm, type, compute_type, X, Int)                                                                      \
    Blas cublas##gemm##Batched##X(void *h, int ta, int tb, Int m, Int n, Int k, const void *alpha, const void *a,      \
                                  Int lda, const void *b, Int ldb, const void *beta, const void *c, Int ldc,           \
                                  Int count)                                                                           \
    {                                                                                                                  \
        return product(                                                                                                \
            h, (Product){SIZES("cublas" #gemm "Batched", POINTERS, count), OPERANDS(type, type, type, 0, 0, 0)},       \
            alpha, beta, compute_type);                                                                                \
    }                                                                                                                  \
    Blas cublas##gemm##StridedBatched##X(void *h, int ta, int tb, Int m, Int n, Int k, const void *alpha,              \
                                         const void *a, Int lda, long long sa, const void *b, Int ldb, long long sb,   \
                                         const void *beta, void *c, Int ldc, long long sc, Int count)                  \
    {                                                                                                                  \
        return product(                                                                                                \
            h,                                                                                                         \
            (Product){SIZES("cublas" #gemm "StridedBatched", STRIDED, count), OPERANDS(type, type, type, sa, sb, sc)}, \
            alpha, beta, compute_type);                                                                                \
    }
WIDTHS(BATCHES, Sgemm, R_32F, COMPUTE_32F)
WIDTHS(BATCHES, Dgemm, R_64F, COMPUTE_64F)
WIDTHS(BATCHES, Cgemm, C_32F, C_32F)
WIDTHS(BATCHES, Zgemm, C_64F, C_64F)
WIDTHS(BATCHES, Hgemm, R_16F, COMPUTE_16F)
WIDTHS(BATCHES, Cgemm3m, C_32F, C_32F)

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

/* ---- groups: every group a batch with sizes and factors of its own; the sizes and factors are the host's ---- */

typedef struct Groups {
    const int  *ta, *tb;
    const char *alpha, *beta;
    Operand     a, b, c;
    const void *m, *n, *k, *lda, *ldb, *ldc, *size; /* of 32 or 64 bits */
    int64_t     count;
    bool        wide;
} Groups;

static int64_t size_at(const Groups *g, const void *list, int64_t i)
{
    return g->wide ? ((const int64_t *)list)[i] : ((const int *)list)[i];
}

/* Product of group i, whose matrices begin at `first` of the lists. */
static Product group(const Groups *g, const char *name, int64_t i, int64_t first)
{
    const Operand *from[] = {&g->a, &g->b, &g->c};
    const void    *lds[]  = {g->lda, g->ldb, g->ldc};
    Operand        to[3];
    for (int o = 0; o < 3; o++) {
        to[o]    = *from[o];
        to[o].p  = from[o]->p ? (const char *)from[o]->p + (size_t)first * sizeof(void *) : NULL;
        to[o].ld = size_at(g, lds[o], i);
    }
    return (Product){.call    = name,
                     .factors = true,
                     .batch   = POINTERS,
                     .ta      = g->ta[i],
                     .tb      = g->tb[i],
                     .m       = size_at(g, g->m, i),
                     .n       = size_at(g, g->n, i),
                     .k       = size_at(g, g->k, i),
                     .count   = size_at(g, g->size, i),
                     .a       = to[0],
                     .b       = to[1],
                     .c       = to[2]};
}

static Blas groups(void *handle, const char *name, Groups g, int compute_type)
{
    int    letter, scale = scale_of(compute_type, &letter);
    Blas   b     = !handle_of(handle) ? BLAS_NOT_INITIALIZED : g.count < 0 ? BLAS_INVALID_VALUE : BLAS_SUCCESS;
    size_t bytes = number_bytes(scale);
    if (!b && g.count &&
        (!g.ta || !g.tb || !g.m || !g.n || !g.k || !g.lda || !g.ldb || !g.ldc || !g.size || !g.alpha || !g.beta))
        b = BLAS_INVALID_VALUE;
    for (int pass = 0; pass < 2; pass++) /* nothing is computed before all is known to be right */
        for (int64_t i = 0, first = 0; !b && i < g.count; first += size_at(&g, g.size, i), i++) {
            Product q = group(&g, name, i, first);
            if (!pass)
                q.count = q.count > 0 ? 0 : q.count;
            b = product(handle, q, g.alpha + (size_t)i * bytes, g.beta + (size_t)i * bytes, compute_type);
        }
    return b;
}

#define GROUP_LISTS                                                                                                    \
    .ta = ta, .tb = tb, .alpha = alpha, .beta = beta, .m = m, .n = n, .k = k, .lda = lda, .ldb = ldb, .ldc = ldc,      \
    .size = size, .count = count
#define GROUPED(L, type, compute_type, X, Int)                                                                         \
    Blas cublas##L##gemmGroupedBatched##X(void *h, const int *ta, const int *tb, const Int *m, const Int *n,           \
                                          const Int *k, const void *alpha, const void *a, const Int *lda,              \
                                          const void *b, const Int *ldb, const void *beta, const void *c,              \
                                          const Int *ldc, Int count, const Int *size)                                  \
    {                                                                                                                  \
        return groups(h, "cublas" #L "gemmGroupedBatched",                                                             \
                      (Groups){GROUP_LISTS, .a = {a, type, 0, 0}, .b = {b, type, 0, 0}, .c = {c, type, 0, 0},          \
                               .wide = sizeof(Int) == 8},                                                              \
                      compute_type);                                                                                   \
    }
WIDTHS(GROUPED, S, R_32F, COMPUTE_32F)
WIDTHS(GROUPED, D, R_64F, COMPUTE_64F)

#define GROUPED_EX(X, Int)                                                                                             \
    Blas cublasGemmGroupedBatchedEx##X(void *h, const int *ta, const int *tb, const Int *m, const Int *n,              \
                                       const Int *k, const void *alpha, const void *a, int atype, const Int *lda,      \
                                       const void *b, int btype, const Int *ldb, const void *beta, const void *c,      \
                                       int ctype, const Int *ldc, Int count, const Int *size, int compute_type)        \
    {                                                                                                                  \
        return groups(h, "cublasGemmGroupedBatchedEx",                                                                 \
                      (Groups){GROUP_LISTS, .a = {a, atype, 0, 0}, .b = {b, btype, 0, 0}, .c = {c, ctype, 0, 0},       \
                               .wide = sizeof(Int) == 8},                                                              \
                      compute_type);                                                                                   \
    }
GROUPED_EX(, int)
GROUPED_EX(_64, int64_t)

/* ---- triangles: alpha op(A) op(B)' + beta C ---- */

static Blas triangle(void *handle, Product q, int trans, int compute_type, const void *alpha, const void *beta)
{
    int turned = q.hermitian ? OP_C : OP_T; /* whichever of the two is asked for: read on an H100 */
    if (handle_of(handle) && (trans < OP_N || trans > OP_C || (q.fill != FILL_LOWER && q.fill != FILL_UPPER)))
        return BLAS_INVALID_VALUE;
    if (handle_of(handle) && q.a.type == C_8I) { /* documented, and refused by an H100 */
        ww_cuda_library_missing(q.call);
        return BLAS_NOT_SUPPORTED;
    }
    q.triangle = true;
    q.ta       = trans == OP_N ? OP_N : turned;
    q.tb       = trans == OP_N ? turned : OP_N;
    q.m        = q.n;
    q.count    = 1;
    return product(handle, q, alpha, beta, compute_type);
}

#define RANK(name, type, h_, compute_type, Int, ...)                                                                   \
    Blas name(void *h, int fill_, int trans, Int n_, Int k_, const void *alpha, const void *a_, Int lda,               \
              const void *b_, Int ldb, const void *beta, void *c_, Int ldc)                                            \
    {                                                                                                                  \
        return triangle(h,                                                                                             \
                        (Product){.call      = __VA_ARGS__,                                                            \
                                  .fill      = fill_,                                                                  \
                                  .n         = (int64_t)n_,                                                            \
                                  .k         = (int64_t)k_,                                                            \
                                  .hermitian = h_,                                                                     \
                                  .a         = {a_, type, (int64_t)lda, 0},                                            \
                                  .b         = {b_, type, (int64_t)ldb, 0},                                            \
                                  .c         = {c_, type, (int64_t)ldc, 0}},                                                   \
                        trans, compute_type, alpha, beta);                                                             \
    }
#define RANKS(word, L, type, hermitian, compute_type)                                                                  \
    RANK(cublas##L##word, type, hermitian, compute_type, int, "cublas" #L#word)                                        \
    RANK(cublas##L##word##_64, type, hermitian, compute_type, int64_t, "cublas" #L#word)                               \
    RANK(cublasXt##L##word, type, hermitian, compute_type, size_t, "cublasXt" #L#word)
RANKS(syrkx, S, R_32F, false, COMPUTE_32F)
RANKS(syrkx, D, R_64F, false, COMPUTE_64F)
RANKS(syrkx, C, C_32F, false, C_32F)
RANKS(syrkx, Z, C_64F, false, C_64F)
RANKS(herkx, C, C_32F, true, C_32F)
RANKS(herkx, Z, C_64F, true, C_64F)

/* A times itself, of bytes or floats; of a Hermitian one both factors are real. */
#define SELF(name, h_, X, Int)                                                                                         \
    Blas cublas##name##X(void *h, int fill_, int trans, Int n_, Int k_, const void *alpha, const void *a_, int atype,  \
                         Int lda, const void *beta, void *c_, int ctype, Int ldc)                                      \
    {                                                                                                                  \
        return triangle(h,                                                                                             \
                        (Product){.call       = "cublas" #name,                                                        \
                                  .fill       = fill_,                                                                 \
                                  .n          = n_,                                                                    \
                                  .k          = k_,                                                                    \
                                  .hermitian  = h_,                                                                    \
                                  .alpha_real = h_,                                                                    \
                                  .a          = {a_, atype, lda, 0},                                                   \
                                  .b          = {a_, atype, lda, 0},                                                   \
                                  .c          = {c_, ctype, ldc, 0}},                                                           \
                        trans, C_32F, alpha, beta);                                                                    \
    }
WIDTHS(SELF, CsyrkEx, false)
WIDTHS(SELF, Csyrk3mEx, false)
WIDTHS(SELF, CherkEx, true)
WIDTHS(SELF, Cherk3mEx, true)
