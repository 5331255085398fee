/* SPDX-License-Identifier: Apache-2.0
 *
 * A matrix and vectors.  Banded and packed matrices are not here yet (missing.def). */
#include "cuda/libraries/cublas/cublas.h"

static Blas gemv(void *handle, char letter, const char *name, int trans, int m, int n, const void *alpha, const void *a,
                 int lda, const void *x, int incx, const void *beta, void *y, int incy)
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
    c.work.operations = 2.0 * m * n;
    return call_end(&c, !m || !n);
}

/* routine: ger, geru or gerc */
static Blas ger(void *handle, char letter, const char *name, const char *routine, int m, int n, const void *alpha,
                const void *x, int incx, const void *y, int incy, void *a, int lda)
{
    Call c = call_begin(handle, letter, name, routine);
    call_refuse(&c, m < 0 || n < 0 || !incx || !incy);
    call_int(&c, m);
    call_int(&c, n);
    call_factor(&c, alpha, c.element);
    call_vector(&c, x, m, incx, LIBRARY_READS);
    call_vector(&c, y, n, incy, LIBRARY_READS);
    call_matrix(&c, a, lda, m, n, LIBRARY_UPDATES);
    c.work.operations = 2.0 * m * n;
    return call_end(&c, !m || !n);
}

static Blas symv(void *handle, char letter, const char *name, const char *routine, int fill, int n, const void *alpha,
                 const void *a, int lda, const void *x, int incx, const void *beta, void *y, int incy)
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
    c.work.operations = 2.0 * n * n;
    return call_end(&c, !n);
}

/* routine: trmv or trsv */
static Blas triangle(void *handle, char letter, const char *name, const char *routine, int fill, int trans, int diag,
                     int n, const void *a, int lda, void *x, int incx)
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
    c.work.operations = (double)n * n;
    return call_end(&c, !n);
}

/* y NULL: of one vector.  bytes: of alpha, which her has real. */
static Blas syr(void *handle, char letter, const char *name, const char *routine, int fill, int n, const void *alpha,
                size_t bytes, const void *x, int incx, const void *y, int incy, void *a, int lda)
{
    Call c = call_begin(handle, letter, name, routine);
    call_fill(&c, fill);
    call_refuse(&c, n < 0 || !incx || !incy);
    call_int(&c, n);
    call_factor(&c, alpha, bytes);
    call_vector(&c, x, n, incx, LIBRARY_READS);
    if (routine[3] == '2')
        call_vector(&c, y, n, incy, LIBRARY_READS);
    call_matrix(&c, a, lda, n, n, LIBRARY_UPDATES);
    call_part(&c, fill);
    c.work.operations = (double)n * n;
    return call_end(&c, !n);
}

#define FUNCTIONS(L, l)                                                                                                \
    Blas cublas##L##gemv_v2(void *h, int trans, int m, int n, const void *alpha, const void *a, int lda,               \
                            const void *x, int incx, const void *beta, void *y, int incy)                              \
    {                                                                                                                  \
        return gemv(h, l, "cublas" #L "gemv", trans, m, n, alpha, a, lda, x, incx, beta, y, incy);                     \
    }                                                                                                                  \
    Blas cublas##L##trmv_v2(void *h, int fill, int trans, int diag, int n, const void *a, int lda, void *x, int incx)  \
    {                                                                                                                  \
        return triangle(h, l, "cublas" #L "trmv", "trmv", fill, trans, diag, n, a, lda, x, incx);                      \
    }                                                                                                                  \
    Blas cublas##L##trsv_v2(void *h, int fill, int trans, int diag, int n, const void *a, int lda, void *x, int incx)  \
    {                                                                                                                  \
        return triangle(h, l, "cublas" #L "trsv", "trsv", fill, trans, diag, n, a, lda, x, incx);                      \
    }
FUNCTIONS(S, 's')
FUNCTIONS(D, 'd')
FUNCTIONS(C, 'c')
FUNCTIONS(Z, 'z')

#define SYMMETRIC(L, l, word, element, first)                                                                          \
    Blas cublas##L##word##mv_v2(void *h, int fill, int n, const void *alpha, const void *a, int lda, const void *x,    \
                                int incx, const void *beta, void *y, int incy)                                         \
    {                                                                                                                  \
        return symv(h, l, "cublas" #L#word "mv", #word "mv", fill, n, alpha, a, lda, x, incx, beta, y, incy);          \
    }                                                                                                                  \
    Blas cublas##L##word##r_v2(void *h, int fill, int n, const void *alpha, const void *x, int incx, void *a, int lda) \
    {                                                                                                                  \
        return syr(h, l, "cublas" #L#word "r", #word "r", fill, n, alpha, first, x, incx, NULL, 1, a, lda);            \
    }                                                                                                                  \
    Blas cublas##L##word##r2_v2(void *h, int fill, int n, const void *alpha, const void *x, int incx, const void *y,   \
                                int incy, void *a, int lda)                                                            \
    {                                                                                                                  \
        return syr(h, l, "cublas" #L#word "r2", #word "r2", fill, n, alpha, element, x, incx, y, incy, a, lda);        \
    }
SYMMETRIC(S, 's', sy, 4, 4)
SYMMETRIC(D, 'd', sy, 8, 8)
SYMMETRIC(C, 'c', he, 8, 4)
SYMMETRIC(Z, 'z', he, 16, 8)

#define OUTER(L, l, word)                                                                                              \
    Blas cublas##L##word##_v2(void *h, int m, int n, const void *alpha, const void *x, int incx, const void *y,        \
                              int incy, void *a, int lda)                                                              \
    {                                                                                                                  \
        return ger(h, l, "cublas" #L#word, #word, m, n, alpha, x, incx, y, incy, a, lda);                              \
    }
OUTER(S, 's', ger)
OUTER(D, 'd', ger)
OUTER(C, 'c', geru)
OUTER(C, 'c', gerc)
OUTER(Z, 'z', geru)
OUTER(Z, 'z', gerc)
