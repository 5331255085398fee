/* SPDX-License-Identifier: Apache-2.0
 *
 * cusolverSp in one call: handles, solutions by QR, Cholesky and LU, least squares, the eigenvalue next to a guess, how many eigenvalues are in
 * a rectangle.  The same functions stand for the
 * device's memory and for the host's (...Host).
 *
 * All of them wait, because they answer in the host's memory.  A singular matrix is told by the number of its first pivot that is not above the
 * tolerance, and then x stays as it was. */
#include "cuda/libraries/cusolver/direct.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char kind;

Handle *sparse_handle(void *handle)
{
    return ww_cuda_library_has(&kind, handle) ? handle : NULL;
}

Sol cusolverSpCreate(void **out)
{
    if (out && !ww_cuda_library_wait(NULL)) /* what cannot use CUDA gets none */
        return SOL_NOT_INITIALIZED;
    return object_new(&kind, out, &(Handle){0}, sizeof(Handle));
}

Sol cusolverSpDestroy(void *handle)
{
    Handle *h = sparse_handle(handle);
    if (!h)
        return SOL_NOT_INITIALIZED;
    ww_cuda_library_wait(h->stream);
    return object_drop(&kind, h);
}

Sol cusolverSpSetStream(void *handle, void *stream)
{
    if (!sparse_handle(handle))
        return SOL_NOT_INITIALIZED;
    sparse_handle(handle)->stream = stream;
    return SOL_SUCCESS;
}

Sol cusolverSpGetStream(void *handle, void **stream)
{
    if (!sparse_handle(handle) || !stream)
        return sparse_handle(handle) ? SOL_INVALID_VALUE : SOL_NOT_INITIALIZED;
    *stream = sparse_handle(handle)->stream;
    return SOL_SUCCESS;
}

Sol sparse_describe(const void *descriptor, Rows *a)
{
    const LibraryDescriptor *d = descriptor;
    if (!ww_cuda_library_has(&ww_cuda_library_descriptors, d))
        return SOL_INVALID_VALUE;
    a->base = d->base;
    return d->type ? (Sol)SOL_MATRIX_TYPE_NOT_SUPPORTED : SOL_SUCCESS; /* general, as documented */
}

/* ---- work ---- */

void sparse_reads(SparseWork *w, const void *p, size_t bytes)
{
    w->read[w->nread].p       = p;
    w->read[w->nread++].bytes = bytes;
}

void sparse_reads_rows(SparseWork *w, const Rows *a)
{
    sparse_reads(w, a->offsets, ((size_t)a->m + 1) * sizeof(int));
    sparse_reads(w, a->columns, (size_t)a->nonzeros * sizeof(int));
    if (a->values)
        sparse_reads(w, a->values, (size_t)a->nonzeros * number_bytes(a->type));
}

static void compute_work(const void *args)
{
    SparseWork *w = *(SparseWork *const *)args;
    w->compute(w->args);
    if (w->writes)
        ww_cuda_library_wrote(
            &(LibrarySpan){w->wrote, w->wrote_bytes, w->wrote_bytes, 1, LIBRARY_WRITES, 0, 0, NULL, 0});
}

Sol sparse_do(const Handle *h, SparseWork *w)
{
    const char *by = w->by ? w->by : direct_file();
    if (!by)
        return SOL_NOT_SUPPORTED;
    if (!w->device) {
        ww_cuda_library_count("cuSOLVER", w->call, by);
        w->compute(w->args);
        return SOL_SUCCESS;
    }
    LibraryWork l = {
        .library = "cuSOLVER", .call = w->call, .by = by, .compute = compute_work, .args = &w, .bytes = sizeof w};
    for (unsigned i = 0; i < w->nread; i++)
        l.span[l.nspans++] =
            (LibrarySpan){w->read[i].p, w->read[i].bytes, w->read[i].bytes, 1, LIBRARY_READS, 0, 0, NULL, 0};
    if (w->wrote)
        l.span[l.nspans++] = (LibrarySpan){w->wrote, w->wrote_bytes, w->wrote_bytes, 1, LIBRARY_HOLDS, 0, 0, NULL, 0};
    if (!ww_cuda_library_wait(h->stream)) /* also where a graph is captured */
        return SOL_EXECUTION_FAILED;
    return ww_cuda_library_do(h->stream, &l) && ww_cuda_library_wait(h->stream) ? SOL_SUCCESS : SOL_EXECUTION_FAILED;
}

