/* SPDX-License-Identifier: Apache-2.0
 *
 * Banded and packed matrices with vectors.  A band's corners, which no element of the matrix has, need not hold anything: of bands only
 * the place is checked, of packed triangles what stands there. */
#include "cuda/libraries/cublas/cublas.h"

static Blas gbmv(void *handle, char letter, const char *name, int trans, int64_t m, int64_t n, int64_t kl, int64_t ku,
                 const void *alpha, const void *a, int64_t lda, const void *x, int64_t incx, const void *beta, void *y,
                 int64_t incy)
{
    Call c = call_begin(handle, letter, name, "gbmv");
    call_op(&c, trans);
    call_refuse(&c, m < 0 || n < 0 || kl < 0 || ku < 0 || !incx || !incy);
    call_int(&c, m);
    call_int(&c, n);
    call_int(&c, kl);
    call_int(&c, ku);
    call_factor(&c, alpha, c.element);
    call_matrix(&c, a, lda, kl + ku + 1, n, LIBRARY_HOLDS);
    call_vector(&c, x, trans == OP_N ? n : m, incx, LIBRARY_READS);
    call_factor(&c, beta, c.element);
    call_vector(&c, y, trans == OP_N ? m : n, incy, LIBRARY_WRITES);
    call_scaled(&c);
    return call_end(&c, !m || !n);
}

/* sbmv, hbmv; spmv and hpmv where there is no leading dimension. */
static Blas symmetric(void *handle, char letter, const char *name, const char *routine, int fill, int64_t n, int64_t k,
                      const void *alpha, const void *a, int64_t lda, const void *x, int64_t incx, const void *beta,
                      void *y, int64_t incy)
{
    Call c = call_begin(handle, letter, name, routine);
    call_fill(&c, fill);
    call_refuse(&c, n < 0 || k < 0 || !incx || !incy);
    call_int(&c, n);
    if (lda)
        call_int(&c, k);
    call_factor(&c, alpha, c.element);
    if (lda)
        call_matrix(&c, a, lda, k + 1, n, LIBRARY_HOLDS);
    else
        call_packed(&c, a, n, LIBRARY_READS);
    call_vector(&c, x, n, incx, LIBRARY_READS);
    call_factor(&c, beta, c.element);
    call_vector(&c, y, n, incy, LIBRARY_WRITES);
    call_scaled(&c);
    return call_end(&c, !n);
}

/* tbmv, tbsv; tpmv and tpsv where there is no leading dimension. */
static Blas triangle(void *handle, char letter, const char *name, const char *routine, int fill, int trans, int diag,
                     int64_t n, int64_t k, const void *a, int64_t lda, void *x, int64_t incx)
{
    Call c = call_begin(handle, letter, name, routine);
    call_fill(&c, fill);
    call_op(&c, trans);
    call_diag(&c, diag);
    call_refuse(&c, n < 0 || k < 0 || !incx);
    call_int(&c, n);
    if (lda) {
        call_int(&c, k);
        call_matrix(&c, a, lda, k + 1, n, LIBRARY_HOLDS);
    } else {
        call_packed(&c, a, n, LIBRARY_READS);
    }
    call_vector(&c, x, n, incx, LIBRARY_UPDATES);
    return call_end(&c, !n);
}

/* A leading dimension of 0 is wrong for a band. */
#define BAND(ld) ((ld) > 0 ? (ld) : -1)

