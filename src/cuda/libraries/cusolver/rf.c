/* SPDX-License-Identifier: Apache-2.0
 *
 * cusolverRf: new values of a matrix whose factors' structure is known, A(P, Q) = L U, are factored anew without looking for pivots, by loops of our own;
 * systems are solved with them; batches of matrices of one structure.
 *
 * L (of a diagonal of 1, which is not kept) and U lie in one matrix by rows, all of A's elements among theirs.  Where the unit diagonal is U's, or
 * columns are wanted, factors are turned when they are handed out.  Steps in a wrong order answer CUSOLVER_STATUS_INVALID_VALUE.  Everything is
 * of the default stream, and waits. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/libraries/cusolver/direct.h"

static const char kind;

/* Of the unit diagonal: stored in or assumed of L or U. */
enum { STORED_L, STORED_U, ASSUMED_L, ASSUMED_U };

typedef struct Rf {
    int      by_columns, diagonal, factor_way, solve_way, fast;
    double   zero, boost;
    bool     boosted, analysed, factored;
    int      n, nonzeros, count; /* of A; matrices: 0 before they are set up */
    int     *offsets, *columns;  /* of the factors */
    int     *middle;             /* of each row its diagonal's place */
    int     *place;              /* of A's elements among the factors' */
    double **given, **factors;   /* values of each matrix */
    int     *pivots;             /* of each the first that is zero, -1: none */
    void    *bundle[3];          /* on the device, once asked for: offsets, indices, values */
} Rf;

static Rf *rf_of(const void *p)
{
    return ww_cuda_library_has(&kind, p) ? (void *)(uintptr_t)p : NULL;
}

static void forget(Rf *r)
{
    for (int i = 0; i < r->count; i++)
        free(r->given[i]), free(r->factors[i]);
    for (int i = 0; i < 3; i++) {
        if (r->bundle[i])
            ww_cuda_library_free(r->bundle[i]);
        r->bundle[i] = NULL;
    }
    free(r->given), free(r->factors), free(r->pivots);
    free(r->offsets), free(r->columns), free(r->middle), free(r->place);
    r->given = r->factors = NULL;
    r->pivots = r->offsets = r->columns = r->middle = r->place = NULL;
    r->count                                                   = 0;
    r->analysed = r->factored = r->boosted = false;
}

Sol cusolverRfCreate(void **out)
{
    if (out && !ww_cuda_library_wait(NULL)) /* what cannot use CUDA gets none */
        return SOL_NOT_INITIALIZED;
    return object_new(&kind, out, &(Rf){.solve_way = 1}, sizeof(Rf));
}

Sol cusolverRfDestroy(void *p)
{
    if (!rf_of(p))
        return SOL_NOT_INITIALIZED;
    forget(p);
    return object_drop(&kind, p);
}

/* ---- properties ---- */

#define PAIR(Set, Get, Type, first, second, good)                                                                      \
    Sol cusolverRf##Set(void *p, Type a, Type b)                                                                       \
    {                                                                                                                  \
        if (!rf_of(p) || !(good))                                                                                      \
            return rf_of(p) ? SOL_INVALID_VALUE : SOL_NOT_INITIALIZED;                                                 \
        rf_of(p)->first  = a;                                                                                          \
        rf_of(p)->second = b;                                                                                          \
        return SOL_SUCCESS;                                                                                            \
    }                                                                                                                  \
    Sol cusolverRf##Get(void *p, Type *a, Type *b)                                                                     \
    {                                                                                                                  \
        if (!rf_of(p) || !a || !b)                                                                                     \
            return rf_of(p) ? SOL_INVALID_VALUE : SOL_NOT_INITIALIZED;                                                 \
        *a = rf_of(p)->first;                                                                                          \
        *b = rf_of(p)->second;                                                                                         \
        return SOL_SUCCESS;                                                                                            \
    }
PAIR(SetMatrixFormat, GetMatrixFormat, int, by_columns, diagonal, a >= 0 && a <= 1 && b >= STORED_L && b <= ASSUMED_U)
PAIR(SetNumericProperties, GetNumericProperties, double, zero, boost, a >= 0)
PAIR(SetAlgs, GetAlgs, int, factor_way, solve_way, a >= 0 && a <= 2 && b >= 1 && b <= 3)

