/* SPDX-License-Identifier: Apache-2.0
 *
 * Vectors of any types: what gives a number (dot, nrm2, asum, amax, amin), rotations, and the functions that name each operand's type (Ex).  Numbers
 * pass through double, so that sums are nearer to the card's tree of partial sums than a chain of floats would be.  Numbers beside the
 * vectors are the host's or the device's, as the handle's pointer mode says; where a host's number is written the call waits.  The
 * rotations are those of the BLAS standard (Givens; modified Givens of Gentleman and Hammarling). */
#include <math.h>
#include <string.h>

#include "cuda/libraries/cublas/cublas.h"

typedef enum Task { AXPY, SCAL, COPY, SWAP, ROT, ROTM, DOT, DOTC, NRM2, ASUM, AMAX, AMIN, ROTG, ROTMG } Task;

enum { GIVEN = 5, GIVEN_BYTES = 80, ANY = -1 };

typedef struct Vector {
    const void *p;
    int         type;
    int64_t     stride;
} Vector;

typedef struct Given { /* numbers beside the vectors */
    const void *p;
    int         type, count;
    LibraryUse  use;
} Given;

typedef struct Work {
    Task     task;
    int64_t  n;
    Vector   v[2];
    Given    given[GIVEN];
    unsigned vectors, givens;
    bool     host; /* read numbers are copied */
    _Alignas(16) unsigned char copy[GIVEN][GIVEN_BYTES];
} Work;

/* A vector of negative stride begins at its end. */
static int64_t place(const Work *w, const Vector *v, int64_t i)
{
    return v->stride < 0 ? (i - w->n + 1) * v->stride : i * v->stride;
}

static Number get(const Work *w, unsigned which, int64_t i)
{
    return number_at(w->v[which].type, w->v[which].p, place(w, &w->v[which], i));
}

static void put(const Work *w, unsigned which, int64_t i, Number x)
{
    number_put(w->v[which].type, (void *)(uintptr_t)w->v[which].p, place(w, &w->v[which], i), x);
}

static Number given(const Work *w, unsigned which, int i)
{
    const Given *g = &w->given[which];
    return number_at(g->type, w->host && g->use == LIBRARY_READS ? w->copy[which] : g->p, i);
}

static void give(const Work *w, unsigned which, int i, Number x)
{
    number_put(w->given[which].type, (void *)(uintptr_t)w->given[which].p, i, x);
}

static Number sum(Number a, Number b)
{
    return (Number){a.re + b.re, a.im + b.im};
}

static Number conjugate(Number a)
{
    return (Number){a.re, -a.im};
}

static Number real(double x)
{
    return (Number){x, 0};
}

/* ---- every element by itself ---- */

static void elements(const Work *w)
{
    Number factor = w->givens ? given(w, 0, 0) : real(0), s = w->task == ROT ? given(w, 1, 0) : real(0);
    for (int64_t i = 0; i < w->n; i++) {
        Number x = get(w, 0, i), y = w->vectors > 1 ? get(w, 1, i) : real(0);
        switch (w->task) {
        case AXPY: put(w, 1, i, sum(number_product(factor, x), y)); break;
        case SCAL: put(w, 0, i, number_product(factor, x)); break;
        case COPY: put(w, 1, i, x); break;
        case SWAP:
            put(w, 0, i, y);
            put(w, 1, i, x);
            break;
        default:
            put(w, 0, i, sum(number_product(factor, x), number_product(s, y)));
            put(w, 1, i, sum(number_product(factor, y), number_product(real(-1), number_product(conjugate(s), x))));
        }
    }
}

/* The matrix of a modified rotation, by the flag that is its first number: h11 h21 h12 h22. */
static bool modified(const Work *w, double h[4])
{
    double flag = given(w, 0, 0).re;
    for (int i = 0; i < 4; i++)
        h[i] = given(w, 0, i + 1).re;
    if (flag == 0)
        h[0] = h[3] = 1;
    if (flag == 1) {
        h[1] = -1;
        h[2] = 1;
    }
    return flag != -2;
}

