/* SPDX-License-Identifier: Apache-2.0
 *
 * Sparse by sparse: C = alpha A B + beta C, all by rows.  First the number of C's nonzeros is found, which waits: the program asks the descriptor for it
 * and gives memory; then structure and values are written.  A row of C is gathered in a dense one; its columns come out in ascending
 * order, and what happens to be zero stays.  With beta, C has the structure already. */
#include <stdlib.h>

#include "cuda/libraries/cusparse/cusparse.h"

static const char descrs;

typedef struct Descr {
    int64_t products; /* found by the estimation; less than 0: not yet */
} Descr;

static Descr *descr_of(const void *p)
{
    return ww_cuda_library_has(&descrs, p) ? (void *)(uintptr_t)p : NULL;
}

Sp cusparseSpGEMM_createDescr(void **out)
{
    return object_new(&descrs, out, &(Descr){-1}, sizeof(Descr));
}

Sp cusparseSpGEMM_destroyDescr(void *p)
{
    return object_drop(&descrs, p);
}

typedef struct Job {
    const char *call;
    Sparse      a, b, c;
    Factor      alpha, beta;
    int         type;
    bool        structure, values;
    int64_t    *found, *products; /* not NULL: only counted: nonzeros, multiplications */
} Job;

typedef struct Row { /* dense: what has come together of the row */
    Number  *sum;
    int64_t *last, *columns; /* row that touched a column last, plus 1; the row's columns */
    int64_t  n;
} Row;

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int64_t offset_at(const Sparse *m, int64_t row)
{
    return index_at(m->offset_type, m->offsets, row) - m->base;
}

static int64_t column_at(const Sparse *m, int64_t i)
{
    return index_at(m->index_type, m->indices, i) - m->base;
}

static bool inside(const Sparse *m, int64_t at, int64_t column)
{
    return at >= 0 && at < m->nonzeros && column >= 0 && column < m->columns;
}

static void gather(const Job *j, int64_t row, Row *r)
{
    r->n = 0;
    for (int64_t p = offset_at(&j->a, row); p < offset_at(&j->a, row + 1) && p < j->a.nonzeros; p++) {
        int64_t k = p >= 0 ? column_at(&j->a, p) : -1;
        if (!inside(&j->a, p, k))
            continue;
        for (int64_t q = offset_at(&j->b, k); q < offset_at(&j->b, k + 1) && q < j->b.nonzeros; q++) {
            int64_t column = q >= 0 ? column_at(&j->b, q) : -1;
            if (!inside(&j->b, q, column))
                continue;
            if (j->products)
                ++*j->products;
            if (r->last[column] != row + 1) {
                r->last[column]    = row + 1;
                r->sum[column]     = (Number){0, 0};
                r->columns[r->n++] = column;
            }
            if (j->values) {
                Number x = number_product(number_at(j->a.type, j->a.values, p), number_at(j->b.type, j->b.values, q));
                r->sum[column].re += x.re;
                r->sum[column].im += x.im;
            }
        }
    }
    qsort(r->columns, (size_t)r->n, sizeof *r->columns, ascending);
}

static void put(const Job *j, const Row *r, int64_t at, Number alpha, Number beta)
{
    for (int64_t i = 0; i < r->n && at + i < j->c.nonzeros; i++) {
        int64_t column = r->columns[i];
        if (j->structure)
            index_put(j->c.index_type, j->c.indices, at + i, column + j->c.base);
        if (!j->values)
            continue;
        Number x = number_product(alpha, r->sum[column]);
        if (beta.re != 0 || beta.im != 0) {
            Number y = number_product(beta, number_at(j->c.type, j->c.values, at + i));
            x        = (Number){x.re + y.re, x.im + y.im};
        }
        number_put(j->c.type, j->c.values, at + i, x);
    }
}

/* One of the device: it did not fit into the list of spans either. */
static bool factor_there(const Job *j, const Factor *f)
{
    LibrarySpan s = {.at = f->device, .width = number_bytes(j->type), .height = 1, .use = LIBRARY_READS};
    return !f->device || ww_cuda_library_uses(j->call, &s);
}