Number *sparse_numbers(int type, const void *p, int64_t n)
{
    Number *x = ww_cuda_library_memory((size_t)n * sizeof *x);
    for (int64_t i = 0; i < n; i++)
        x[i] = number_at(type, p, i);
    return x;
}

void sparse_put(int type, void *p, const Number *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        number_put(type, p, i, x[i]);
}

/* ---- systems ---- */

typedef struct System {
    SparseWork  work;
    Rows        a;
    Way         way;
    int         reorder;
    const void *b;
    void       *x;
    double      tolerance;
    int        *found; /* the pivot, or the rank */
    int        *order; /* of least squares, and where the distance goes */
    void       *distance;
    bool        good;
} System;

static void solve(void *args)
{
    System *s = args;
    s->good   = direct_rows_good(&s->a);
    if (!s->good)
        return;
    Direct d  = direct_factor(s->way, &s->a, order_make(&s->a, s->reorder), false, 1, (Number){0, 0});
    *s->found = direct_pivot(&d, s->tolerance);
    if (*s->found < 0) {
        Number *b = sparse_numbers(s->a.type, s->b, s->a.m);
        direct_solve(&d, b, b);
        sparse_put(s->a.type, s->x, b, s->a.n);
        free(b);
        s->work.writes = true;
    }
    direct_end(&d);
}

static Sol begin(void *handle, const void *descriptor, System *s)
{
    Rows *a = &s->a;
    if (!sparse_handle(handle))
        return SOL_NOT_INITIALIZED;
    if (a->m <= 0 || a->n <= 0 || a->nonzeros <= 0 || !a->values || !a->offsets || !a->columns || !s->b || !s->x ||
        !s->found)
        return SOL_INVALID_VALUE;
    sparse_reads_rows(&s->work, a);
    sparse_reads(&s->work, s->b, (size_t)a->m * number_bytes(a->type));
    s->work.wrote       = s->x;
    s->work.wrote_bytes = (size_t)a->n * number_bytes(a->type);
    return sparse_describe(descriptor, a);
}

static Sol system_do(void *handle, const void *descriptor, System s)
{
    if (sparse_handle(handle) && (s.reorder < 0 || s.reorder > 3))
        return SOL_INVALID_VALUE;
    Sol e          = begin(handle, descriptor, &s);
    s.work.compute = solve;
    s.work.args    = &s;
    if (!e)
        e = sparse_do(sparse_handle(handle), &s.work);
    return e ? e : s.good ? SOL_SUCCESS : SOL_INVALID_VALUE;
}