static void rotm(const Work *w)
{
    double h[4];
    if (!modified(w, h))
        return;
    for (int64_t i = 0; i < w->n; i++) {
        double x = get(w, 0, i).re, y = get(w, 1, i).re;
        put(w, 0, i, real(h[0] * x + h[2] * y));
        put(w, 1, i, real(h[1] * x + h[3] * y));
    }
}

/* ---- a number of all of them ---- */

static void reduce(const Work *w)
{
    Number  total = {0, 0};
    double  scale = 0, best = 0;
    int64_t at = 0;
    for (int64_t i = 0; w->task == NRM2 && i < w->n; i++) { /* so that no square overflows */
        Number x = get(w, 0, i);
        scale    = fmax(scale, fmax(fabs(x.re), fabs(x.im)));
    }
    for (int64_t i = 0; i < w->n; i++) {
        Number x    = get(w, 0, i);
        double size = fabs(x.re) + fabs(x.im);
        switch (w->task) {
        case NRM2:
            if (scale > 0)
                total.re += x.re / scale * (x.re / scale) + x.im / scale * (x.im / scale);
            break;
        case ASUM: total.re += size; break;
        case AMAX:
        case AMIN:
            if (!at || (w->task == AMAX ? size > best : size < best)) {
                best = size;
                at   = i + 1;
            }
            break;
        default: total = sum(total, number_product(w->task == DOTC ? conjugate(x) : x, get(w, 1, i)));
        }
    }
    if (w->task == NRM2)
        total.re = scale * sqrt(total.re);
    give(w, 0, 0, w->task == AMAX || w->task == AMIN ? real((double)at) : total);
}

/* ---- rotations made ---- */

/* a b c s: in a the length, in b (of real numbers) what the rotation can be found from again. */
static void rotg(const Work *w)
{
    Number a = given(w, 0, 0), b = given(w, 1, 0);
    double na = hypot(a.re, a.im), nb = hypot(b.re, b.im), r = hypot(na, nb);
    if (number_is_complex(w->given[0].type)) {
        Number turn = na > 0 ? (Number){a.re / na, a.im / na} : real(1);
        give(w, 0, 0, na > 0 ? number_product(turn, real(r)) : b);
        give(w, 2, 0, real(na > 0 ? na / r : 0));
        give(w, 3, 0, na > 0 ? number_product(turn, number_product(conjugate(b), real(1 / r))) : real(1));
        return;
    }
    r        = copysign(r, na > nb ? a.re : b.re);
    double c = r != 0 ? a.re / r : 1, s = r != 0 ? b.re / r : 0;
    give(w, 0, 0, real(r));
    give(w, 1, 0, real(na > nb ? s : r == 0 ? 0 : c != 0 ? 1 / c : 1));
    give(w, 2, 0, real(c));
    give(w, 3, 0, real(s));
}

typedef struct Modified {
    double flag, h[4], d1, d2, x1; /* h11 h21 h12 h22 */
} Modified;

/* Every element of the matrix is written out from now on. */
static void whole(Modified *m)
{
    if (m->flag == 0)
        m->h[0] = m->h[3] = 1;
    if (m->flag == 1) {
        m->h[1] = -1;
        m->h[2] = 1;
    }
    m->flag = -1;
}

/* d1 and d2 are kept between 2^-24 and 2^24 by powers of 2^12. */
static void rescale(Modified *m)
{
    const double step = 4096, most = step * step;
    double      *d[] = {&m->d1, &m->d2};
    for (int i = 0; i < 2; i++)
        while (*d[i] != 0 && isfinite(*d[i]) && (fabs(*d[i]) <= 1 / most || fabs(*d[i]) >= most)) {
            double by = fabs(*d[i]) <= 1 / most ? step : 1 / step;
            whole(m);
            *d[i] *= by * by;
            m->h[i] /= by;
            m->h[i + 2] /= by;
            if (i == 0)
                m->x1 /= by;
        }
}

