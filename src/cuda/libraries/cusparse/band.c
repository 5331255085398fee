/* SPDX-License-Identifier: Apache-2.0
 *
 * Systems of three (gtsv) and five diagonals (gpsv): one matrix with several right sides, many matrices one behind the other, or interleaved.  Every one is
 * solved by elimination with pivoting in double, also where the name says that there is none: a card's result may be less exact, not more. */
#include <math.h>
#include <stdlib.h>

#include "cuda/libraries/cusparse/cusparse.h"

enum { DIAGONALS = 5 };

typedef struct Band {
    const char *call;
    int         type, reach;         /* 1: three diagonals, 2: five */
    const void *diagonal[DIAGONALS]; /* from the lowest; 2 * reach + 1 */
    void       *x;
    int64_t     n, systems;
    int64_t     element,
        system; /* in diagonals: from one element to the next, from one system to the next (0: one matrix for all) */
    int64_t x_element, x_system;
} Band;

static void subtract(Number *a, Number f, Number b)
{
    Number p = number_product(f, b);
    a->re -= p.re;
    a->im -= p.im;
}

/* Rows of 3 * reach + 1: what elimination fills in with; row i begins at column i - reach. */
static void load(const Band *b, int64_t system, Number *rows, Number *x)
{
    int width = 3 * b->reach + 1;
    for (int64_t i = 0; i < b->n; i++) {
        for (int d = 0; d < width; d++) {
            int64_t column = i + d - b->reach;
            bool    there  = d <= 2 * b->reach && column >= 0 && column < b->n;
            rows[i * width + d] =
                there ? number_at(b->type, b->diagonal[d], i * b->element + system * b->system) : (Number){0, 0};
        }
        x[i] = number_at(b->type, b->x, i * b->x_element + system * b->x_system);
    }
}

static Number *at(Number *rows, const Band *b, int64_t row, int64_t column)
{
    return &rows[row * (3 * b->reach + 1) + (column - row + b->reach)];
}

static void solve(const Band *b, Number *rows, Number *x)
{
    int64_t n = b->n;
    for (int64_t k = 0; k < n; k++) {
        int64_t last = k + b->reach < n ? k + b->reach : n - 1, right = k + 2 * b->reach < n ? k + 2 * b->reach : n - 1,
                pivot = k;
        for (int64_t i = k + 1; i <= last; i++) {
            const Number *v = at(rows, b, i, k), *u = at(rows, b, pivot, k);
            if (hypot(v->re, v->im) > hypot(u->re, u->im))
                pivot = i;
        }
        for (int64_t c = k; pivot != k && c <= right; c++) {
            /* a row that comes up reaches further than its own band: columns beyond it are its zeros */
            Number *p = at(rows, b, pivot, c), *q = at(rows, b, k, c), t = *q;
            *q = *p;
            *p = t;
        }
        if (pivot != k) {
            Number t = x[k];
            x[k]     = x[pivot];
            x[pivot] = t;
        }
        for (int64_t i = k + 1; i <= last; i++) {
            Number f = number_quotient(*at(rows, b, i, k), *at(rows, b, k, k));
            for (int64_t c = k; c <= right; c++)
                subtract(at(rows, b, i, c), f, *at(rows, b, k, c));
            subtract(&x[i], f, x[k]);
        }
    }
    for (int64_t k = n - 1; k >= 0; k--) {
        for (int64_t c = k + 1; c <= k + 2 * b->reach && c < n; c++)
            subtract(&x[k], *at(rows, b, k, c), x[c]);
        x[k] = number_quotient(x[k], *at(rows, b, k, k));
    }
}

static void compute(const void *args)
{
    const Band *b    = args;
    Number     *rows = ww_cuda_library_memory((size_t)(b->n * (3 * b->reach + 1)) * sizeof *rows + 1),
           *x        = ww_cuda_library_memory((size_t)b->n * sizeof *x + 1);
    for (int64_t s = 0; s < b->systems; s++) {
        load(b, s, rows, x);
        solve(b, rows, x);
        for (int64_t i = 0; i < b->n; i++)
            number_put(b->type, b->x, i * b->x_element + s * b->x_system, x[i]);
    }
    free(rows);
    free(x);
}

/* diagonals: elements that each has; answers: of x. */
static Sp band(void *handle, Band b, int64_t diagonals, int64_t answers)
{
    const Handle *h = handle_of(handle);
    LibraryWork   w = {0};
    size_t        e = number_bytes(b.type);
    if (!h)
        return SP_NOT_INITIALIZED;
    bool wrong = b.n < 3 || b.systems < 0 || b.element < 1 || b.system < 0 || !b.x;
    for (int d = 0; d <= 2 * b.reach; d++)
        wrong = wrong || !b.diagonal[d];
    if (wrong)
        return SP_INVALID_VALUE;
    for (int d = 0; d <= 2 * b.reach; d++)
        tell(&w, b.diagonal[d], (size_t)diagonals * e, d == b.reach ? LIBRARY_READS : LIBRARY_HOLDS);
    tell(&w, b.x, (size_t)answers * e, LIBRARY_UPDATES);
    w.operations = (double)b.n * (double)b.systems * 8 * b.reach * b.reach;
    return b.systems ? give(h, &w, b.call, compute, &b, sizeof b) : SP_SUCCESS;
}

