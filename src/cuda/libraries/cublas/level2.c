/* SPDX-License-Identifier: Apache-2.0
 *
 * A matrix and vectors, and triangles between packed and full.  Banded and packed matrices with vectors are in banded.c.  Of complex symmetric
 * matrices the routines are LAPACK's, which has no syr2: that is computed here. */
#include <string.h>

#include "cuda/libraries/cublas/cublas.h"

static Blas gemv(void *handle, char letter, const char *name, int trans, int64_t m, int64_t n, const void *alpha,
                 const void *a, int64_t lda, const void *x, int64_t incx, const void *beta, void *y, int64_t incy)
{
    Call c = call_begin(handle, letter, name, "gemv");
    call_op(&c, trans);
    call_refuse(&c, m < 0 || n < 0 || !incx || !incy);
    call_int(&c, m);
    call_int(&c, n);
    call_factor(&c, alpha, c.element);
    call_matrix(&c, a, lda, m, n, LIBRARY_READS);
    call_vector(&c, x, trans == OP_N ? n : m, incx, LIBRARY_READS);
    call_factor(&c, beta, c.element);
    call_vector(&c, y, trans == OP_N ? m : n, incy, LIBRARY_WRITES);
    call_scaled(&c);
    c.work.operations = 2.0 * (double)m * (double)n;
    return call_end(&c, !m || !n);
}

/* routine: ger, geru or gerc */
static Blas ger(void *handle, char letter, const char *name, const char *routine, int64_t m, int64_t n,
                const void *alpha, const void *x, int64_t incx, const void *y, int64_t incy, void *a, int64_t lda)
{
    Call c = call_begin(handle, letter, name, routine);
    call_refuse(&c, m < 0 || n < 0 || !incx || !incy);
    call_int(&c, m);
    call_int(&c, n);
    call_factor(&c, alpha, c.element);
    call_vector(&c, x, m, incx, LIBRARY_READS);
    call_vector(&c, y, n, incy, LIBRARY_READS);
    call_matrix(&c, a, lda, m, n, LIBRARY_UPDATES);
    c.work.operations = 2.0 * (double)m * (double)n;
    return call_end(&c, !m || !n);
}

static Blas symv(void *handle, char letter, const char *name, const char *routine, int fill, int64_t n,
                 const void *alpha, const void *a, int64_t lda, const void *x, int64_t incx, const void *beta, void *y,
                 int64_t incy)
{
    Call c = call_begin(handle, letter, name, routine);
    call_fill(&c, fill);
    call_refuse(&c, n < 0 || !incx || !incy);
    call_int(&c, n);
    call_factor(&c, alpha, c.element);
    call_matrix(&c, a, lda, n, n, LIBRARY_READS);
    call_part(&c, fill);
    call_vector(&c, x, n, incx, LIBRARY_READS);
    call_factor(&c, beta, c.element);
    call_vector(&c, y, n, incy, LIBRARY_WRITES);
    call_scaled(&c);
    c.work.operations = 2.0 * (double)n * (double)n;
    return call_end(&c, !n);
}

/* routine: trmv or trsv */
static Blas triangle(void *handle, char letter, const char *name, const char *routine, int fill, int trans, int diag,
                     int64_t n, const void *a, int64_t lda, void *x, int64_t incx)
{
    Call c = call_begin(handle, letter, name, routine);
    call_fill(&c, fill);
    call_op(&c, trans);
    call_diag(&c, diag);
    call_refuse(&c, n < 0 || !incx);
    call_int(&c, n);
    call_matrix(&c, a, lda, n, n, LIBRARY_READS);
    call_part(&c, fill);
    call_vector(&c, x, n, incx, LIBRARY_UPDATES);
    c.work.operations = (double)n * (double)n;
    return call_end(&c, !n);
}

Blas call_rank(void *handle, char letter, const char *name, const char *routine, int fill, int64_t n, const void *alpha,
               size_t bytes, const void *x, int64_t incx, const void *y, int64_t incy, void *a, int64_t lda,
               bool packed)
{
    Call c = call_begin(handle, letter, name, routine);
    call_fill(&c, fill);
    call_refuse(&c, n < 0 || !incx || !incy);
    call_int(&c, n);
    call_factor(&c, alpha, bytes);
    call_vector(&c, x, n, incx, LIBRARY_READS);
    if (routine[3] == '2')
        call_vector(&c, y, n, incy, LIBRARY_READS);
    if (packed) {
        call_packed(&c, a, n, LIBRARY_UPDATES);
    } else {
        call_matrix(&c, a, lda, n, n, LIBRARY_UPDATES);
        call_part(&c, fill);
    }
    c.work.operations = (double)n * (double)n;
    return call_end(&c, !n);
}