#define FUNCTIONS(L, l, X, Int)                                                                                        \
    Blas cublas##L##gbmv_v2##X(void *h, int trans, Int m, Int n, Int kl, Int ku, const void *alpha, const void *a,     \
                               Int lda, const void *x, Int incx, const void *beta, void *y, Int incy)                  \
    {                                                                                                                  \
        return gbmv(h, l, "cublas" #L "gbmv", trans, m, n, kl, ku, alpha, a, lda, x, incx, beta, y, incy);             \
    }                                                                                                                  \
    Blas cublas##L##tbmv_v2##X(void *h, int fill, int trans, int diag, Int n, Int k, const void *a, Int lda, void *x,  \
                               Int incx)                                                                               \
    {                                                                                                                  \
        return triangle(h, l, "cublas" #L "tbmv", "tbmv", fill, trans, diag, n, k, a, BAND(lda), x, incx);             \
    }                                                                                                                  \
    Blas cublas##L##tbsv_v2##X(void *h, int fill, int trans, int diag, Int n, Int k, const void *a, Int lda, void *x,  \
                               Int incx)                                                                               \
    {                                                                                                                  \
        return triangle(h, l, "cublas" #L "tbsv", "tbsv", fill, trans, diag, n, k, a, BAND(lda), x, incx);             \
    }                                                                                                                  \
    Blas cublas##L##tpmv_v2##X(void *h, int fill, int trans, int diag, Int n, const void *a, void *x, Int incx)        \
    {                                                                                                                  \
        return triangle(h, l, "cublas" #L "tpmv", "tpmv", fill, trans, diag, n, 0, a, 0, x, incx);                     \
    }                                                                                                                  \
    Blas cublas##L##tpsv_v2##X(void *h, int fill, int trans, int diag, Int n, const void *a, void *x, Int incx)        \
    {                                                                                                                  \
        return triangle(h, l, "cublas" #L "tpsv", "tpsv", fill, trans, diag, n, 0, a, 0, x, incx);                     \
    }
WIDTHS(FUNCTIONS, S, 's')
WIDTHS(FUNCTIONS, D, 'd')
WIDTHS(FUNCTIONS, C, 'c')
WIDTHS(FUNCTIONS, Z, 'z')

/* w: s or h; first: bytes of a factor of one vector's product. */
#define SYMMETRIC(L, l, w, element, first, X, Int)                                                                     \
    Blas cublas##L##w##bmv_v2##X(void *h, int fill, Int n, Int k, const void *alpha, const void *a, Int lda,           \
                                 const void *x, Int incx, const void *beta, void *y, Int incy)                         \
    {                                                                                                                  \
        return symmetric(h, l, "cublas" #L#w "bmv", #w "bmv", fill, n, k, alpha, a, BAND(lda), x, incx, beta, y,       \
                         incy);                                                                                        \
    }                                                                                                                  \
    Blas cublas##L##w##pmv_v2##X(void *h, int fill, Int n, const void *alpha, const void *a, const void *x, Int incx,  \
                                 const void *beta, void *y, Int incy)                                                  \
    {                                                                                                                  \
        return symmetric(h, l, "cublas" #L#w "pmv", #w "pmv", fill, n, 0, alpha, a, 0, x, incx, beta, y, incy);        \
    }                                                                                                                  \
    Blas cublas##L##w##pr_v2##X(void *h, int fill, Int n, const void *alpha, const void *x, Int incx, void *a)         \
    {                                                                                                                  \
        return call_rank(h, l, "cublas" #L#w "pr", #w "pr", fill, n, alpha, first, x, incx, NULL, 1, a, 0, true);      \
    }                                                                                                                  \
    Blas cublas##L##w##pr2_v2##X(void *h, int fill, Int n, const void *alpha, const void *x, Int incx, const void *y,  \
                                 Int incy, void *a)                                                                    \
    {                                                                                                                  \
        return call_rank(h, l, "cublas" #L#w "pr2", #w "pr2", fill, n, alpha, element, x, incx, y, incy, a, 0, true);  \
    }
WIDTHS(SYMMETRIC, S, 's', s, 4, 4)
WIDTHS(SYMMETRIC, D, 'd', s, 8, 8)
WIDTHS(SYMMETRIC, C, 'c', h, 8, 4)
WIDTHS(SYMMETRIC, Z, 'z', h, 16, 8)
