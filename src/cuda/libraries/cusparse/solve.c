/* SPDX-License-Identifier: Apache-2.0
 *
 * Triangular solutions: op(A) Y = alpha X (SpSV, SpSM).  The nonzeros are sorted by the rows of op(A) first; those of the other triangle are not
 * looked at. */
#include <stdlib.h>

#include "cuda/libraries/cusparse/cusparse.h"

typedef struct Job {
    const char *call;
    int         opa, opb, type;
    Sparse      a;
    Dense       x, y;
    Factor      alpha;
    void       *info; /* NULL, or where the first pivot that is missing or zero is kept */
    bool        analysis;
} Job;

typedef struct Rows { /* of op(A) */
    int64_t *start, *column;
    Number  *value, *diagonal;
} Rows;

static bool wanted(const Job *j, const Nonzero *z)
{
    return z->row == z->column || (j->a.fill == FILL_LOWER) == (z->row > z->column);
}

static Rows sort(const Job *j)
{
    int64_t n = j->a.rows;
    Rows    r = {ww_cuda_library_memory((size_t)(n + 2) * 8), ww_cuda_library_memory((size_t)stored_values(&j->a) * 8),
                 ww_cuda_library_memory((size_t)stored_values(&j->a) * sizeof(Number)),
                 ww_cuda_library_memory((size_t)n * sizeof(Number))};
    Nonzero z;
    for (Walk w = {.m = &j->a, .call = j->call}; walk_next(&w, &z);)
        if (wanted(j, &z) && z.row != z.column)
            r.start[(j->opa == OP_N ? z.row : z.column) + 2]++;
    for (int64_t i = 0; i < n; i++)
        r.start[i + 2] += r.start[i + 1];
    for (Walk w = {.m = &j->a, .call = j->call, .told = true}; walk_next(&w, &z);) {
        if (j->opa == OP_C)
            z.value.im = -z.value.im;
        if (z.row == z.column) {
            r.diagonal[z.row] = z.value;
        } else if (wanted(j, &z)) {
            int64_t at   = r.start[(j->opa == OP_N ? z.row : z.column) + 1]++;
            r.column[at] = j->opa == OP_N ? z.column : z.row;
            r.value[at]  = z.value;
        }
    }
    return r;
}

/* The analysis looks for a diagonal that is not stored, a solution for one that is zero. */
static void note_pivot(const Job *j, const Rows *r)
{
    int64_t n = j->a.rows, at = 0;
    char   *stored = ww_cuda_library_memory((size_t)n);
    Nonzero z;
    for (Walk w = {.m = &j->a, .call = j->call, .told = true}; walk_next(&w, &z);)
        if (z.row == z.column)
            stored[z.row] = j->analysis || r->diagonal[z.row].re != 0 || r->diagonal[z.row].im != 0;
    while (at < n && (stored[at] || j->a.diag))
        at++;
    pivot_note(j->info, at < n ? (int)(at / j->a.block_rows) + j->a.base : -1);
    free(stored);
}

static void compute(const void *args)
{
    const Job *j       = args;
    int64_t    n       = j->a.rows;
    bool       forward = (j->a.fill == FILL_LOWER) == (j->opa == OP_N);
    Rows       r       = sort(j);
    if (j->info)
        note_pivot(j, &r);
    Number *y = ww_cuda_library_memory((size_t)n * sizeof *y), alpha = factor_of(&j->alpha, j->type);
    for (int64_t col = 0; col < j->y.columns && !j->analysis; col++) {
        for (int64_t step = 0; step < n; step++) {
            int64_t i   = forward ? step : n - 1 - step;
            Number  sum = number_product(alpha, dense_at(&j->x, j->opb, i, col));
            for (int64_t k = r.start[i]; k < r.start[i + 1]; k++) {
                Number p = number_product(r.value[k], y[r.column[k]]);
                sum.re -= p.re;
                sum.im -= p.im;
            }
            y[i] = j->a.diag ? sum : number_quotient(sum, r.diagonal[i]);
        }
        for (int64_t i = 0; i < n; i++)
            dense_put(&j->y, i, col, y[i]);
    }
    free(r.start), free(r.column), free(r.value), free(r.diagonal), free(y);
}

