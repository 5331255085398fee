/* SPDX-License-Identifier: Apache-2.0
 *
 * Triangular solutions: op(A) Y = alpha X (SpSV, SpSM).  The nonzeros are sorted by the rows of op(A) first; those of the other triangle are not
 * looked at.  New values (updateMatrix) are kept as a pointer and read by each solution, in its stream's order: a program that overwrites or frees
 * them in between is taken at its word; whether a card has copied them by then was not read there. */
#include <stdlib.h>

#include "cuda/libraries/cusparse/cusparse.h"

static const char updates;

typedef struct Update {      /* a descriptor of SpSV or SpSM */
    void *values, *diagonal; /* in place of the matrix's; NULL: those */
} Update;

static Update *update_of(const void *p)
{
    return ww_cuda_library_has(&updates, p) ? (void *)(uintptr_t)p : NULL;
}

typedef struct Job {
    const char *call;
    int         opa, opb, type;
    Sparse      a;
    const void *diagonal; /* NULL, or its values in place of those in a */
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
        if (j->diagonal && z.row == z.column)
            z.value = number_at(j->a.type, j->diagonal, z.row);
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

static void compute_plain(const Job *j)
{
    int64_t n        = j->a.rows;
    double *y        = ww_cuda_library_memory((size_t)n * sizeof *y);
    double *diagonal = j->diagonal ? ww_cuda_library_memory((size_t)n * sizeof *diagonal) : NULL;
    Number  alpha    = factor_of(&j->alpha, j->type);
    for (int64_t i = 0; i < n && diagonal; i++)
        diagonal[i] = number_at(j->a.type, j->diagonal, i).re;
    for (int64_t col = 0; col < j->y.columns; col++) {
        for (int64_t i = 0; i < n; i++)
            y[i] = alpha.re * dense_at(&j->x, j->opb, i, col).re;
        rows_solve(&j->a, j->opa != OP_N, diagonal, y);
        for (int64_t i = 0; i < n; i++)
            dense_put(&j->y, i, col, (Number){y[i], 0});
    }
    free(y);
    free(diagonal);
}

static void compute(const void *args)
{
    const Job *j = args;
    if (!j->info && !j->analysis && !number_is_complex(j->type) && rows_plain(&j->a)) {
        compute_plain(j);
        return;
    }
    int64_t n       = j->a.rows;
    bool    forward = (j->a.fill == FILL_LOWER) == (j->opa == OP_N);
    Rows    r       = sort(j);
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

static Sp give_solution(const Handle *h, Job j, const void *alpha, const Dense *x, const Dense *y)
{
    const Sparse *m    = &j.a;
    int           type = j.type;
    LibraryWork   w    = {0};
    tell_sparse(&w, m, LIBRARY_READS, j.analysis ? LIBRARY_HOLDS : LIBRARY_READS);
    if (!j.analysis) {
        j.x          = *x;
        j.y          = *y;
        w.operations = 2.0 * (double)stored_values(m) * (double)y->columns;
        take_factor(h, &w, &j.alpha, alpha, type);
        tell_dense(&w, x, LIBRARY_READS, NULL, type);
        tell_dense(&w, y, LIBRARY_WRITES, NULL, type);
        if (j.diagonal)
            tell(&w, j.diagonal, (size_t)m->rows * number_bytes(m->type), LIBRARY_READS);
    }
    return give(h, &w, j.call, compute, &j, sizeof j);
}

Sp solve_do(const Handle *h, const char *call, int opa, int opb, const void *alpha, const Sparse *m, const Dense *x,
            const Dense *y, int type, void *info)
{
    return give_solution(
        h, (Job){.call = call, .opa = opa, .opb = opb, .type = type, .a = *m, .info = info, .analysis = !alpha}, alpha,
        x, y);
}

static Sp solve(void *handle, const char *call, int opa, int opb, const void *alpha, const void *a, const void *x,
                void *y, int type, const void *descriptor)
{
    const Handle *h = handle_of(handle);
    const Update *u = update_of(descriptor);
    const Sparse *m = sparse_of(a);
    const Dense  *b = dense_of(x), *c = dense_of(y);
    if (!h)
        return no_handle(handle);
    if (!m || !b || !c || !u || !alpha || opa < OP_N || opa > OP_C || opb < OP_N || opb > OP_C ||
        m->rows != m->columns || c->rows != m->rows || (opb == OP_N ? b->rows : b->columns) != m->rows ||
        (opb == OP_N ? b->columns : b->rows) != c->columns)
        return SP_INVALID_VALUE;
    if (!number_bytes(type))
        return SP_NOT_SUPPORTED;
    Job j = {.call = call, .opa = opa, .opb = opb, .type = type, .a = *m, .diagonal = u->diagonal};
    if (u->values)
        j.a.values = u->values;
    return give_solution(h, j, alpha, b, c);
}

Sp cusparseSpSV_bufferSize(void *h, int opa, const void *alpha, const void *a, const void *x, void *y, int type,
                           int algorithm, void *descriptor, size_t *bytes)
{
    (void)opa, (void)alpha, (void)a, (void)x, (void)y, (void)type, (void)algorithm, (void)descriptor;
    return space_today(h, bytes);
}

Sp cusparseSpSV_analysis(void *h, int opa, const void *alpha, const void *a, const void *x, void *y, int type,
                         int algorithm, void *descriptor, void *buffer)
{
    (void)opa, (void)alpha, (void)a, (void)x, (void)y, (void)type, (void)algorithm, (void)descriptor, (void)buffer;
    return handle_of(h) ? SP_SUCCESS : no_handle(h);
}

Sp cusparseSpSV_solve(void *h, int opa, const void *alpha, const void *a, const void *x, void *y, int type,
                      int algorithm, void *descriptor)
{
    (void)algorithm;
    return solve(h, "cusparseSpSV_solve", opa, OP_N, alpha, a, x, y, type, descriptor);
}

Sp cusparseSpSM_bufferSize(void *h, int opa, int opb, const void *alpha, const void *a, const void *x, void *y,
                           int type, int algorithm, void *descriptor, size_t *bytes)
{
    (void)opa, (void)opb, (void)alpha, (void)a, (void)x, (void)y, (void)type, (void)algorithm, (void)descriptor;
    return space_today(h, bytes);
}

Sp cusparseSpSM_analysis(void *h, int opa, int opb, const void *alpha, const void *a, const void *x, void *y, int type,
                         int algorithm, void *descriptor, void *buffer)
{
    (void)opa, (void)opb, (void)alpha, (void)a, (void)x, (void)y, (void)type, (void)algorithm, (void)descriptor,
        (void)buffer;
    return handle_of(h) ? SP_SUCCESS : no_handle(h);
}

Sp cusparseSpSM_solve(void *h, int opa, int opb, const void *alpha, const void *a, const void *x, void *y, int type,
                      int algorithm, void *descriptor)
{
    (void)algorithm;
    return solve(h, "cusparseSpSM_solve", opa, opb, alpha, a, x, y, type, descriptor);
}

enum { UPDATE_GENERAL, UPDATE_DIAGONAL };

static Sp update(void *handle, Update *u, void *values, int part)
{
    if (!handle_of(handle))
        return no_handle(handle);
    if (!u || !values || part < UPDATE_GENERAL || part > UPDATE_DIAGONAL)
        return SP_INVALID_VALUE;
    if (part == UPDATE_GENERAL)
        *u = (Update){.values = values};
    else
        u->diagonal = values;
    return SP_SUCCESS;
}

#define DESCRIPTOR(kind)                                                                                               \
    Sp cusparse##kind##_createDescr(void **out)                                                                        \
    {                                                                                                                  \
        return object_new(&updates, out, &(Update){0}, sizeof(Update));                                                \
    }                                                                                                                  \
    Sp cusparse##kind##_destroyDescr(void *p)                                                                          \
    {                                                                                                                  \
        return object_drop(&updates, p);                                                                               \
    }                                                                                                                  \
    Sp cusparse##kind##_updateMatrix(void *h, void *descr, void *values, int part)                                     \
    {                                                                                                                  \
        return update(h, update_of(descr), values, part);                                                              \
    }
DESCRIPTOR(SpSV)
DESCRIPTOR(SpSM)