static void compute(const void *args)
{
    const Job *j     = args;
    size_t     n     = (size_t)j->b.columns + 1;
    Number     alpha = {1, 0}, beta = {0, 0};
    int64_t    at = 0;
    /* the ninth array of three matrices, of which the list of spans holds eight */
    LibrarySpan indices = {.at     = j->c.indices,
                           .width  = (size_t)j->c.nonzeros * (j->c.index_type == INDEX_64 ? 8 : 4),
                           .height = 1,
                           .use    = LIBRARY_WRITES};
    bool        apart   = j->structure && j->values && j->c.nonzeros > 0;
    if (apart && !ww_cuda_library_uses(j->call, &indices))
        return;
    if (j->values && !(factor_there(j, &j->alpha) && factor_there(j, &j->beta)))
        return;
    Row r = {ww_cuda_library_memory(n * sizeof(Number)), ww_cuda_library_memory(n * 8), ww_cuda_library_memory(n * 8),
             0};
    if (j->values) {
        alpha = factor_of(&j->alpha, j->type);
        beta  = factor_of(&j->beta, j->type);
    }
    for (int64_t row = 0; row < j->a.rows; row++) {
        gather(j, row, &r);
        if (j->structure && !j->found)
            index_put(j->c.offset_type, j->c.offsets, row, at + j->c.base);
        if (!j->found)
            put(j, &r, at, alpha, beta);
        at += r.n;
    }
    if (j->structure && !j->found)
        index_put(j->c.offset_type, j->c.offsets, j->a.rows, at + j->c.base);
    if (j->found)
        *j->found = at;
    if (apart)
        ww_cuda_library_wrote(&indices);
    free(r.sum);
    free(r.last);
    free(r.columns);
}

static Sp check(void *handle, int opa, int opb, const void *a, const void *b, const void *c, Job *j)
{
    const Sparse *x = sparse_of(a), *y = sparse_of(b), *z = sparse_of(c);
    if (!handle_of(handle))
        return no_handle(handle);
    if (!x || !y || !z || x->columns != y->rows || x->rows != z->rows || y->columns != z->columns)
        return SP_INVALID_VALUE;
    if (opa != OP_N || opb != OP_N || x->format != BY_ROWS || y->format != BY_ROWS || z->format != BY_ROWS)
        return SP_NOT_SUPPORTED; /* as documented */
    j->a = *x;
    j->b = *y;
    j->c = *z;
    return SP_SUCCESS;
}

/* C's number of nonzeros, into its descriptor (NULL: not asked for), and that of multiplications. */
static Sp count(void *handle, const char *call, Job j, void *c, Descr *d)
{
    const Handle *h     = handle_of(handle);
    int64_t       found = 0, products = 0;
    LibraryWork   w = {0};
    if (!d)
        return SP_INVALID_VALUE;
    j.call      = call;
    j.structure = true;
    j.found     = &found;
    j.products  = &products;
    tell_sparse(&w, &j.a, LIBRARY_READS, LIBRARY_HOLDS);
    tell_sparse(&w, &j.b, LIBRARY_READS, LIBRARY_HOLDS);
    if (!ww_cuda_library_wait(h->stream)) /* also where a graph is captured */
        return SP_EXECUTION_FAILED;
    Sp e = give(h, &w, call, compute, &j, sizeof j);
    if (e || !ww_cuda_library_wait(h->stream))
        return e ? e : SP_EXECUTION_FAILED;
    if (c)
        sparse_of(c)->nonzeros = found;
    d->products = products;
    return SP_SUCCESS;
}

static Sp fill(void *handle, const char *call, Job j, const void *alpha, const void *beta)
{
    const Handle *h = handle_of(handle);
    LibraryWork   w = {0};
    j.call          = call;
    if (!j.c.offsets || (j.c.nonzeros && (!j.c.indices || (j.values && !j.c.values))) ||
        (j.values && (!alpha || !beta)))
        return SP_INVALID_VALUE;
    if (j.values && !number_bytes(j.type))
        return SP_NOT_SUPPORTED;
    LibraryUse values = LIBRARY_HOLDS;
    if (j.values) { /* alpha and beta of the device are looked at when they are used */
        LibraryWork unused = {0};
        take_factor(h, &unused, &j.alpha, alpha, j.type);
        take_factor(h, &unused, &j.beta, beta, j.type);
        Number b     = h->pointer ? (Number){0, 0} : factor_of(&j.beta, j.type);
        values       = b.re != 0 || b.im != 0 ? LIBRARY_UPDATES : LIBRARY_WRITES;
        w.operations = 2.0 * (double)j.c.nonzeros;
    }
    tell_sparse(&w, &j.a, LIBRARY_READS, j.values ? LIBRARY_READS : LIBRARY_HOLDS);
    tell_sparse(&w, &j.b, LIBRARY_READS, j.values ? LIBRARY_READS : LIBRARY_HOLDS);
    Sparse c = j.c; /* two of its three arrays still have room in the list of spans */
    if (!j.structure)
        c.offsets = c.indices = NULL;
    else if (j.values)
        tell(&w, c.offsets, (size_t)stored_offsets(&c) * (c.offset_type == INDEX_64 ? 8 : 4), LIBRARY_WRITES);
    if (j.structure && j.values)
        tell(&w, c.values, (size_t)c.nonzeros * number_bytes(c.type), values);
    else
        tell_sparse(&w, &c, LIBRARY_WRITES, values);
    return give(h, &w, call, compute, &j, sizeof j);
}