/* d1 d2 x1 y1 and the five numbers that rotm takes. */
static void rotmg(const Work *w)
{
    Modified m  = {.d1 = given(w, 0, 0).re, .d2 = given(w, 1, 0).re, .x1 = given(w, 2, 0).re};
    double   y1 = given(w, 3, 0).re, p1 = m.d1 * m.x1, p2 = m.d2 * y1, q1 = p1 * m.x1, q2 = p2 * y1;
    if (m.d1 >= 0 && p2 == 0) {
        give(w, 4, 0, real(-2));
        return;
    }
    bool none = m.d1<0, first = fabs(q1)> fabs(q2);
    if (!none && first) {
        m.h[1]   = -y1 / m.x1;
        m.h[2]   = p2 / p1;
        double u = 1 - m.h[2] * m.h[1];
        none     = !(u > 0);
        m.d1 /= u;
        m.d2 /= u;
        m.x1 *= u;
    } else if (!none) {
        none     = q2 < 0;
        m.flag   = 1;
        m.h[0]   = p1 / p2;
        m.h[3]   = m.x1 / y1;
        double u = 1 + m.h[0] * m.h[3], d1 = m.d1;
        m.d1 = m.d2 / u;
        m.d2 = d1 / u;
        m.x1 = y1 * u;
    }
    if (none)
        m = (Modified){.flag = -1};
    else
        rescale(&m);
    give(w, 0, 0, real(m.d1));
    give(w, 1, 0, real(m.d2));
    give(w, 2, 0, real(m.x1));
    give(w, 4, 0, real(m.flag));
    for (int i = 0; i < 4; i++)
        if (m.flag < 0 || (m.flag == 0) == (i == 1 || i == 2))
            give(w, 4, i + 1, real(m.h[i]));
}

static void compute(const void *args)
{
    const Work *w = args;
    switch (w->task) {
    case ROTM: rotm(w); break;
    case ROTG: rotg(w); break;
    case ROTMG: rotmg(w); break;
    default: w->task < ROTM ? elements(w) : reduce(w);
    }
}

/* ---- a call ---- */

/* How the vectors are used, and whether a stride below 1 gives nothing. */
static const struct {
    LibraryUse x, y;
    bool       forward;
    double     operations;
} tasks[] = {[AXPY]  = {LIBRARY_READS, LIBRARY_UPDATES, false, 2},
             [SCAL]  = {LIBRARY_UPDATES, LIBRARY_HOLDS, true, 1},
             [COPY]  = {LIBRARY_READS, LIBRARY_WRITES, false, 0},
             [SWAP]  = {LIBRARY_UPDATES, LIBRARY_UPDATES, false, 0},
             [ROT]   = {LIBRARY_UPDATES, LIBRARY_UPDATES, false, 6},
             [ROTM]  = {LIBRARY_UPDATES, LIBRARY_UPDATES, false, 6},
             [DOT]   = {LIBRARY_READS, LIBRARY_READS, false, 2},
             [DOTC]  = {LIBRARY_READS, LIBRARY_READS, false, 2},
             [NRM2]  = {LIBRARY_READS, LIBRARY_HOLDS, true, 2},
             [ASUM]  = {LIBRARY_READS, LIBRARY_HOLDS, true, 1},
             [AMAX]  = {LIBRARY_READS, LIBRARY_HOLDS, true, 0},
             [AMIN]  = {LIBRARY_READS, LIBRARY_HOLDS, true, 0},
             [ROTG]  = {0},
             [ROTMG] = {0}};

/* The types that cuBLAS has, read on an H100: both vectors of one, numbers beside them too (of halves' factors float; what is real of a complex
 * vector real), and the execution's that type or, of halves, float.  Sums of absolute halves may be floats. */