#define SOLVE(L, T, name)                                                                                              \
    Sp cusparse##L##name(void *h, int m, int n, const void *dl, const void *d, const void *du, void *x, int ldb,       \
                         void *buffer)                                                                                 \
    {                                                                                                                  \
        (void)buffer;                                                                                                  \
        if (ldb < m || n < 0)                                                                                          \
            return handle_of(h) ? SP_INVALID_VALUE : SP_NOT_INITIALIZED;                                               \
        return band(h, (Band){"cusparse" #L#name, T, 1, {dl, d, du}, x, m, n, 1, 0, 1, ldb}, m,                        \
                    n ? (int64_t)ldb * (n - 1) + m : 0);                                                               \
    }                                                                                                                  \
    Sp cusparse##L##name##_bufferSizeExt(void *h, int m, int n, const void *dl, const void *d, const void *du,         \
                                         const void *x, int ldb, size_t *bytes)                                        \
    {                                                                                                                  \
        (void)m, (void)n, (void)dl, (void)d, (void)du, (void)x, (void)ldb;                                             \
        return space(h, bytes);                                                                                        \
    }
#define SYSTEMS(L, T)                                                                                                  \
    SOLVE(L, T, gtsv2)                                                                                                 \
    SOLVE(L, T, gtsv2_nopivot)                                                                                         \
    Sp cusparse##L##gtsv2StridedBatch(void *h, int m, const void *dl, const void *d, const void *du, void *x,          \
                                      int count, int stride, void *buffer)                                             \
    {                                                                                                                  \
        int64_t all = count > 0 ? (int64_t)stride * (count - 1) + m : 0;                                               \
        (void)buffer;                                                                                                  \
        if (stride < m)                                                                                                \
            return handle_of(h) ? SP_INVALID_VALUE : SP_NOT_INITIALIZED;                                               \
        return band(h,                                                                                                 \
                    (Band){"cusparse" #L "gtsv2StridedBatch", T, 1, {dl, d, du}, x, m, count, 1, stride, 1, stride},   \
                    all, all);                                                                                         \
    }                                                                                                                  \
    Sp cusparse##L##gtsv2StridedBatch_bufferSizeExt(void *h, int m, const void *dl, const void *d, const void *du,     \
                                                    const void *x, int count, int stride, size_t *bytes)               \
    {                                                                                                                  \
        (void)m, (void)dl, (void)d, (void)du, (void)x, (void)count, (void)stride;                                      \
        return space(h, bytes);                                                                                        \
    }                                                                                                                  \
    Sp cusparse##L##gtsvInterleavedBatch(void *h, int algorithm, int m, void *dl, void *d, void *du, void *x,          \
                                         int count, void *buffer)                                                      \
    {                                                                                                                  \
        (void)algorithm, (void)buffer;                                                                                 \
        return band(h,                                                                                                 \
                    (Band){"cusparse" #L "gtsvInterleavedBatch", T, 1, {dl, d, du}, x, m, count, count, 1, count, 1},  \
                    (int64_t)m * count, (int64_t)m * count);                                                           \
    }                                                                                                                  \
    Sp cusparse##L##gtsvInterleavedBatch_bufferSizeExt(void *h, int algorithm, int m, const void *dl, const void *d,   \
                                                       const void *du, const void *x, int count, size_t *bytes)        \
    {                                                                                                                  \
        (void)algorithm, (void)m, (void)dl, (void)d, (void)du, (void)x, (void)count;                                   \
        return space(h, bytes);                                                                                        \
    }                                                                                                                  \
    Sp cusparse##L##gpsvInterleavedBatch(void *h, int algorithm, int m, void *ds, void *dl, void *d, void *du,         \
                                         void *dw, void *x, int count, void *buffer)                                   \
    {                                                                                                                  \
        (void)algorithm, (void)buffer;                                                                                 \
        return band(                                                                                                   \
            h,                                                                                                         \
            (Band){"cusparse" #L "gpsvInterleavedBatch", T, 2, {ds, dl, d, du, dw}, x, m, count, count, 1, count, 1},  \
            (int64_t)m * count, (int64_t)m * count);                                                                   \
    }                                                                                                                  \
    Sp cusparse##L##gpsvInterleavedBatch_bufferSizeExt(void *h, int algorithm, int m, const void *ds, const void *dl,  \
                                                       const void *d, const void *du, const void *dw, const void *x,   \
                                                       int count, size_t *bytes)                                       \
    {                                                                                                                  \
        (void)algorithm, (void)m, (void)ds, (void)dl, (void)d, (void)du, (void)dw, (void)x, (void)count;               \
        return space(h, bytes);                                                                                        \
    }
SYSTEMS(S, R_32F)
SYSTEMS(D, R_64F)
SYSTEMS(C, C_32F)
SYSTEMS(Z, C_64F)