/* ---- the functions ---- */

#define GIVEN                                                                                                          \
    void *h, int opa, int opb, const void *alpha, const void *a, const void *b, const void *beta, void *c, int type,   \
        int algorithm, void *descr
#define REUSED void *h, int opa, int opb, const void *a, const void *b, void *c, int algorithm, void *descr

Sp cusparseSpGEMM_workEstimation(GIVEN, size_t *bytes, void *buffer)
{
    Job j = {0};
    Sp  e = check(h, opa, opb, a, b, c, &j);
    (void)alpha, (void)beta, (void)type, (void)algorithm;
    e = e ? e : space(h, bytes);
    return e || !buffer ? e : count(h, "cusparseSpGEMM_workEstimation", j, NULL, descr_of(descr));
}

Sp cusparseSpGEMM_getNumProducts(void *descr, int64_t *products)
{
    const Descr *d = descr_of(descr);
    if (!d || !products || d->products < 0)
        return SP_INVALID_VALUE;
    *products = d->products;
    return SP_SUCCESS;
}

Sp cusparseSpGEMM_estimateMemory(GIVEN, float part, size_t *bytes, void *buffer, size_t *more)
{
    Job j = {0};
    Sp  e = check(h, opa, opb, a, b, c, &j);
    (void)alpha, (void)beta, (void)type, (void)algorithm, (void)descr, (void)buffer, (void)part;
    e = e ? e : space(h, bytes);
    return e ? e : buffer && more ? space(h, more) : SP_SUCCESS;
}

Sp cusparseSpGEMM_compute(GIVEN, size_t *bytes, void *buffer)
{
    Job j = {0};
    Sp  e = check(h, opa, opb, a, b, c, &j);
    (void)alpha, (void)beta, (void)type, (void)algorithm;
    e = e ? e : space(h, bytes);
    return e || !buffer ? e : count(h, "cusparseSpGEMM_compute", j, c, descr_of(descr));
}

Sp cusparseSpGEMM_copy(GIVEN)
{
    Job j = {.structure = true, .values = true, .type = type};
    Sp  e = check(h, opa, opb, a, b, c, &j);
    (void)algorithm, (void)descr;
    return e ? e : fill(h, "cusparseSpGEMM_copy", j, alpha, beta);
}

Sp cusparseSpGEMMreuse_workEstimation(REUSED, size_t *bytes, void *buffer)
{
    Job j = {0};
    Sp  e = check(h, opa, opb, a, b, c, &j);
    (void)algorithm, (void)descr, (void)buffer;
    return e ? e : space(h, bytes);
}

Sp cusparseSpGEMMreuse_nnz(REUSED, size_t *bytes2, void *buffer2, size_t *bytes3, void *buffer3, size_t *bytes4,
                           void *buffer4)
{
    Job j = {0};
    Sp  e = check(h, opa, opb, a, b, c, &j);
    (void)algorithm;
    if (e || space(h, bytes2) || space(h, bytes3) || space(h, bytes4))
        return e ? e : SP_INVALID_VALUE;
    return buffer2 || buffer3 || buffer4 ? count(h, "cusparseSpGEMMreuse_nnz", j, c, descr_of(descr)) : SP_SUCCESS;
}

Sp cusparseSpGEMMreuse_copy(REUSED, size_t *bytes, void *buffer)
{
    Job j = {.structure = true};
    Sp  e = check(h, opa, opb, a, b, c, &j);
    (void)algorithm, (void)descr;
    e = e ? e : space(h, bytes);
    return e || !buffer ? e : fill(h, "cusparseSpGEMMreuse_copy", j, NULL, NULL);
}

Sp cusparseSpGEMMreuse_compute(GIVEN)
{
    Job j = {.values = true, .type = type};
    Sp  e = check(h, opa, opb, a, b, c, &j);
    (void)algorithm, (void)descr;
    return e ? e : fill(h, "cusparseSpGEMMreuse_compute", j, alpha, beta);
}