#define SOLVE(L, T, Real, name, WAY, DEVICE)                                                                           \
    Sol cusolverSp##L##name(void *h, int m, int nonzeros, const void *d, const void *values, const int *offsets,       \
                            const int *columns, const void *b, Real tolerance, int reorder, void *x, int *singular)    \
    {                                                                                                                  \
        return system_do(h, d,                                                                                         \
                         (System){.work      = {.call = "cusolverSp" #L#name, .device = DEVICE},                       \
                                  .a         = {m, m, nonzeros, 0, T, values, offsets, columns},                       \
                                  .way       = WAY,                                                                    \
                                  .reorder   = reorder,                                                                \
                                  .b         = b,                                                                      \
                                  .x         = x,                                                                      \
                                  .tolerance = tolerance,                                                              \
                                  .found     = singular});                                                                 \
    }

/* ---- least squares ---- */

/* The columns in another order, those that depend on others last. */
static void reorder_columns(Rows *a, const int *order, int keep, int *offsets, int *columns, int *numbers)
{
    int *to = ww_cuda_library_memory((size_t)a->n * sizeof *to), n = 0;
    for (int k = 0; k < a->n; k++)
        to[order[k]] = k;
    for (int i = 0; i < a->m; i++) {
        offsets[i] = n;
        for (int k = a->offsets[i] - a->base; k < a->offsets[i + 1] - a->base; k++)
            if (to[a->columns[k] - a->base] < keep) {
                columns[n]   = to[a->columns[k] - a->base];
                numbers[n++] = k;
            }
    }
    offsets[a->m] = n;
    free(to);
}

/* Leaves out, one after the other, the columns that depend on those before them; gives how many stay.  *d: their factor. */
static int independent(const System *s, int *order, Direct *d)
{
    Rows   a     = s->a;
    size_t bytes = (size_t)a.nonzeros * sizeof(int);
    int    keep = a.n, *offsets = ww_cuda_library_memory(((size_t)a.m + 1) * sizeof(int)),
        *columns = ww_cuda_library_memory(bytes), *numbers = ww_cuda_library_memory(bytes);
    double *values = ww_cuda_library_memory((size_t)a.nonzeros * sizeof(Number));
    for (int k = 0; k < a.n; k++)
        order[k] = k;
    while (keep > 0) {
        reorder_columns(&a, order, keep, offsets, columns, numbers);
        for (int k = 0; k < offsets[a.m]; k++)
            number_put(C_64F, values, k, number_at(a.type, a.values, numbers[k]));
        Rows part  = {a.m, keep, offsets[a.m], 0, C_64F, values, offsets, columns};
        *d         = direct_factor(WAY_QR, &part, NULL, false, 1, (Number){0, 0});
        int column = direct_pivot(d, s->tolerance);
        if (column < 0)
            break;
        direct_end(d);
        int moved = order[column];
        memmove(order + column, order + column + 1, (size_t)(a.n - 1 - column) * sizeof *order);
        order[a.n - 1] = moved;
        keep--;
    }
    free(offsets);
    free(columns);
    free(numbers);
    free(values);
    return keep;
}

static void least(void *args)
{
    System *s = args;
    Rows   *a = &s->a;
    Direct  d = {0};
    s->good   = direct_rows_good(a);
    if (!s->good)
        return;
    Number *b = sparse_numbers(a->type, s->b, a->m), *z = ww_cuda_library_memory((size_t)a->n * sizeof *z),
           *x = ww_cuda_library_memory((size_t)a->n * sizeof *x);
    *s->found = independent(s, s->order, &d);
    if (*s->found)
        direct_solve(&d, b, z);
    for (int k = 0; k < a->n; k++)
        x[s->order[k]] = k < *s->found ? z[k] : (Number){0, 0};
    double sum = 0;
    for (int i = 0; i < a->m; i++) {
        for (int k = a->offsets[i] - a->base; k < a->offsets[i + 1] - a->base; k++) {
            Number p = number_product(number_at(a->type, a->values, k), x[a->columns[k] - a->base]);
            b[i]     = (Number){b[i].re - p.re, b[i].im - p.im};
        }
        sum += b[i].re * b[i].re + b[i].im * b[i].im;
    }
    sparse_put(a->type, s->x, x, a->n);
    number_put(a->type == R_32F || a->type == C_32F ? R_32F : R_64F, s->distance, 0, (Number){sqrt(sum), 0});
    direct_end(&d);
    free(b);
    free(z);
    free(x);
}

static Sol least_do(void *handle, const void *descriptor, System s)
{
    if (sparse_handle(handle) && (!s.order || !s.distance || s.a.m < s.a.n))
        return SOL_INVALID_VALUE;
    Sol e          = begin(handle, descriptor, &s);
    s.work.compute = least;
    s.work.args    = &s;
    if (!e)
        e = sparse_do(sparse_handle(handle), &s.work);
    return e ? e : s.good ? SOL_SUCCESS : SOL_INVALID_VALUE;
}

#define LEAST(L, T, Real)                                                                                              \
    Sol cusolverSp##L##csrlsqvqrHost(void *h, int m, int n, int nonzeros, const void *d, const void *values,           \
                                     const int *offsets, const int *columns, const void *b, Real tolerance, int *rank, \
                                     void *x, int *p, void *distance)                                                  \
    {                                                                                                                  \
        return least_do(h, d,                                                                                          \
                        (System){.work      = {.call = "cusolverSp" #L "csrlsqvqrHost"},                               \
                                 .a         = {m, n, nonzeros, 0, T, values, offsets, columns},                        \
                                 .b         = b,                                                                       \
                                 .x         = x,                                                                       \
                                 .tolerance = tolerance,                                                               \
                                 .found     = rank,                                                                    \
                                 .order     = p,                                                                       \
                                 .distance  = distance});                                                               \
    }

/* ---- the eigenvalue next to a guess ---- */

typedef struct Eigen {
    System system; /* b: where it begins; distance: where the eigenvalue goes */
    Number guess;
    int    most;
} Eigen;

static double length(const Number *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i].re * x[i].re + x[i].im * x[i].im;
    return sqrt(sum);
}

static void shorten(Number *x, int n)
{
    double l = length(x, n);
    for (int i = 0; i < n && l > 0; i++)
        x[i] = (Number){x[i].re / l, x[i].im / l};
}