Sol cusolverRfSetResetValuesFastMode(void *p, int fast)
{
    if (!rf_of(p) || fast < 0 || fast > 1)
        return rf_of(p) ? SOL_INVALID_VALUE : SOL_NOT_INITIALIZED;
    rf_of(p)->fast = fast;
    return SOL_SUCCESS;
}

Sol cusolverRfGetResetValuesFastMode(void *p, int *fast)
{
    if (!rf_of(p) || !fast)
        return rf_of(p) ? SOL_INVALID_VALUE : SOL_NOT_INITIALIZED;
    *fast = rf_of(p)->fast;
    return SOL_SUCCESS;
}

Sol cusolverRfGetNumericBoostReport(void *p, int *used)
{
    if (!rf_of(p) || !used)
        return rf_of(p) ? SOL_INVALID_VALUE : SOL_NOT_INITIALIZED;
    *used = rf_of(p)->boosted;
    return SOL_SUCCESS;
}

/* ---- structure ---- */

typedef struct Part { /* A, L or U by rows, or by columns */
    int           nonzeros;
    const int    *offsets, *indices;
    const double *values;
} Part;

typedef struct Setup {
    SparseWork           work;
    Rf                  *r;
    int                  n, count;
    Part                 a, l, u;
    const double *const *batch; /* values of A, one matrix after the other; NULL: of one, a.values */
    const int           *p, *q;
    bool                 anew, good; /* anew: the structure is there, only values come */
} Setup;

static bool part_good(const Part *a, int n)
{
    bool good = a->offsets[0] == 0 && a->offsets[n] == a->nonzeros;
    for (int i = 0; i < n && good; i++)
        good = a->offsets[i] <= a->offsets[i + 1];
    for (int k = 0; k < a->nonzeros && good; k++)
        good = a->indices[k] >= 0 && a->indices[k] < n;
    return good;
}

/* The inverse; NULL: it is no permutation. */
static int *inverse_of(const int *p, int n)
{
    int *to = ww_cuda_library_memory((size_t)n * sizeof *to);
    for (int i = 0; i < n; i++)
        to[i] = -1;
    for (int i = 0; i < n; i++) {
        if (p[i] < 0 || p[i] >= n || to[p[i]] >= 0) {
            free(to);
            return NULL;
        }
        to[p[i]] = i;
    }
    return to;
}

