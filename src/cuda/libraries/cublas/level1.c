/* SPDX-License-Identifier: Apache-2.0
 *
 * Vectors.  What gives a number writes it where the handle's pointer mode says; amax and amin count from 1, as BLAS does.  A size or a stride
 * below 1 gives 0, as cuBLAS documents. */
#include <math.h>
#include <string.h>

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

/* c real, s of `bytes`. */
static Blas rot(void *handle, char letter, const char *name, const char *routine, int64_t n, void *x, int64_t incx,
                void *y, int64_t incy, const void *cosine, size_t cbytes, const void *sine, size_t bytes)
{
    Call c = call_begin(handle, letter, name, routine);
    call_int(&c, n);
    call_vector(&c, x, n, incx, LIBRARY_UPDATES);
    call_vector(&c, y, n, incy, LIBRARY_UPDATES);
    call_factor(&c, cosine, cbytes);
    call_factor(&c, sine, bytes);
    c.work.operations = 6.0 * (double)n;
    return call_end(&c, n <= 0);
}

/* ---- results ---- */

typedef enum Kind { DOT, DOT_CONJUGATE, NORM, ABS_SUM, ABS_MOST, ABS_LEAST } Kind;

typedef struct Reduction {
    Kind        kind;
    char        letter;
    int64_t     n, incx, incy;
    bool        wide; /* an index has 64 bits */
    const void *x, *y;
    void       *result;
} Reduction;

/* Element i of the vector: real and imaginary part.  A vector of negative stride begins at its end. */
static void element(const Reduction *r, const void *p, int64_t stride, int64_t i, double out[2])
{
    int64_t at = stride < 0 ? (i - r->n + 1) * stride : i * stride;
    out[1]     = 0;
    switch (r->letter) {
    case 's': out[0] = ((const float *)p)[at]; break;
    case 'd': out[0] = ((const double *)p)[at]; break;
    case 'c':
        out[0] = ((const float *)p)[2 * at];
        out[1] = ((const float *)p)[2 * at + 1];
        break;
    default: out[0] = ((const double *)p)[2 * at]; out[1] = ((const double *)p)[2 * at + 1];
    }
}

/* Of the result. */
static size_t result_bytes(const Reduction *r)
{
    bool parts  = r->kind <= DOT_CONJUGATE && (r->letter == 'c' || r->letter == 'z'),
         single = r->letter == 's' || r->letter == 'c';
    return r->kind >= ABS_MOST ? (size_t)(r->wide ? 8 : 4) : (size_t)(single ? 4 : 8) * (parts ? 2 : 1);
}

static void reduce_to_index(const Reduction *r)
{
    double  best = 0, x[2];
    int64_t at   = 0;
    for (int64_t i = 0; i < r->n; i++) {
        element(r, r->x, r->incx, i, x);
        double size = fabs(x[0]) + fabs(x[1]);
        if (!at || (r->kind == ABS_MOST ? size > best : size < best)) {
            best = size;
            at   = i + 1;
        }
    }
    memcpy(r->result, r->wide ? (const void *)&at : &(int){(int)at}, result_bytes(r));
}

/* Sums in double: nearer to the card's tree of partial sums than a chain of floats. */
static void reduce(const void *args)
{
    const Reduction *r      = args;
    double           sum[2] = {0, 0}, x[2], y[2], scale = 0;
    if (r->kind == ABS_MOST || r->kind == ABS_LEAST) {
        reduce_to_index(r);
        return;
    }
    for (int64_t i = 0; r->kind == NORM && i < r->n; i++) { /* so that no square overflows */
        element(r, r->x, r->incx, i, x);
        scale = fmax(scale, fmax(fabs(x[0]), fabs(x[1])));
    }
    for (int64_t i = 0; i < r->n; i++) {
        element(r, r->x, r->incx, i, x);
        if (r->kind == NORM) {
            sum[0] += scale > 0 ? x[0] / scale * (x[0] / scale) + x[1] / scale * (x[1] / scale) : 0;
        } else if (r->kind == ABS_SUM) {
            sum[0] += fabs(x[0]) + fabs(x[1]);
        } else {
            element(r, r->y, r->incy, i, y);
            if (r->kind == DOT_CONJUGATE)
                x[1] = -x[1];
            sum[0] += x[0] * y[0] - x[1] * y[1];
            sum[1] += x[0] * y[1] + x[1] * y[0];
        }
    }
    if (r->kind == NORM)
        sum[0] = scale * sqrt(sum[0]);
    float single[] = {(float)sum[0], (float)sum[1]};
    memcpy(r->result, r->letter == 's' || r->letter == 'c' ? (const void *)single : sum, result_bytes(r));
}