/* x's value, x being of length 1; *distance: |a x - value x|.  y: room. */
static Number quotient(const Rows *a, const Number *x, Number *y, double *distance)
{
    Number value = {0, 0};
    for (int i = 0; i < a->m; i++) {
        y[i] = (Number){0, 0};
        for (int k = a->offsets[i] - a->base; k < a->offsets[i + 1] - a->base; k++) {
            Number p = number_product(number_at(a->type, a->values, k), x[a->columns[k] - a->base]);
            y[i]     = (Number){y[i].re + p.re, y[i].im + p.im};
        }
        Number p = number_product((Number){x[i].re, -x[i].im}, y[i]);
        value    = (Number){value.re + p.re, value.im + p.im};
    }
    for (int i = 0; i < a->m; i++) {
        Number p = number_product(value, x[i]);
        y[i]     = (Number){y[i].re - p.re, y[i].im - p.im};
    }
    *distance = length(y, a->m);
    return value;
}

/* A guess that is an eigenvalue leaves nothing to solve: the next one beside it is, which is as near and whose solutions are eigenvectors. */
static Direct beside(const Rows *a, Number guess)
{
    double largest = hypot(guess.re, guess.im);
    for (int k = 0; k < a->nonzeros; k++) {
        Number x = number_at(a->type, a->values, k);
        largest  = fmax(largest, hypot(x.re, x.im));
    }
    double step = (largest > 0 ? largest : 1) * DBL_EPSILON;
    Direct d    = direct_factor(WAY_LU, a, NULL, true, 1, guess);
    for (int tries = 0; tries < 8 && direct_pivot(&d, 0) >= 0; tries++, step *= 16) {
        direct_end(&d);
        d = direct_factor(WAY_LU, a, NULL, true, 1, (Number){guess.re + step, guess.im});
    }
    return d;
}

static void iterate(void *args)
{
    Eigen  *e = args;
    System *s = &e->system;
    s->good   = direct_rows_good(&s->a);
    if (!s->good)
        return;
    int     n = s->a.n;
    Number *x = sparse_numbers(s->a.type, s->b, n), *y = ww_cuda_library_memory((size_t)n * sizeof *y), value;
    Direct  d = beside(&s->a, e->guess);
    double  distance;
    shorten(x, n);
    value = quotient(&s->a, x, y, &distance);
    for (int i = 0; i < e->most && !(distance < s->tolerance) && d.f; i++) {
        direct_solve(&d, x, x);
        shorten(x, n);
        value = quotient(&s->a, x, y, &distance);
    }
    sparse_put(s->a.type, s->x, x, n);
    number_put(s->a.type, s->distance, 0, value);
    s->work.writes = true;
    direct_end(&d);
    free(x);
    free(y);
}

static Sol eigen_do(void *handle, const void *descriptor, Eigen e)
{
    System     *s     = &e.system;
    LibrarySpan value = {
        s->distance, number_bytes(s->a.type), number_bytes(s->a.type), 1, LIBRARY_WRITES, 0, 0, NULL, 0};
    int none;
    s->found = &none;
    if (sparse_handle(handle) && (!s->distance || e.most < 1))
        return SOL_INVALID_VALUE;
    Sol status      = begin(handle, descriptor, s);
    s->work.compute = iterate;
    s->work.args    = &e;
    if (!status && s->work.device) {
        if (!ww_cuda_library_wait(sparse_handle(handle)->stream) || !ww_cuda_library_uses(s->work.call, &value))
            return SOL_EXECUTION_FAILED;
    }
    if (!status)
        status = sparse_do(sparse_handle(handle), &s->work);
    if (!status && s->work.device && s->good)
        ww_cuda_library_wrote(&value);
    return status ? status : s->good ? SOL_SUCCESS : SOL_INVALID_VALUE;
}