static bool types_fit(const Work *w, int execution)
{
    int type = w->v[0].type, wide = type == R_16F || type == R_16BF ? R_32F : type,
        real = type == C_32F   ? R_32F
               : type == C_64F ? R_64F
                               : type;
    if (w->vectors > 1 && w->v[1].type != type)
        return false;
    if (execution != ANY && execution != wide)
        return false;
    int first = w->givens ? w->given[0].type : type;
    switch (w->task) {
    case AXPY:
    case SCAL: return first == wide || (w->task == SCAL && execution == ANY);
    case DOT:
    case DOTC: return first == type;
    case NRM2: return first == real;
    case ASUM: return first == real || first == wide;
    case ROT: return first == type || first == real;
    case ROTM: return first == type;
    default: return true;
    }
}

static Blas vectors_of(void *handle, const char *name, Work w, int execution)
{
    Call c       = call_begin(handle, 's', name, "");
    bool written = false, known = true;
    if (c.status)
        return c.status;
    w.host = c.handle->pointer == POINTER_HOST;
    if (w.n < 0 || (tasks[w.task].forward && w.v[0].stride <= 0))
        w.n = 0;
    for (unsigned i = 0; i < w.vectors; i++) {
        known     = known && number_bytes(w.v[i].type);
        c.element = number_bytes(w.v[i].type);
        call_vector(&c, w.v[i].p, w.n, w.v[i].stride, i ? tasks[w.task].y : tasks[w.task].x);
    }
    for (unsigned i = 0; i < w.givens; i++) {
        const Given *g     = &w.given[i];
        size_t       bytes = number_bytes(g->type) * (size_t)g->count;
        known              = known && bytes;
        written            = written || g->use != LIBRARY_READS;
        call_refuse(&c, !g->p);
        if (!w.host)
            call_memory(&c, g->p, bytes, g->use);
        else if (!c.status && g->use == LIBRARY_READS)
            memcpy(w.copy[i], g->p, bytes);
    }
    if (!c.status && !(known && (!w.vectors || types_fit(&w, execution)))) {
        ww_cuda_library_missing(name);
        return BLAS_NOT_SUPPORTED;
    }
    c.work.compute    = compute;
    c.work.args       = &w;
    c.work.bytes      = sizeof w;
    c.work.operations = tasks[w.task].operations * (double)w.n;
    Blas b            = call_end(&c, !written && !w.n);
    if (b || !written || !w.host)
        return b;
    return ww_cuda_library_wait(c.handle->stream) ? BLAS_SUCCESS : BLAS_EXECUTION_FAILED;
}

/* Of one type, or of an execution's that the function does not name. */
static Blas vectors(void *handle, const char *name, Work w)
{
    return vectors_of(handle, name, w, ANY);
}

/* ---- the functions ---- */

#define X(type)                                                                                                        \
    {                                                                                                                  \
        x, type, incx                                                                                                  \
    }
#define XY(xtype, ytype) {{x, xtype, incx}, {y, ytype, incy}}, .vectors = 2
#define READ(p, type)                                                                                                  \
    {                                                                                                                  \
        p, type, 1, LIBRARY_READS                                                                                      \
    }
#define WRITTEN(p, type)                                                                                               \
    {                                                                                                                  \
        p, type, 1, LIBRARY_WRITES                                                                                     \
    }
#define CHANGED(p, type)                                                                                               \
    {                                                                                                                  \
        p, type, 1, LIBRARY_UPDATES                                                                                    \
    }
#define FIVE(p, type, use)                                                                                             \
    {                                                                                                                  \
        p, type, 5, use                                                                                                \
    }
#define INDEX(Int) (sizeof(Int) == 8 ? R_64I : R_32I)