Sp solve_do(const Handle *h, const char *call, int opa, int opb, const void *alpha, const Sparse *m, const Dense *x,
            const Dense *y, int type, void *info)
{
    Job         j = {.call = call, .opa = opa, .opb = opb, .type = type, .a = *m, .info = info, .analysis = !alpha};
    LibraryWork w = {0};
    tell_sparse(&w, m, LIBRARY_READS, j.analysis ? LIBRARY_HOLDS : LIBRARY_READS);
    if (!j.analysis) {
        j.x          = *x;
        j.y          = *y;
        w.operations = 2.0 * (double)stored_values(m) * (double)y->columns;
        take_factor(h, &w, &j.alpha, alpha, type);
        tell_dense(&w, x, LIBRARY_READS, NULL, type);
        tell_dense(&w, y, LIBRARY_WRITES, NULL, type);
    }
    return give(h, &w, call, compute, &j, sizeof j);
}

static Sp solve(void *handle, const char *call, int opa, int opb, const void *alpha, const void *a, const void *x,
                void *y, int type)
{
    const Handle *h = handle_of(handle);
    const Sparse *m = sparse_of(a);
    const Dense  *b = dense_of(x), *c = dense_of(y);
    if (!h)
        return SP_NOT_INITIALIZED;
    if (!m || !b || !c || !alpha || opa < OP_N || opa > OP_C || opb < OP_N || opb > OP_C || m->rows != m->columns ||
        c->rows != m->rows || (opb == OP_N ? b->rows : b->columns) != m->rows ||
        (opb == OP_N ? b->columns : b->rows) != c->columns)
        return SP_INVALID_VALUE;
    return number_bytes(type) ? solve_do(h, call, opa, opb, alpha, m, b, c, type, NULL) : SP_NOT_SUPPORTED;
}

Sp cusparseSpSV_bufferSize(void *h, int opa, const void *alpha, const void *a, const void *x, void *y, int type,
                           int algorithm, void *descriptor, size_t *bytes)
{
    (void)opa, (void)alpha, (void)a, (void)x, (void)y, (void)type, (void)algorithm, (void)descriptor;
    return space(h, bytes);
}

Sp cusparseSpSV_analysis(void *h, int opa, const void *alpha, const void *a, const void *x, void *y, int type,
                         int algorithm, void *descriptor, void *buffer)
{
    (void)opa, (void)alpha, (void)a, (void)x, (void)y, (void)type, (void)algorithm, (void)descriptor, (void)buffer;
    return handle_of(h) ? SP_SUCCESS : SP_NOT_INITIALIZED;
}

Sp cusparseSpSV_solve(void *h, int opa, const void *alpha, const void *a, const void *x, void *y, int type,
                      int algorithm, void *descriptor)
{
    (void)algorithm, (void)descriptor;
    return solve(h, "cusparseSpSV_solve", opa, OP_N, alpha, a, x, y, type);
}

Sp cusparseSpSM_bufferSize(void *h, int opa, int opb, const void *alpha, const void *a, const void *x, void *y,
                           int type, int algorithm, void *descriptor, size_t *bytes)
{
    (void)opa, (void)opb, (void)alpha, (void)a, (void)x, (void)y, (void)type, (void)algorithm, (void)descriptor;
    return space(h, bytes);
}

Sp cusparseSpSM_analysis(void *h, int opa, int opb, const void *alpha, const void *a, const void *x, void *y, int type,
                         int algorithm, void *descriptor, void *buffer)
{
    (void)opa, (void)opb, (void)alpha, (void)a, (void)x, (void)y, (void)type, (void)algorithm, (void)descriptor,
        (void)buffer;
    return handle_of(h) ? SP_SUCCESS : SP_NOT_INITIALIZED;
}

Sp cusparseSpSM_solve(void *h, int opa, int opb, const void *alpha, const void *a, const void *x, void *y, int type,
                      int algorithm, void *descriptor)
{
    (void)algorithm, (void)descriptor;
    return solve(h, "cusparseSpSM_solve", opa, opb, alpha, a, x, y, type);
}

/* New values of the matrix: it is read anew by every solution. */
#define UPDATE(kind)                                                                                                   \
    Sp cusparse##kind##_updateMatrix(void *h, void *descr, void *values, int part)                                     \
    {                                                                                                                  \
        (void)descr, (void)part;                                                                                       \
        return !handle_of(h) ? SP_NOT_INITIALIZED : values ? SP_SUCCESS : SP_INVALID_VALUE;                            \
    }
UPDATE(SpSV)
UPDATE(SpSM)