#define FUNCTIONS(L, l, X, Int)                                                                                        \
    Blas cublas##L##gemv_v2##X(void *h, int trans, Int m, Int n, const void *alpha, const void *a, Int lda,            \
                               const void *x, Int incx, const void *beta, void *y, Int incy)                           \
    {                                                                                                                  \
        return gemv(h, l, "cublas" #L "gemv", trans, m, n, alpha, a, lda, x, incx, beta, y, incy);                     \
    }                                                                                                                  \
    Blas cublas##L##trmv_v2##X(void *h, int fill, int trans, int diag, Int n, const void *a, Int lda, void *x,         \
                               Int incx)                                                                               \
    {                                                                                                                  \
        return triangle(h, l, "cublas" #L "trmv", "trmv", fill, trans, diag, n, a, lda, x, incx);                      \
    }                                                                                                                  \
    Blas cublas##L##trsv_v2##X(void *h, int fill, int trans, int diag, Int n, const void *a, Int lda, void *x,         \
                               Int incx)                                                                               \
    {                                                                                                                  \
        return triangle(h, l, "cublas" #L "trsv", "trsv", fill, trans, diag, n, a, lda, x, incx);                      \
    }
WIDTHS(FUNCTIONS, S, 's')
WIDTHS(FUNCTIONS, D, 'd')
WIDTHS(FUNCTIONS, C, 'c')
WIDTHS(FUNCTIONS, Z, 'z')

/* A += alpha x y' + alpha y x', complex and symmetric. */
typedef struct Rank2 {
    int         type, fill;
    int64_t     n, incx, incy, lda;
    const void *x, *y, *alpha; /* alpha: device memory; NULL: the copy */
    void       *a;
    _Alignas(16) unsigned char host[16];
} Rank2;

static void add_rank2(const void *args)
{
    const Rank2 *r      = args;
    Number       factor = number_at(r->type, r->alpha ? r->alpha : r->host, 0);
    int64_t      x0 = r->incx < 0 ? (1 - r->n) * r->incx : 0, y0 = r->incy < 0 ? (1 - r->n) * r->incy : 0;
    for (int64_t j = 0; j < r->n; j++)
        for (int64_t i = r->fill == FILL_LOWER ? j : 0; i < (r->fill == FILL_LOWER ? r->n : j + 1); i++) {
            Number xi = number_at(r->type, r->x, x0 + i * r->incx), yi = number_at(r->type, r->y, y0 + i * r->incy),
                   xj = number_at(r->type, r->x, x0 + j * r->incx), yj = number_at(r->type, r->y, y0 + j * r->incy),
                   p = number_product(xi, yj), q = number_product(yi, xj),
                   t = number_product(factor, (Number){p.re + q.re, p.im + q.im}),
                   o = number_at(r->type, r->a, j * r->lda + i);
            number_put(r->type, r->a, j * r->lda + i, (Number){o.re + t.re, o.im + t.im});
        }
}

static Blas syr2(void *handle, char letter, const char *name, int fill, int64_t n, const void *alpha, const void *x,
                 int64_t incx, const void *y, int64_t incy, void *a, int64_t lda)
{
    Call  c = call_begin(handle, letter, name, "");
    Rank2 r = {number_type(letter), fill, n, incx, incy, lda, x, y, NULL, a, {0}};
    call_fill(&c, fill);
    call_refuse(&c, n < 0 || !incx || !incy);
    call_factor(&c, alpha, c.element);
    call_vector(&c, x, n, incx, LIBRARY_READS);
    call_vector(&c, y, n, incy, LIBRARY_READS);
    call_matrix(&c, a, lda, n, n, LIBRARY_UPDATES);
    call_part(&c, fill);
    if (c.status)
        return c.status;
    r.alpha = c.factor[0].device;
    memcpy(r.host, c.factor[0].host, sizeof r.host);
    c.work.compute = add_rank2;
    c.work.args    = &r;
    c.work.bytes   = sizeof r;
    return call_end(&c, !n);
}

/* A triangle between a full matrix and packed columns, by LAPACK's trttp and tpttr, which say at the end what was wrong. */
static Blas pack(void *handle, char letter, const char *name, const char *routine, int fill, int64_t n, void *a,
                 int64_t lda, void *packed)
{
    Call c   = call_begin(handle, letter, name, routine);
    bool out = routine[1] == 'r';
    call_fill(&c, fill);
    call_refuse(&c, n < 0);
    call_int(&c, n);
    if (!out)
        call_packed(&c, packed, n, LIBRARY_READS);
    call_matrix(&c, a, lda, n, n, out ? LIBRARY_READS : LIBRARY_WRITES);
    call_part(&c, fill);
    if (out)
        call_packed(&c, packed, n, LIBRARY_WRITES);
    call_int(&c, 0);
    return call_end(&c, !n);
}

#define SYMMETRIC(L, l, word, element, first, X, Int)                                                                  \
    Blas cublas##L##word##mv_v2##X(void *h, int fill, Int n, const void *alpha, const void *a, Int lda, const void *x, \
                                   Int incx, const void *beta, void *y, Int incy)                                      \
    {                                                                                                                  \
        return symv(h, l, "cublas" #L#word "mv", #word "mv", fill, n, alpha, a, lda, x, incx, beta, y, incy);          \
    }                                                                                                                  \
    Blas cublas##L##word##r_v2##X(void *h, int fill, Int n, const void *alpha, const void *x, Int incx, void *a,       \
                                  Int lda)                                                                             \
    {                                                                                                                  \
        return call_rank(h, l, "cublas" #L#word "r", #word "r", fill, n, alpha, first, x, incx, NULL, 1, a, lda,       \
                         false);                                                                                       \
    }                                                                                                                  \
    Blas cublas##L##word##r2_v2##X(void *h, int fill, Int n, const void *alpha, const void *x, Int incx,               \
                                   const void *y, Int incy, void *a, Int lda)                                          \
    {                                                                                                                  \
        return call_rank(h, l, "cublas" #L#word "r2", #word "r2", fill, n, alpha, element, x, incx, y, incy, a, lda,   \
                         false);                                                                                       \
    }
