/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of before CUDA 4 (cublas.h): no handle, letters for operations, factors by value, results returned.  Each calls the function of
 * today with one handle of the process, which cublasInit or the first call makes (as the real library does); what went wrong is kept for
 * cublasGetError.  A product of a triangle takes its operand's place, as in BLAS. */
#include <pthread.h>
#include <stdio.h>

#include "cuda/libraries/cublas/cublas.h"

typedef struct C {
    float re, im;
} C;
typedef struct Z {
    double re, im;
} Z;
typedef float  S;
typedef double D;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void           *kept; /* the handle; under the lock, as the next */
static Blas            last;

static Blas keep(Blas b)
{
    pthread_mutex_lock(&lock);
    if (b)
        last = b;
    pthread_mutex_unlock(&lock);
    return b;
}

/* out: NULL, or where the handle goes. */
static Blas make(void **out)
{
    pthread_mutex_lock(&lock);
    Blas b = kept ? BLAS_SUCCESS : cublasCreate_v2(&kept);
    if (out)
        *out = kept;
    pthread_mutex_unlock(&lock);
    return b;
}

static void *handle(void)
{
    void *h;
    make(&h);
    return h;
}

Blas cublasInit(void)
{
    return make(NULL);
}

Blas cublasShutdown(void)
{
    pthread_mutex_lock(&lock);
    void *h = kept;
    kept    = NULL;
    pthread_mutex_unlock(&lock);
    return h ? cublasDestroy_v2(h) : BLAS_NOT_INITIALIZED;
}

/* What went wrong since the last question. */
Blas cublasGetError(void)
{
    pthread_mutex_lock(&lock);
    Blas b = last;
    last   = BLAS_SUCCESS;
    pthread_mutex_unlock(&lock);
    return b;
}

Blas cublasSetStream_v2(void *h, void *stream);

Blas cublasSetKernelStream(void *stream)
{
    return cublasSetStream_v2(handle(), stream);
}

Blas cublasAlloc(int n, int bytes, void **out)
{
    if (!handle())
        return BLAS_NOT_INITIALIZED;
    if (n <= 0 || bytes <= 0 || !out)
        return BLAS_INVALID_VALUE;
    return ww_cuda_library_allocate(out, (size_t)n * (size_t)bytes) ? BLAS_SUCCESS : BLAS_ALLOC_FAILED;
}

Blas cublasFree(void *p)
{
    if (!handle())
        return BLAS_NOT_INITIALIZED;
    return !p || ww_cuda_library_free(p) ? BLAS_SUCCESS : BLAS_INTERNAL_ERROR;
}

/* ---- letters; what is none of them is refused by the function of today ---- */

static int op(char c)
{
    return c == 'N' || c == 'n' ? OP_N : c == 'T' || c == 't' ? OP_T : c == 'C' || c == 'c' ? OP_C : -1;
}

static int fill(char c)
{
    return c == 'L' || c == 'l' ? FILL_LOWER : c == 'U' || c == 'u' ? FILL_UPPER : -1;
}

static int side(char c)
{
    return c == 'L' || c == 'l' ? SIDE_LEFT : c == 'R' || c == 'r' ? SIDE_RIGHT : -1;
}

static int diag(char c)
{
    return c == 'U' || c == 'u' ? DIAG_UNIT : c == 'N' || c == 'n' ? DIAG_NON_UNIT : -1;
}

/* ---- a function: NEW is declared, called with the handle and `values`, and what it answers is kept ---- */