#define EIGEN(L, T, Real, Value, name, DEVICE)                                                                         \
    Sol cusolverSp##L##name(void *h, int m, int nonzeros, const void *d, const void *values, const int *offsets,       \
                            const int *columns, Value guess, const void *start, int most, Real tolerance, void *value, \
                            void *x)                                                                                   \
    {                                                                                                                  \
        return eigen_do(h, d,                                                                                          \
                        (Eigen){.system = {.work      = {.call = "cusolverSp" #L#name, .device = DEVICE},              \
                                           .a         = {m, m, nonzeros, 0, T, values, offsets, columns},              \
                                           .b         = start,                                                         \
                                           .x         = x,                                                             \
                                           .tolerance = tolerance,                                                     \
                                           .distance  = value},                                                         \
                                .guess  = FROM_##L(guess),                                                             \
                                .most   = most});                                                                        \
    }

/* ---- how many eigenvalues are in a rectangle ---- */

/* By LAPACK, of the dense matrix in complex double, which large matrices have no memory for. */
static Sol count_inside(const Rows *a, Routine routine, Number low, Number high, int *out)
{
    typedef void (*Geev)(const char *, const char *, const int *, void *, const int *, void *, void *, const int *,
                         void *, const int *, void *, const int *, void *, int *, size_t, size_t);
    int     n = a->n, one = 1, info = 0, found = 0, work = 66 * n + 64;
    Number *dense = calloc((size_t)n * (size_t)n, sizeof *dense), none[1];
    if (!dense)
        return SOL_ALLOC_FAILED;
    Number *w    = ww_cuda_library_memory((size_t)n * sizeof *w),
           *room = ww_cuda_library_memory((size_t)work * sizeof *room);
    double *real = ww_cuda_library_memory(2 * (size_t)n * sizeof *real);
    for (int i = 0; i < n; i++)
        for (int k = a->offsets[i] - a->base; k < a->offsets[i + 1] - a->base; k++) {
            Number  x  = number_at(a->type, a->values, k);
            Number *to = &dense[(size_t)(a->columns[k] - a->base) * (size_t)n + (size_t)i];
            *to        = (Number){to->re + x.re, to->im + x.im};
        }
    ((Geev)routine)("N", "N", &n, dense, &n, w, none, &one, none, &one, room, &work, real, &info, 1, 1);
    for (int i = 0; i < n && !info; i++)
        found += w[i].re >= low.re && w[i].re <= high.re && w[i].im >= low.im && w[i].im <= high.im;
    free(dense);
    free(w);
    free(room);
    free(real);
    if (!info)
        *out = found;
    return info ? SOL_EXECUTION_FAILED : SOL_SUCCESS;
}

static Sol inside(void *handle, const char *call, const void *descriptor, Rows a, Number low, Number high, int *found)
{
    if (!sparse_handle(handle))
        return SOL_NOT_INITIALIZED;
    if (a.m <= 0 || a.nonzeros <= 0 || !a.values || !a.offsets || !a.columns || !found)
        return SOL_INVALID_VALUE;
    Sol e = sparse_describe(descriptor, &a);
    if (e || !direct_rows_good(&a))
        return e ? e : SOL_INVALID_VALUE;
    Routine routine = host_routine("zgeev_");
    if (!routine)
        return SOL_NOT_SUPPORTED;
    ww_cuda_library_count("cuSOLVER", call, host_file());
    return count_inside(&a, routine, low, high, found);
}

#define INSIDE(L, T, Corner, FROM)                                                                                     \
    Sol cusolverSp##L##csreigsHost(void *h, int m, int nonzeros, const void *d, const void *values,                    \
                                   const int *offsets, const int *columns, Corner low, Corner high, int *found)        \
    {                                                                                                                  \
        return inside(h, "cusolverSp" #L "csreigsHost", d, (Rows){m, m, nonzeros, 0, T, values, offsets, columns},     \
                      FROM(low), FROM(high), found);                                                                   \
    }
INSIDE(S, R_32F, ComplexFloat, FROM_C)
INSIDE(D, R_64F, Number, FROM_Z)
INSIDE(C, C_32F, ComplexFloat, FROM_C)
INSIDE(Z, C_64F, Number, FROM_Z)

#define TYPE(L, T, Real, Value)                                                                                        \
    SOLVE(L, T, Real, csrlsvqr, WAY_QR, true)                                                                          \
    SOLVE(L, T, Real, csrlsvqrHost, WAY_QR, false)                                                                     \
    SOLVE(L, T, Real, csrlsvchol, WAY_CHOLESKY, true)                                                                  \
    SOLVE(L, T, Real, csrlsvcholHost, WAY_CHOLESKY, false)                                                             \
    SOLVE(L, T, Real, csrlsvluHost, WAY_LU, false)                                                                     \
    LEAST(L, T, Real)                                                                                                  \
    EIGEN(L, T, Real, Value, csreigvsi, true)                                                                          \
    EIGEN(L, T, Real, Value, csreigvsiHost, false)
TYPE(S, R_32F, float, float)
TYPE(D, R_64F, double, double)
TYPE(C, C_32F, float, ComplexFloat)
TYPE(Z, C_64F, double, Number)