WIDTHS(SYMMETRIC, S, 's', sy, 4, 4)
WIDTHS(SYMMETRIC, D, 'd', sy, 8, 8)
WIDTHS(SYMMETRIC, C, 'c', he, 8, 4)
WIDTHS(SYMMETRIC, Z, 'z', he, 16, 8)

#define OUTER(L, l, word, X, Int)                                                                                      \
    Blas cublas##L##word##_v2##X(void *h, Int m, Int n, const void *alpha, const void *x, Int incx, const void *y,     \
                                 Int incy, void *a, Int lda)                                                           \
    {                                                                                                                  \
        return ger(h, l, "cublas" #L#word, #word, m, n, alpha, x, incx, y, incy, a, lda);                              \
    }
WIDTHS(OUTER, S, 's', ger)
WIDTHS(OUTER, D, 'd', ger)
WIDTHS(OUTER, C, 'c', geru)
WIDTHS(OUTER, C, 'c', gerc)
WIDTHS(OUTER, Z, 'z', geru)
WIDTHS(OUTER, Z, 'z', gerc)

#define COMPLEX(L, l, X, Int)                                                                                          \
    Blas cublas##L##symv_v2##X(void *h, int fill, Int n, const void *alpha, const void *a, Int lda, const void *x,     \
                               Int incx, const void *beta, void *y, Int incy)                                          \
    {                                                                                                                  \
        return symv(h, l, "cublas" #L "symv", "symv", fill, n, alpha, a, lda, x, incx, beta, y, incy);                 \
    }                                                                                                                  \
    Blas cublas##L##syr_v2##X(void *h, int fill, Int n, const void *alpha, const void *x, Int incx, void *a, Int lda)  \
    {                                                                                                                  \
        size_t element = number_bytes(number_type(l));                                                                 \
        return call_rank(h, l, "cublas" #L "syr", "syr", fill, n, alpha, element, x, incx, NULL, 1, a, lda, false);    \
    }                                                                                                                  \
    Blas cublas##L##syr2_v2##X(void *h, int fill, Int n, const void *alpha, const void *x, Int incx, const void *y,    \
                               Int incy, void *a, Int lda)                                                             \
    {                                                                                                                  \
        return syr2(h, l, "cublas" #L "syr2", fill, n, alpha, x, incx, y, incy, a, lda);                               \
    }
WIDTHS(COMPLEX, C, 'c')
WIDTHS(COMPLEX, Z, 'z')

#define PACK(L, l)                                                                                                     \
    Blas cublas##L##trttp(void *h, int fill, int n, const void *a, int lda, void *packed)                              \
    {                                                                                                                  \
        return pack(h, l, "cublas" #L "trttp", "trttp", fill, n, (void *)(uintptr_t)a, lda, packed);                   \
    }                                                                                                                  \
    Blas cublas##L##tpttr(void *h, int fill, int n, const void *packed, void *a, int lda)                              \
    {                                                                                                                  \
        return pack(h, l, "cublas" #L "tpttr", "tpttr", fill, n, a, lda, (void *)(uintptr_t)packed);                   \
    }
PACK(S, 's')
PACK(D, 'd')
PACK(C, 'c')
PACK(Z, 'z')