#define OLD(name, takes, today, types, values)                                                                         \
    Blas cublas##today##_v2 types;                                                                                     \
    void cublas##name takes                                                                                            \
    {                                                                                                                  \
        keep(cublas##today##_v2 values);                                                                               \
    }
#define GIVES(type, name, takes, types, values)                                                                        \
    Blas cublas##name##_v2 types;                                                                                      \
    type cublas##name takes                                                                                            \
    {                                                                                                                  \
        type result = {0};                                                                                             \
        keep(cublas##name##_v2 values);                                                                                \
        return result;                                                                                                 \
    }

#define P         const void *
#define V1        (int n, P x, int incx)
#define V1_TYPES  (void *, int, P, int, void *)
#define V1_VALUES (handle(), n, x, incx, &result)
#define V2        (int n, P x, int incx, P y, int incy)
#define V2_TYPES  (void *, int, P, int, P, int, void *)
#define V2_VALUES (handle(), n, x, incx, y, incy, &result)

#define NUMBERS(norm, sum, real, most, least)                                                                          \
    GIVES(real, norm, V1, V1_TYPES, V1_VALUES)                                                                         \
    GIVES(real, sum, V1, V1_TYPES, V1_VALUES)                                                                          \
    GIVES(int, most, V1, V1_TYPES, V1_VALUES)                                                                          \
    GIVES(int, least, V1, V1_TYPES, V1_VALUES)
NUMBERS(Snrm2, Sasum, S, Isamax, Isamin)
NUMBERS(Dnrm2, Dasum, D, Idamax, Idamin)
NUMBERS(Scnrm2, Scasum, S, Icamax, Icamin)
NUMBERS(Dznrm2, Dzasum, D, Izamax, Izamin)
GIVES(S, Sdot, V2, V2_TYPES, V2_VALUES)
GIVES(D, Ddot, V2, V2_TYPES, V2_VALUES)
GIVES(C, Cdotu, V2, V2_TYPES, V2_VALUES)
GIVES(C, Cdotc, V2, V2_TYPES, V2_VALUES)
GIVES(Z, Zdotu, V2, V2_TYPES, V2_VALUES)
GIVES(Z, Zdotc, V2, V2_TYPES, V2_VALUES)

#define SCALE(name, T)                                                                                                 \
    OLD(name, (int n, T alpha, void *x, int incx), name, (void *, int, P, void *, int), (handle(), n, &alpha, x, incx))
SCALE(Csscal, S)
SCALE(Zdscal, D)

#define ROTATE(name, R, T)                                                                                             \
    OLD(name, (int n, void *x, int incx, void *y, int incy, R c, T s), name,                                           \
        (void *, int, void *, int, void *, int, P, P), (handle(), n, x, incx, y, incy, &c, &s))
ROTATE(Srot, S, S)
ROTATE(Drot, D, D)
ROTATE(Crot, S, C)
ROTATE(Zrot, D, Z)
ROTATE(Csrot, S, S)
ROTATE(Zdrot, D, D)

#define EVERY(L)                                                                                                       \
    SCALE(L##scal, L)                                                                                                  \
    OLD(L##copy, (int n, P x, int incx, void *y, int incy), L##copy, (void *, int, P, int, void *, int),               \
        (handle(), n, x, incx, y, incy))                                                                               \
    OLD(L##swap, (int n, void *x, int incx, void *y, int incy), L##swap, (void *, int, void *, int, void *, int),      \
        (handle(), n, x, incx, y, incy))                                                                               \
    OLD(L##axpy, (int n, L alpha, P x, int incx, void *y, int incy), L##axpy, (void *, int, P, P, int, void *, int),   \
        (handle(), n, &alpha, x, incx, y, incy))                                                                       \
    OLD(L##gemv, (char t, int m, int n, L alpha, P a, int lda, P x, int incx, L beta, void *y, int incy), L##gemv,     \
        (void *, int, int, int, P, P, int, P, int, P, void *, int),                                                    \
        (handle(), op(t), m, n, &alpha, a, lda, x, incx, &beta, y, incy))                                              \
    OLD(L##gbmv,                                                                                                       \
        (char t, int m, int n, int kl, int ku, L alpha, P a, int lda, P x, int incx, L beta, void *y, int incy),       \
        L##gbmv, (void *, int, int, int, int, int, P, P, int, P, int, P, void *, int),                                 \
        (handle(), op(t), m, n, kl, ku, &alpha, a, lda, x, incx, &beta, y, incy))                                      \
    TRIANGLE(L##trmv)                                                                                                  \
    TRIANGLE(L##trsv)                                                                                                  \
    BAND(L##tbmv)                                                                                                      \
    BAND(L##tbsv)                                                                                                      \
    PACKED(L##tpmv)                                                                                                    \
    PACKED(L##tpsv)                                                                                                    \
    OLD(L##gemm,                                                                                                       \
        (char ta, char tb, int m, int n, int k, L alpha, P a, int lda, P b, int ldb, L beta, void *c, int ldc),        \
        L##gemm, (void *, int, int, int, int, int, P, P, int, P, int, P, void *, int),                                 \
        (handle(), op(ta), op(tb), m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc))                                    \
    RANK_K(L##syrk, L)                                                                                                 \
    RANK_2K(L##syr2k, L, L)                                                                                            \
    SIDES(L##symm, L)                                                                                                  \
    OLD(L##trsm, (char s, char u, char t, char d, int m, int n, L alpha, P a, int lda, void *b, int ldb), L##trsm,     \
        (void *, int, int, int, int, int, int, P, P, int, void *, int),                                                \
        (handle(), side(s), fill(u), op(t), diag(d), m, n, &alpha, a, lda, b, ldb))                                    \
    OLD(L##trmm, (char s, char u, char t, char d, int m, int n, L alpha, P a, int lda, void *b, int ldb), L##trmm,     \
        (void *, int, int, int, int, int, int, P, P, int, P, int, void *, int),                                        \
        (handle(), side(s), fill(u), op(t), diag(d), m, n, &alpha, a, lda, b, ldb, b, ldb))
#define TRIANGLE(name)                                                                                                 \
    OLD(name, (char u, char t, char d, int n, P a, int lda, void *x, int incx), name,                                  \
        (void *, int, int, int, int, P, int, void *, int), (handle(), fill(u), op(t), diag(d), n, a, lda, x, incx))
#define BAND(name)                                                                                                     \
    OLD(name, (char u, char t, char d, int n, int k, P a, int lda, void *x, int incx), name,                           \
        (void *, int, int, int, int, int, P, int, void *, int),                                                        \
        (handle(), fill(u), op(t), diag(d), n, k, a, lda, x, incx))
#define PACKED(name)                                                                                                   \
    OLD(name, (char u, char t, char d, int n, P a, void *x, int incx), name,                                           \
        (void *, int, int, int, int, P, void *, int), (handle(), fill(u), op(t), diag(d), n, a, x, incx))
#define RANK_K(name, T)                                                                                                \
    OLD(name, (char u, char t, int n, int k, T alpha, P a, int lda, T beta, void *c, int ldc), name,                   \
        (void *, int, int, int, int, P, P, int, P, void *, int),                                                       \
        (handle(), fill(u), op(t), n, k, &alpha, a, lda, &beta, c, ldc))
#define RANK_2K(name, T, R)                                                                                            \
    OLD(name, (char u, char t, int n, int k, T alpha, P a, int lda, P b, int ldb, R beta, void *c, int ldc), name,     \
        (void *, int, int, int, int, P, P, int, P, int, P, void *, int),                                               \
        (handle(), fill(u), op(t), n, k, &alpha, a, lda, b, ldb, &beta, c, ldc))
#define SIDES(name, T)                                                                                                 \
    OLD(name, (char s, char u, int m, int n, T alpha, P a, int lda, P b, int ldb, T beta, void *c, int ldc), name,     \
        (void *, int, int, int, int, P, P, int, P, int, P, void *, int),                                               \
        (handle(), side(s), fill(u), m, n, &alpha, a, lda, b, ldb, &beta, c, ldc))
EVERY(S)
EVERY(D)
EVERY(C)
EVERY(Z)

/* Symmetric or Hermitian matrices with vectors; w: sy or he, p: s or h before the letter of band or packed; R: of one vector's factor. */
#define SYMMETRIC(L, w, p, R)                                                                                          \
    OLD(L##w##mv, (char u, int n, L alpha, P a, int lda, P x, int incx, L beta, void *y, int incy), L##w##mv,          \
        (void *, int, int, P, P, int, P, int, P, void *, int),                                                         \
        (handle(), fill(u), n, &alpha, a, lda, x, incx, &beta, y, incy))                                               \
    OLD(L##p##bmv, (char u, int n, int k, L alpha, P a, int lda, P x, int incx, L beta, void *y, int incy), L##p##bmv, \
        (void *, int, int, int, P, P, int, P, int, P, void *, int),                                                    \
        (handle(), fill(u), n, k, &alpha, a, lda, x, incx, &beta, y, incy))                                            \
    OLD(L##p##pmv, (char u, int n, L alpha, P a, P x, int incx, L beta, void *y, int incy), L##p##pmv,                 \
        (void *, int, int, P, P, P, int, P, void *, int), (handle(), fill(u), n, &alpha, a, x, incx, &beta, y, incy))  \
    OLD(L##w##r, (char u, int n, R alpha, P x, int incx, void *a, int lda), L##w##r,                                   \
        (void *, int, int, P, P, int, void *, int), (handle(), fill(u), n, &alpha, x, incx, a, lda))                   \
    OLD(L##p##pr, (char u, int n, R alpha, P x, int incx, void *a), L##p##pr, (void *, int, int, P, P, int, void *),   \
        (handle(), fill(u), n, &alpha, x, incx, a))                                                                    \
    OLD(L##w##r2, (char u, int n, L alpha, P x, int incx, P y, int incy, void *a, int lda), L##w##r2,                  \
        (void *, int, int, P, P, int, P, int, void *, int), (handle(), fill(u), n, &alpha, x, incx, y, incy, a, lda))  \
    OLD(L##p##pr2, (char u, int n, L alpha, P x, int incx, P y, int incy, void *a), L##p##pr2,                         \
        (void *, int, int, P, P, int, P, int, void *), (handle(), fill(u), n, &alpha, x, incx, y, incy, a))
SYMMETRIC(S, sy, s, S)
SYMMETRIC(D, sy, s, D)
SYMMETRIC(C, he, h, S)
SYMMETRIC(Z, he, h, D)

#define OUTER(name, L)                                                                                                 \
    OLD(name, (int m, int n, L alpha, P x, int incx, P y, int incy, void *a, int lda), name,                           \
        (void *, int, int, P, P, int, P, int, void *, int), (handle(), m, n, &alpha, x, incx, y, incy, a, lda))
OUTER(Sger, S)
OUTER(Dger, D)
OUTER(Cgeru, C)
OUTER(Cgerc, C)
OUTER(Zgeru, Z)
OUTER(Zgerc, Z)

#define REAL(L)                                                                                                        \
    OLD(L##rotg, (void *a, void *b, void *c, void *s), L##rotg, (void *, void *, void *, void *, void *),              \
        (handle(), a, b, c, s))                                                                                        \
    OLD(L##rotm, (int n, void *x, int incx, void *y, int incy, P param), L##rotm,                                      \
        (void *, int, void *, int, void *, int, P), (handle(), n, x, incx, y, incy, param))                            \
    OLD(L##rotmg, (void *d1, void *d2, void *x1, P y1, void *param), L##rotmg,                                         \
        (void *, void *, void *, void *, P, void *), (handle(), d1, d2, x1, y1, param))
REAL(S)
REAL(D)

#define HERMITIAN(L, R)                                                                                                \
    OLD(L##rotg, (void *a, L b, void *c, void *s), L##rotg, (void *, void *, void *, void *, void *),                  \
        (handle(), a, &b, c, s))                                                                                       \
    RANK_K(L##herk, R)                                                                                                 \
    RANK_2K(L##her2k, L, R)                                                                                            \
    SIDES(L##hemm, L)
HERMITIAN(C, S)
HERMITIAN(Z, D)