static Blas result(void *handle, char letter, const char *name, Kind kind, bool wide, int64_t n, const void *x,
                   int64_t incx, const void *y, int64_t incy, void *to)
{
    Call      c = call_begin(handle, letter, name, "");
    Reduction r = {kind, letter, n > 0 ? n : 0, incx, incy, wide, x, y, to};
    if (kind > DOT_CONJUGATE && incx <= 0)
        r.n = 0;
    call_vector(&c, x, r.n, incx, LIBRARY_READS);
    if (kind <= DOT_CONJUGATE)
        call_vector(&c, y, r.n, incy, LIBRARY_READS);
    c.work.compute = reduce;
    c.work.args    = &r;
    c.work.bytes   = sizeof r;
    return call_result(&c, to, result_bytes(&r));
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

#define PRODUCT(name, l, kind, X, Int)                                                                                 \
    Blas cublas##name##_v2##X(void *h, Int n, const void *x, Int incx, const void *y, Int incy, void *to)              \
    {                                                                                                                  \
        return result(h, l, "cublas" #name, kind, sizeof(Int) == 8, n, x, incx, y, incy, to);                          \
    }
WIDTHS(PRODUCT, Sdot, 's', DOT)
WIDTHS(PRODUCT, Ddot, 'd', DOT)
WIDTHS(PRODUCT, Cdotu, 'c', DOT)
WIDTHS(PRODUCT, Cdotc, 'c', DOT_CONJUGATE)
WIDTHS(PRODUCT, Zdotu, 'z', DOT)
WIDTHS(PRODUCT, Zdotc, 'z', DOT_CONJUGATE)

#define NUMBER(name, l, kind, X, Int)                                                                                  \
    Blas cublas##name##_v2##X(void *h, Int n, const void *x, Int incx, void *to)                                       \
    {                                                                                                                  \
        return result(h, l, "cublas" #name, kind, sizeof(Int) == 8, n, x, incx, NULL, 1, to);                          \
    }
WIDTHS(NUMBER, Snrm2, 's', NORM)
WIDTHS(NUMBER, Dnrm2, 'd', NORM)
WIDTHS(NUMBER, Scnrm2, 'c', NORM)
WIDTHS(NUMBER, Dznrm2, 'z', NORM)
WIDTHS(NUMBER, Sasum, 's', ABS_SUM)
WIDTHS(NUMBER, Dasum, 'd', ABS_SUM)
WIDTHS(NUMBER, Scasum, 'c', ABS_SUM)
WIDTHS(NUMBER, Dzasum, 'z', ABS_SUM)
WIDTHS(NUMBER, Isamax, 's', ABS_MOST)
WIDTHS(NUMBER, Idamax, 'd', ABS_MOST)
WIDTHS(NUMBER, Icamax, 'c', ABS_MOST)
WIDTHS(NUMBER, Izamax, 'z', ABS_MOST)
WIDTHS(NUMBER, Isamin, 's', ABS_LEAST)
WIDTHS(NUMBER, Idamin, 'd', ABS_LEAST)
WIDTHS(NUMBER, Icamin, 'c', ABS_LEAST)
WIDTHS(NUMBER, Izamin, 'z', ABS_LEAST)

#define SCALE(name, l, routine, bytes, X, Int)                                                                         \
    Blas cublas##name##_v2##X(void *h, Int n, const void *alpha, void *x, Int incx)                                    \
    {                                                                                                                  \
        return scal(h, l, "cublas" #name, routine, bytes, n, alpha, x, incx);                                          \
    }
WIDTHS(SCALE, Csscal, 'c', "sscal", 4)
WIDTHS(SCALE, Zdscal, 'z', "dscal", 8)

#define ROTATE(name, l, routine, real, bytes, X, Int)                                                                  \
    Blas cublas##name##_v2##X(void *h, Int n, void *x, Int incx, void *y, Int incy, const void *c, const void *s)      \
    {                                                                                                                  \
        return rot(h, l, "cublas" #name, routine, n, x, incx, y, incy, c, real, s, bytes);                             \
    }
WIDTHS(ROTATE, Srot, 's', "rot", 4, 4)
WIDTHS(ROTATE, Drot, 'd', "rot", 8, 8)
WIDTHS(ROTATE, Csrot, 'c', "srot", 4, 4)
WIDTHS(ROTATE, Zdrot, 'z', "drot", 8, 8)