#define MIXED(W, Int)                                                                                                  \
    Blas cublasAxpyEx##W(void *h, Int n, const void *alpha, int atype, const void *x, int xtype, Int incx, void *y,    \
                         int ytype, Int incy, int type)                                                                \
    {                                                                                                                  \
        return vectors_of(h, "cublasAxpyEx",                                                                           \
                          (Work){AXPY, n, XY(xtype, ytype), .given = {READ(alpha, atype)}, .givens = 1}, type);        \
    }                                                                                                                  \
    Blas cublasScalEx##W(void *h, Int n, const void *alpha, int atype, void *x, int xtype, Int incx, int type)         \
    {                                                                                                                  \
        return vectors_of(h, "cublasScalEx",                                                                           \
                          (Work){SCAL, n, {X(xtype)}, .vectors = 1, .given = {READ(alpha, atype)}, .givens = 1},       \
                          type);                                                                                       \
    }                                                                                                                  \
    Blas cublasCopyEx##W(void *h, Int n, const void *x, int xtype, Int incx, void *y, int ytype, Int incy)             \
    {                                                                                                                  \
        return vectors(h, "cublasCopyEx", (Work){COPY, n, XY(xtype, ytype)});                                          \
    }                                                                                                                  \
    Blas cublasSwapEx##W(void *h, Int n, void *x, int xtype, Int incx, void *y, int ytype, Int incy)                   \
    {                                                                                                                  \
        return vectors(h, "cublasSwapEx", (Work){SWAP, n, XY(xtype, ytype)});                                          \
    }                                                                                                                  \
    Blas cublasRotEx##W(void *h, Int n, void *x, int xtype, Int incx, void *y, int ytype, Int incy, const void *c,     \
                        const void *s, int cstype, int type)                                                           \
    {                                                                                                                  \
        return vectors_of(h, "cublasRotEx",                                                                            \
                          (Work){ROT, n, XY(xtype, ytype), .given = {READ(c, cstype), READ(s, cstype)}, .givens = 2},  \
                          type);                                                                                       \
    }                                                                                                                  \
    Blas cublasRotmEx##W(void *h, Int n, void *x, int xtype, Int incx, void *y, int ytype, Int incy,                   \
                         const void *param, int ptype, int type)                                                       \
    {                                                                                                                  \
        return vectors_of(                                                                                             \
            h, "cublasRotmEx",                                                                                         \
            (Work){ROTM, n, XY(xtype, ytype), .given = {FIVE(param, ptype, LIBRARY_READS)}, .givens = 1}, type);       \
    }                                                                                                                  \
    Blas cublasNrm2Ex##W(void *h, Int n, const void *x, int xtype, Int incx, void *to, int rtype, int type)            \
    {                                                                                                                  \
        return vectors_of(h, "cublasNrm2Ex",                                                                           \
                          (Work){NRM2, n, {X(xtype)}, .vectors = 1, .given = {WRITTEN(to, rtype)}, .givens = 1},       \
                          type);                                                                                       \
    }                                                                                                                  \
    Blas cublasAsumEx##W(void *h, Int n, const void *x, int xtype, Int incx, void *to, int rtype, int type)            \
    {                                                                                                                  \
        return vectors_of(h, "cublasAsumEx",                                                                           \
                          (Work){ASUM, n, {X(xtype)}, .vectors = 1, .given = {WRITTEN(to, rtype)}, .givens = 1},       \
                          type);                                                                                       \
    }                                                                                                                  \
    Blas cublasIamaxEx##W(void *h, Int n, const void *x, int xtype, Int incx, Int *to)                                 \
    {                                                                                                                  \
        return vectors(h, "cublasIamaxEx",                                                                             \
                       (Work){AMAX, n, {X(xtype)}, .vectors = 1, .given = {WRITTEN(to, INDEX(Int))}, .givens = 1});    \
    }                                                                                                                  \
    Blas cublasIaminEx##W(void *h, Int n, const void *x, int xtype, Int incx, Int *to)                                 \
    {                                                                                                                  \
        return vectors(h, "cublasIaminEx",                                                                             \
                       (Work){AMIN, n, {X(xtype)}, .vectors = 1, .given = {WRITTEN(to, INDEX(Int))}, .givens = 1});    \
    }
