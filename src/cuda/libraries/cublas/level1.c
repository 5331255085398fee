/* SPDX-License-Identifier: Apache-2.0
 *
 * Vectors whose functions BLAS has: axpy, scal, copy and swap of the four types.  The others are in vectors.c. */
#include "cuda/libraries/cublas/cublas.h"

static Blas axpy(void *handle, char letter, const char *name, int64_t n, const void *alpha, const void *x, int64_t incx,
                 void *y, int64_t incy)
{
    Call c = call_begin(handle, letter, name, "axpy");
    call_int(&c, n);
    call_factor(&c, alpha, c.element);
    call_vector(&c, x, n, incx, LIBRARY_READS);
    call_vector(&c, y, n, incy, LIBRARY_UPDATES);
    c.work.operations = 2.0 * (double)n;
    return call_end(&c, n <= 0);
}

/* letters: of the routine, "cs" where a real number scales a complex vector. */
static Blas scal(void *handle, char letter, const char *name, const char *routine, size_t bytes, int64_t n,
                 const void *alpha, void *x, int64_t incx)
{
    Call c = call_begin(handle, letter, name, routine);
    call_int(&c, n);
    call_factor(&c, alpha, bytes);
    call_vector(&c, x, n, incx, LIBRARY_WRITES);
    call_scaled(&c);
    c.work.operations = (double)n;
    return call_end(&c, n <= 0 || incx <= 0);
}

/* routine: copy or swap */
static Blas move(void *handle, char letter, const char *name, const char *routine, int64_t n, const void *x,
                 int64_t incx, void *y, int64_t incy)
{
    Call c = call_begin(handle, letter, name, routine);
    call_int(&c, n);
    bool swap = routine[0] == 's';
    call_vector(&c, x, n, incx, swap ? LIBRARY_UPDATES : LIBRARY_READS);
    call_vector(&c, y, n, incy, swap ? LIBRARY_UPDATES : LIBRARY_WRITES);
    return call_end(&c, n <= 0);
}

/* ---- the functions ---- */

#define FUNCTIONS(L, l, element, X, Int)                                                                               \
    Blas cublas##L##axpy_v2##X(void *h, Int n, const void *alpha, const void *x, Int incx, void *y, Int incy)          \
    {                                                                                                                  \
        return axpy(h, l, "cublas" #L "axpy", n, alpha, x, incx, y, incy);                                             \
    }                                                                                                                  \
    Blas cublas##L##scal_v2##X(void *h, Int n, const void *alpha, void *x, Int incx)                                   \
    {                                                                                                                  \
        return scal(h, l, "cublas" #L "scal", "scal", element, n, alpha, x, incx);                                     \
    }                                                                                                                  \
    Blas cublas##L##copy_v2##X(void *h, Int n, const void *x, Int incx, void *y, Int incy)                             \
    {                                                                                                                  \
        return move(h, l, "cublas" #L "copy", "copy", n, x, incx, y, incy);                                            \
    }                                                                                                                  \
    Blas cublas##L##swap_v2##X(void *h, Int n, void *x, Int incx, void *y, Int incy)                                   \
    {                                                                                                                  \
        return move(h, l, "cublas" #L "swap", "swap", n, x, incx, y, incy);                                            \
    }
WIDTHS(FUNCTIONS, S, 's', 4)
WIDTHS(FUNCTIONS, D, 'd', 8)
WIDTHS(FUNCTIONS, C, 'c', 8)
WIDTHS(FUNCTIONS, Z, 'z', 16)

#define SCALE(name, l, routine, bytes, X, Int)                                                                         \
    Blas cublas##name##_v2##X(void *h, Int n, const void *alpha, void *x, Int incx)                                    \
    {                                                                                                                  \
        return scal(h, l, "cublas" #name, routine, bytes, n, alpha, x, incx);                                          \
    }
WIDTHS(SCALE, Csscal, 'c', "sscal", 4)
WIDTHS(SCALE, Zdscal, 'z', "dscal", 8)