static int ascending(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Adds a factor's elements to the rows: counts them where `to` is NULL.  false: one is on the wrong side. */
static bool add_part(const Rf *r, const Part *a, bool lower, int *next, int *to)
{
    for (int line = 0; line < r->n; line++)
        for (int k = a->offsets[line]; k < a->offsets[line + 1]; k++) {
            int row = r->by_columns ? a->indices[k] : line, column = r->by_columns ? line : a->indices[k];
            if (lower ? column > row : column < row)
                return false;
            if (row == column) /* every row has one */
                continue;
            if (to)
                to[next[row]] = column;
            next[row]++;
        }
    return true;
}

static bool make_structure(Rf *r, const Part *l, const Part *u)
{
    int  n = r->n, *next = ww_cuda_library_memory(((size_t)n + 1) * sizeof *next);
    bool good  = add_part(r, l, true, next, NULL) && add_part(r, u, false, next, NULL);
    r->offsets = ww_cuda_library_memory(((size_t)n + 1) * sizeof(int));
    for (int i = 0; i < n; i++) {
        r->offsets[i + 1] = r->offsets[i] + next[i] + 1;
        next[i]           = r->offsets[i];
    }
    r->columns = ww_cuda_library_memory((size_t)r->offsets[n] * sizeof(int));
    r->middle  = ww_cuda_library_memory((size_t)n * sizeof(int));
    good       = good && add_part(r, l, true, next, r->columns) && add_part(r, u, false, next, r->columns);
    for (int i = 0; i < n && good; i++) {
        r->columns[next[i]] = i;
        qsort(r->columns + r->offsets[i], (size_t)(r->offsets[i + 1] - r->offsets[i]), sizeof(int), ascending);
        for (int k = r->offsets[i]; k < r->offsets[i + 1]; k++) {
            good = good && (k == r->offsets[i] || r->columns[k] > r->columns[k - 1]);
            if (r->columns[k] == i)
                r->middle[i] = k;
        }
    }
    free(next);
    return good;
}

/* Where each of A's elements goes; false: somewhere where no factor has one. */
static bool make_places(Rf *r, const Part *a, const int *p, const int *q)
{
    int *row_to = inverse_of(p, r->n), *column_to = inverse_of(q, r->n);
    bool good = row_to && column_to;
    free(r->place);
    r->place = ww_cuda_library_memory((size_t)a->nonzeros * sizeof(int));
    for (int line = 0; line < r->n && good; line++)
        for (int k = a->offsets[line]; k < a->offsets[line + 1] && good; k++) {
            int        row    = row_to[r->by_columns ? a->indices[k] : line];
            int        column = column_to[r->by_columns ? line : a->indices[k]];
            const int *at     = bsearch(&column, r->columns + r->offsets[row],
                                        (size_t)(r->offsets[row + 1] - r->offsets[row]), sizeof(int), ascending);
            good              = at != NULL;
            r->place[k]       = at ? (int)(at - r->columns) : 0;
        }
    free(row_to);
    free(column_to);
    return good;
}

static void take_values(Rf *r, int matrix, const double *values)
{
    double *to = r->given[matrix];
    memset(to, 0, (size_t)r->offsets[r->n] * sizeof *to);
    for (int k = 0; k < r->nonzeros; k++)
        to[r->place[k]] += values[k];
}

static void make_matrices(Rf *r, int count)
{
    size_t bytes = (size_t)r->offsets[r->n] * sizeof(double);
    r->count     = count;
    r->given     = ww_cuda_library_memory((size_t)count * sizeof *r->given);
    r->factors   = ww_cuda_library_memory((size_t)count * sizeof *r->factors);
    r->pivots    = ww_cuda_library_memory((size_t)count * sizeof *r->pivots);
    for (int i = 0; i < count; i++) {
        r->given[i]   = ww_cuda_library_memory(bytes);
        r->factors[i] = ww_cuda_library_memory(bytes);
        r->pivots[i]  = -1;
    }
}

/* The values of a matrix of a batch; NULL: they are not allocated. */
static const double *batch_values(const Setup *s, int i)
{
    if (!s->batch)
        return s->a.values;
    size_t bytes = (size_t)s->a.nonzeros * sizeof(double);
    bool   good  = s->batch[i] &&
                (!s->work.device || ww_cuda_library_uses(s->work.call, &(LibrarySpan){s->batch[i], bytes, bytes, 1,
                                                                                      LIBRARY_READS, 0, 0, NULL, 0}));
    return good ? s->batch[i] : NULL;
}

static void set_up(void *args)
{
    Setup *s = args;
    Rf    *r = s->r;
    s->good  = part_good(&s->a, s->n) && (s->anew || (part_good(&s->l, s->n) && part_good(&s->u, s->n)));
    if (!s->good)
        return;
    if (!s->anew) {
        forget(r);
        r->n        = s->n;
        r->nonzeros = s->a.nonzeros;
        s->good     = make_structure(r, &s->l, &s->u);
    }
    s->good = s->good && make_places(r, &s->a, s->p, s->q);
    if (!s->good)
        return;
    if (!s->anew)
        make_matrices(r, s->count);
    for (int i = 0; i < s->count && s->good; i++) {
        const double *values = batch_values(s, i);
        s->good              = values != NULL;
        if (values)
            take_values(r, i, values);
    }
    r->factored = false;
}

static void read_part(SparseWork *w, const Part *a, int n)
{
    sparse_reads(w, a->offsets, ((size_t)n + 1) * sizeof(int));
    sparse_reads(w, a->indices, (size_t)a->nonzeros * sizeof(int));
    if (a->values)
        sparse_reads(w, a->values, (size_t)a->nonzeros * sizeof(double));
}

static bool part_given(const Part *a, bool values)
{
    return a->nonzeros >= 0 && a->offsets && a->indices && (a->values || !values);
}

static Sol set_up_do(void *handle, Setup s)
{
    Rf *r = rf_of(handle);
    if (!r)
        return SOL_NOT_INITIALIZED;
    bool fits = !s.anew || (r->count == s.count && r->n == s.n && r->nonzeros == s.a.nonzeros);
    if (s.n <= 0 || s.count < 1 || s.a.nonzeros <= 0 || s.l.nonzeros > INT_MAX - s.n - s.u.nonzeros || !fits ||
        !part_given(&s.a, !s.batch) || (!s.anew && (!part_given(&s.l, false) || !part_given(&s.u, true))) || !s.p ||
        !s.q)
        return SOL_INVALID_VALUE;
    s.r            = r;
    s.work.compute = set_up;
    s.work.args    = &s;
    s.work.by      = "warpwright";
    read_part(&s.work, &s.a, s.n);
    if (!s.anew) {
        s.l.values = s.u.values = NULL; /* new ones are computed */
        read_part(&s.work, &s.l, s.n);
        read_part(&s.work, &s.u, s.n);
    }
    sparse_reads(&s.work, s.p, (size_t)s.n * sizeof(int));
    sparse_reads(&s.work, s.q, (size_t)s.n * sizeof(int));
    if (s.batch && s.work.device)
        sparse_reads(&s.work, s.batch, (size_t)s.count * sizeof *s.batch);
    Sol e = sparse_do(&(Handle){0}, &s.work);
    return e ? e : s.good ? SOL_SUCCESS : SOL_INVALID_VALUE;
}

#define PARTS(a_values) .a = {na, pa, ia, a_values}, .l = {nl, pl, il, vl}, .u = {nu, pu, iu, vu}, .p = p, .q = q
#define FACTORS         int nl, int *pl, int *il, double *vl, int nu, int *pu, int *iu, double *vu, int *p, int *q, void *h

Sol cusolverRfSetupHost(int n, int na, int *pa, int *ia, double *va, FACTORS)
{
    return set_up_do(h, (Setup){.work = {.call = "cusolverRfSetupHost"}, .n = n, .count = 1, PARTS(va)});
}

Sol cusolverRfSetupDevice(int n, int na, int *pa, int *ia, double *va, FACTORS)
{
    return set_up_do(h,
                     (Setup){.work = {.call = "cusolverRfSetupDevice", .device = true}, .n = n, .count = 1, PARTS(va)});
}

Sol cusolverRfBatchSetupHost(int count, int n, int na, int *pa, int *ia, double *va[], FACTORS)
{
    if (rf_of(h) && !va)
        return SOL_INVALID_VALUE;
    return set_up_do(h, (Setup){.work  = {.call = "cusolverRfBatchSetupHost"},
                                .n     = n,
                                .count = count,
                                .batch = (const double *const *)va,
                                PARTS(NULL)});
}

Sol cusolverRfResetValues(int n, int na, int *pa, int *ia, double *va, int *p, int *q, void *h)
{
    return set_up_do(h, (Setup){.work  = {.call = "cusolverRfResetValues", .device = true},
                                .n     = n,
                                .count = 1,
                                .a     = {na, pa, ia, va},
                                .p     = p,
                                .q     = q,
                                .anew  = true});
}

Sol cusolverRfBatchResetValues(int count, int n, int na, int *pa, int *ia, double *va[], int *p, int *q, void *h)
{
    if (rf_of(h) && !va)
        return SOL_INVALID_VALUE;
    return set_up_do(h, (Setup){.work  = {.call = "cusolverRfBatchResetValues", .device = true},
                                .n     = n,
                                .count = count,
                                .a     = {na, pa, ia, NULL},
                                .batch = (const double *const *)va,
                                .p     = p,
                                .q     = q,
                                .anew  = true});
}

/* ---- factors ---- */

/* One matrix, row by row: x is room for a row, where its elements stand by their columns.  Gives the first zero pivot, -1: none. */
static int factor(Rf *r, const double *given, double *out, double *x)
{
    int pivot = -1;
    for (int i = 0; i < r->n; i++) {
        for (int k = r->offsets[i]; k < r->offsets[i + 1]; k++)
            x[r->columns[k]] = given[k];
        for (int k = r->offsets[i]; k < r->middle[i]; k++) {
            int    row = r->columns[k];
            double f   = x[row] / out[r->middle[row]];
            x[row]     = f;
            for (int m = r->middle[row] + 1; m < r->offsets[row + 1]; m++)
                x[r->columns[m]] -= f * out[m];
        }
        if (!(fabs(x[i]) > r->zero) && r->boost > 0) {
            x[i]       = r->boost;
            r->boosted = true;
        } else if (!(fabs(x[i]) > r->zero) && pivot < 0) {
            pivot = i;
        }
        for (int k = r->offsets[i]; k < r->offsets[i + 1]; k++)
            out[k] = x[r->columns[k]];
    }
    return pivot;
}

typedef struct Order {
    SparseWork work;
    Rf        *r;
} Order;

static void put_bundle(const Rf *r);

static void refactor(void *args)
{
    Rf     *r  = ((Order *)args)->r;
    double *x  = ww_cuda_library_memory((size_t)r->n * sizeof *x);
    r->boosted = false;
    for (int i = 0; i < r->count; i++) {
        memset(x, 0, (size_t)r->n * sizeof *x);
        r->pivots[i] = factor(r, r->given[i], r->factors[i], x);
    }
    r->factored = true;
    if (r->bundle[0])
        put_bundle(r);
    free(x);
}

/* batch: is it the function for batches? */
static Sol step(void *handle, bool batch, const char *call)
{
    Rf *r = rf_of(handle);
    if (!r || !r->count || (!batch && r->count > 1))
        return r ? SOL_INVALID_VALUE : SOL_NOT_INITIALIZED;
    if (!call) {
        r->analysed = true;
        return SOL_SUCCESS;
    }
    if (!r->analysed)
        return SOL_INVALID_VALUE;
    Order o        = {.work = {.call = call, .by = "warpwright", .device = true}, .r = r};
    o.work.compute = refactor;
    o.work.args    = &o;
    Sol e          = sparse_do(&(Handle){0}, &o.work);
    for (int i = 0; i < r->count && !e; i++)
        e = r->pivots[i] < 0 ? SOL_SUCCESS : (Sol)SOL_ZERO_PIVOT;
    return e;
}

Sol cusolverRfAnalyze(void *h)
{
    return step(h, false, NULL);
}

Sol cusolverRfBatchAnalyze(void *h)
{
    return step(h, true, NULL);
}

Sol cusolverRfRefactor(void *h)
{
    return step(h, false, "cusolverRfRefactor");
}

Sol cusolverRfBatchRefactor(void *h)
{
    return step(h, true, "cusolverRfBatchRefactor");
}

Sol cusolverRfBatchZeroPivot(void *h, int *position)
{
    const Rf *r = rf_of(h);
    if (!r || !r->factored || !position)
        return r ? SOL_INVALID_VALUE : SOL_NOT_INITIALIZED;
    memcpy(position, r->pivots, (size_t)r->count * sizeof *position);
    return SOL_SUCCESS;
}

/* ---- systems ---- */

typedef struct Solution {
    SparseWork     work;
    const Rf      *r;
    const int     *p, *q;
    double        *x;     /* of one matrix */
    double *const *batch; /* of many */
    bool           good;
} Solution;

static void solve_one(const Solution *s, const double *f, double *x, double *y)
{
    const Rf *r = s->r;
    for (int i = 0; i < r->n; i++) {
        y[i] = x[s->p[i]];
        for (int k = r->offsets[i]; k < r->middle[i]; k++)
            y[i] -= f[k] * y[r->columns[k]];
    }
    for (int i = r->n - 1; i >= 0; i--) {
        for (int k = r->middle[i] + 1; k < r->offsets[i + 1]; k++)
            y[i] -= f[k] * y[r->columns[k]];
        y[i] /= f[r->middle[i]];
    }
    for (int i = 0; i < r->n; i++)
        x[s->q[i]] = y[i];
}

static void solve(void *args)
{
    Solution *s = args;
    int       n = s->r->n, *p = inverse_of(s->p, n), *q = inverse_of(s->q, n);
    double   *y     = ww_cuda_library_memory((size_t)n * sizeof *y);
    size_t    bytes = (size_t)n * sizeof *y;
    s->good         = p && q;
    for (int i = 0; i < s->r->count && s->good; i++) {
        double     *x    = s->batch ? s->batch[i] : s->x;
        LibrarySpan span = {x, bytes, bytes, 1, LIBRARY_UPDATES, 0, 0, NULL, 0};
        s->good          = ww_cuda_library_uses(s->work.call, &span);
        if (!s->good)
            break;
        solve_one(s, s->r->factors[i], x, y);
        ww_cuda_library_wrote(&span);
    }
    free(p);
    free(q);
    free(y);
}

static Sol solve_do(void *handle, Solution s, int systems, const double *room, int ldt, int ldx)
{
    Rf *r = rf_of(handle);
    if (!r)
        return SOL_NOT_INITIALIZED;
    if (!r->factored || !s.p || !s.q || systems != 1 || !room || ldt < r->n || ldx < r->n || (!s.x && !s.batch) ||
        (s.batch && ldt != r->n) || (!s.batch && r->count > 1))
        return SOL_INVALID_VALUE;
    for (int i = 0; i < r->count; i++)
        if (r->pivots[i] >= 0)
            return (Sol)SOL_ZERO_PIVOT;
    s.r            = r;
    s.work.compute = solve;
    s.work.args    = &s;
    s.work.by      = "warpwright";
    s.work.device  = true;
    sparse_reads(&s.work, s.p, (size_t)r->n * sizeof(int));
    sparse_reads(&s.work, s.q, (size_t)r->n * sizeof(int));
    if (s.batch)
        sparse_reads(&s.work, s.batch, (size_t)r->count * sizeof *s.batch);
    Sol e = sparse_do(&(Handle){0}, &s.work);
    return e ? e : s.good ? SOL_SUCCESS : SOL_INVALID_VALUE;
}

Sol cusolverRfSolve(void *h, int *p, int *q, int systems, double *room, int ldt, double *x, int ldx)
{
    return solve_do(h, (Solution){.work = {.call = "cusolverRfSolve"}, .p = p, .q = q, .x = x}, systems, room, ldt,
                    ldx);
}

Sol cusolverRfBatchSolve(void *h, int *p, int *q, int systems, double *room, int ldt, double *x[], int ldx)
{
    return solve_do(h, (Solution){.work = {.call = "cusolverRfBatchSolve"}, .p = p, .q = q, .batch = x}, systems, room,
                    ldt, ldx);
}

/* ---- handing factors out ---- */

/* Element k of row i, with U's diagonal 1 where that is wanted. */
static double shown(const Rf *r, int i, int k)
{
    const double *f      = r->factors[0];
    int           column = r->columns[k];
    if (r->diagonal == STORED_L || r->diagonal == ASSUMED_L || column == i)
        return f[k];
    return column < i ? f[k] * f[r->middle[column]] : f[k] / f[r->middle[i]];
}

typedef enum Which { WHICH_BOTH, WHICH_LOWER, WHICH_UPPER } Which;

/* Does that matrix have element k of row i, and what is it? */
static bool has(const Rf *r, Which which, int i, int k, double *value)
{
    int  column   = r->columns[k];
    bool unit_l   = r->diagonal == STORED_L || r->diagonal == ASSUMED_L,
         assumed  = which == WHICH_LOWER ? r->diagonal == ASSUMED_L : r->diagonal == ASSUMED_U,
         own_unit = which != WHICH_BOTH && (which == WHICH_LOWER) == unit_l;
    *value        = column == i && own_unit ? 1 : shown(r, i, k);
    if (which == WHICH_BOTH || column == i)
        return which == WHICH_BOTH || !own_unit || !assumed;
    return which == WHICH_LOWER ? column < i : column > i;
}

/* By rows or columns, whose indices ascend; gives how many.  offsets NULL: only counts. */
static int put(const Rf *r, Which which, int *offsets, int *indices, double *values)
{
    int   *next = ww_cuda_library_memory(((size_t)r->n + 1) * sizeof *next), n = 0;
    double value;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < r->n; i++)
            for (int k = r->offsets[i]; k < r->offsets[i + 1]; k++) {
                int line = r->by_columns ? r->columns[k] : i;
                if (!has(r, which, i, k, &value))
                    continue;
                if (!pass) {
                    next[line + 1]++, n++;
                } else {
                    indices[next[line]]  = r->by_columns ? i : r->columns[k];
                    values[next[line]++] = value;
                }
            }
        if (!offsets)
            break;
        for (int i = 0; i < r->n && !pass; i++)
            next[i + 1] += next[i];
        if (!pass)
            memcpy(offsets, next, ((size_t)r->n + 1) * sizeof *offsets);
    }
    free(next);
    return n;
}