MIXED(, int)
MIXED(_64, int64_t)

#define MIXED_DOT(name, task, W, Int)                                                                                  \
    Blas cublas##name##Ex##W(void *h, Int n, const void *x, int xtype, Int incx, const void *y, int ytype, Int incy,   \
                             void *to, int rtype, int type)                                                            \
    {                                                                                                                  \
        return vectors_of(h, "cublas" #name "Ex",                                                                      \
                          (Work){task, n, XY(xtype, ytype), .given = {WRITTEN(to, rtype)}, .givens = 1}, type);        \
    }
WIDTHS(MIXED_DOT, Dot, DOT)
WIDTHS(MIXED_DOT, Dotc, DOTC)

#define DOT_OF(name, type, task, W, Int)                                                                               \
    Blas cublas##name##_v2##W(void *h, Int n, const void *x, Int incx, const void *y, Int incy, void *to)              \
    {                                                                                                                  \
        return vectors(h, "cublas" #name, (Work){task, n, XY(type, type), .given = {WRITTEN(to, type)}, .givens = 1}); \
    }
WIDTHS(DOT_OF, Sdot, R_32F, DOT)
WIDTHS(DOT_OF, Ddot, R_64F, DOT)
WIDTHS(DOT_OF, Cdotu, C_32F, DOT)
WIDTHS(DOT_OF, Cdotc, C_32F, DOTC)
WIDTHS(DOT_OF, Zdotu, C_64F, DOT)
WIDTHS(DOT_OF, Zdotc, C_64F, DOTC)

/* norm, sum: the names with their letters. */
#define NUMBERS_OF(L, l, norm, sum, type, rtype, W, Int)                                                               \
    Blas cublas##norm##_v2##W(void *h, Int n, const void *x, Int incx, void *to)                                       \
    {                                                                                                                  \
        return vectors(h, "cublas" #norm,                                                                              \
                       (Work){NRM2, n, {X(type)}, .vectors = 1, .given = {WRITTEN(to, rtype)}, .givens = 1});          \
    }                                                                                                                  \
    Blas cublas##sum##_v2##W(void *h, Int n, const void *x, Int incx, void *to)                                        \
    {                                                                                                                  \
        return vectors(h, "cublas" #sum,                                                                               \
                       (Work){ASUM, n, {X(type)}, .vectors = 1, .given = {WRITTEN(to, rtype)}, .givens = 1});          \
    }                                                                                                                  \
    Blas cublasI##l##amax_v2##W(void *h, Int n, const void *x, Int incx, Int *to)                                      \
    {                                                                                                                  \
        return vectors(h, "cublasI" #l "amax",                                                                         \
                       (Work){AMAX, n, {X(type)}, .vectors = 1, .given = {WRITTEN(to, INDEX(Int))}, .givens = 1});     \
    }                                                                                                                  \
    Blas cublasI##l##amin_v2##W(void *h, Int n, const void *x, Int incx, Int *to)                                      \
    {                                                                                                                  \
        return vectors(h, "cublasI" #l "amin",                                                                         \
                       (Work){AMIN, n, {X(type)}, .vectors = 1, .given = {WRITTEN(to, INDEX(Int))}, .givens = 1});     \
    }
WIDTHS(NUMBERS_OF, S, s, Snrm2, Sasum, R_32F, R_32F)
WIDTHS(NUMBERS_OF, D, d, Dnrm2, Dasum, R_64F, R_64F)
WIDTHS(NUMBERS_OF, C, c, Scnrm2, Scasum, C_32F, R_32F)
WIDTHS(NUMBERS_OF, Z, z, Dznrm2, Dzasum, C_64F, R_64F)

#define ROTATE(name, type, ctype, stype, W, Int)                                                                       \
    Blas cublas##name##_v2##W(void *h, Int n, void *x, Int incx, void *y, Int incy, const void *c, const void *s)      \
    {                                                                                                                  \
        return vectors(h, "cublas" #name,                                                                              \
                       (Work){ROT, n, XY(type, type), .given = {READ(c, ctype), READ(s, stype)}, .givens = 2});        \
    }
WIDTHS(ROTATE, Srot, R_32F, R_32F, R_32F)
WIDTHS(ROTATE, Drot, R_64F, R_64F, R_64F)
WIDTHS(ROTATE, Crot, C_32F, R_32F, C_32F)
WIDTHS(ROTATE, Zrot, C_64F, R_64F, C_64F)
WIDTHS(ROTATE, Csrot, C_32F, R_32F, R_32F)
WIDTHS(ROTATE, Zdrot, C_64F, R_64F, R_64F)

#define MODIFIED(name, type, W, Int)                                                                                   \
    Blas cublas##name##_v2##W(void *h, Int n, void *x, Int incx, void *y, Int incy, const void *param)                 \
    {                                                                                                                  \
        return vectors(h, "cublas" #name,                                                                              \
                       (Work){ROTM, n, XY(type, type), .given = {FIVE(param, type, LIBRARY_READS)}, .givens = 1});     \
    }
WIDTHS(MODIFIED, Srotm, R_32F)
WIDTHS(MODIFIED, Drotm, R_64F)

static Blas make(void *handle, const char *name, void *a, void *b, int type, void *c, int ctype, void *s, int stype)
{
    return vectors(handle, name,
                   (Work){.task   = ROTG,
                          .given  = {CHANGED(a, type), CHANGED(b, type), WRITTEN(c, ctype), WRITTEN(s, stype)},
                          .givens = 4});
}

static Blas make_modified(void *handle, const char *name, Given d1, Given d2, Given x1, Given y1, void *param, int type)
{
    return vectors(handle, name,
                   (Work){.task = ROTMG, .given = {d1, d2, x1, y1, FIVE(param, type, LIBRARY_WRITES)}, .givens = 5});
}

Blas cublasRotgEx(void *h, void *a, void *b, int type, void *c, void *s, int cstype, int execution)
{
    (void)execution;
    return make(h, "cublasRotgEx", a, b, type, c, cstype, s, cstype);
}

Blas cublasRotmgEx(void *h, void *d1, int d1type, void *d2, int d2type, void *x1, int x1type, const void *y1,
                   int y1type, void *param, int type, int execution)
{
    (void)execution;
    return make_modified(h, "cublasRotmgEx", (Given)CHANGED(d1, d1type), (Given)CHANGED(d2, d2type),
                         (Given)CHANGED(x1, x1type), (Given)READ(y1, y1type), param, type);
}

#define MAKE(L, type, ctype)                                                                                           \
    Blas cublas##L##rotg_v2(void *h, void *a, void *b, void *c, void *s)                                               \
    {                                                                                                                  \
        return make(h, "cublas" #L "rotg", a, b, type, c, ctype, s, type);                                             \
    }
MAKE(S, R_32F, R_32F)
MAKE(D, R_64F, R_64F)
MAKE(C, C_32F, R_32F)
MAKE(Z, C_64F, R_64F)

#define MAKE_MODIFIED(L, type)                                                                                         \
    Blas cublas##L##rotmg_v2(void *h, void *d1, void *d2, void *x1, const void *y1, void *param)                       \
    {                                                                                                                  \
        return make_modified(h, "cublas" #L "rotmg", (Given)CHANGED(d1, type), (Given)CHANGED(d2, type),               \
                             (Given)CHANGED(x1, type), (Given)READ(y1, type), param, type);                            \
    }
MAKE_MODIFIED(S, R_32F)
MAKE_MODIFIED(D, R_64F)
