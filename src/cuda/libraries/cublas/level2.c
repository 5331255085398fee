/* SPDX-License-Identifier: Apache-2.0
 *
 * A matrix and vectors.  Banded and packed matrices are not here yet (missing.def). */
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