static void put_bundle(const Rf *r)
{
    int    n        = put(r, WHICH_BOTH, r->bundle[0], r->bundle[1], r->bundle[2]);
    size_t bytes[3] = {((size_t)r->n + 1) * sizeof(int), (size_t)n * sizeof(int), (size_t)n * sizeof(double)};
    for (int i = 0; i < 3; i++)
        ww_cuda_library_wrote(&(LibrarySpan){r->bundle[i], bytes[i], bytes[i], 1, LIBRARY_WRITES, 0, 0, NULL, 0});
}

static Sol ready(void *handle, bool good)
{
    const Rf *r = rf_of(handle);
    return !r ? SOL_NOT_INITIALIZED : good && r->factored && r->count == 1 ? SOL_SUCCESS : SOL_INVALID_VALUE;
}

Sol cusolverRfAccessBundledFactorsDevice(void *h, int *n, int **offsets, int **indices, double **values)
{
    Sol e = ready(h, n && offsets && indices && values);
    Rf *r = rf_of(h);
    if (e)
        return e;
    *n              = r->offsets[r->n];
    size_t bytes[3] = {((size_t)r->n + 1) * sizeof(int), (size_t)*n * sizeof(int), (size_t)*n * sizeof(double)};
    bool   there    = r->bundle[2] != NULL;
    for (int i = 0; i < 3; i++)
        if (!r->bundle[i] && !ww_cuda_library_allocate(&r->bundle[i], bytes[i]))
            return SOL_ALLOC_FAILED;
    if (!there)
        put_bundle(r);
    *offsets = r->bundle[0];
    *indices = r->bundle[1];
    *values  = r->bundle[2];
    return SOL_SUCCESS;
}

/* In memory that the caller frees. */
static void extract(const Rf *r, Which which, int *n, int **offsets, int **indices, double **values)
{
    *n       = put(r, which, NULL, NULL, NULL);
    *offsets = ww_cuda_library_memory(((size_t)r->n + 1) * sizeof **offsets);
    *indices = ww_cuda_library_memory((size_t)*n * sizeof **indices);
    *values  = ww_cuda_library_memory((size_t)*n * sizeof **values);
    put(r, which, *offsets, *indices, *values);
}

Sol cusolverRfExtractBundledFactorsHost(void *h, int *n, int **offsets, int **indices, double **values)
{
    Sol e = ready(h, n && offsets && indices && values);
    if (!e)
        extract(rf_of(h), WHICH_BOTH, n, offsets, indices, values);
    return e;
}

Sol cusolverRfExtractSplitFactorsHost(void *h, int *nl, int **pl, int **il, double **vl, int *nu, int **pu, int **iu,
                                      double **vu)
{
    Sol e = ready(h, nl && pl && il && vl && nu && pu && iu && vu);
    if (e)
        return e;
    extract(rf_of(h), WHICH_LOWER, nl, pl, il, vl);
    extract(rf_of(h), WHICH_UPPER, nu, pu, iu, vu);
    return SOL_SUCCESS;
}
