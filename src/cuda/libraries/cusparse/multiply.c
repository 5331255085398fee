/* SPDX-License-Identifier: Apache-2.0
 *
 * Products: sparse by vector (SpMV), sparse by dense (SpMM), dense by dense at the places of a sparse one (SDDMM).  A vector is a matrix of one
 * column, so SpMV is SpMM. */
#include <stdlib.h>

#include "cuda/libraries/cusparse/cusparse.h"

typedef struct Job {
    const char *call;
    int         opa, opb, type; /* type: of the factors */
    Sparse      a;
    Dense       b, c;
    Factor      alpha, beta;
} Job;

static bool multiply_plain(const Job *j)
{
    if (j->opa != OP_N || number_is_complex(j->type) || number_is_complex(j->b.type) || !rows_plain(&j->a))
        return false;
    double *x     = ww_cuda_library_memory((size_t)j->a.columns * sizeof *x);
    double *y     = ww_cuda_library_memory((size_t)j->a.rows * sizeof *y);
    Number  alpha = factor_of(&j->alpha, j->type), beta = factor_of(&j->beta, j->type);
    for (int64_t col = 0; col < j->c.columns; col++) {
        for (int64_t i = 0; i < j->a.columns; i++)
            x[i] = dense_at(&j->b, j->opb, i, col).re;
        rows_product(&j->a, x, y);
        for (int64_t i = 0; i < j->a.rows; i++)
            dense_update(&j->c, i, col, alpha, (Number){y[i], 0}, beta);
    }
    free(x);
    free(y);
    return true;
}

/* Row by row of the result would want A by rows; instead one column of it after the other, all of it in double. */
static void multiply(const Job *j)
{
    if (multiply_plain(j))
        return;
    int64_t rows = j->c.rows;
    Number *sum = ww_cuda_library_memory((size_t)rows * sizeof *sum), alpha = factor_of(&j->alpha, j->type),
           beta = factor_of(&j->beta, j->type);
    for (int64_t col = 0; col < j->c.columns; col++) {
        Walk    w = {.m = &j->a, .call = j->call, .told = col > 0};
        Nonzero z;
        for (int64_t i = 0; i < rows; i++)
            sum[i] = (Number){0, 0};
        while (walk_next(&w, &z)) {
            if (j->opa == OP_C)
                z.value.im = -z.value.im;
            int64_t to = j->opa == OP_N ? z.row : z.column, from = j->opa == OP_N ? z.column : z.row;
            Number  p = number_product(z.value, dense_at(&j->b, j->opb, from, col));
            sum[to].re += p.re;
            sum[to].im += p.im;
        }
        for (int64_t i = 0; i < rows; i++)
            dense_update(&j->c, i, col, alpha, sum[i], beta);
    }
    free(sum);
}

/* Every matrix of a batch; of which there is one, is used with all. */
static void compute(const void *args)
{
    const Job *j = args;
    for (int64_t i = 0; i < j->c.batches; i++) {
        Job one = *j;
        one.a   = sparse_item(&j->a, i);
        one.b   = dense_item(&j->b, i);
        one.c   = dense_item(&j->c, i);
        if (!dense_uses(j->call, &j->b, i, LIBRARY_READS, NULL, j->type) ||
            !dense_uses(j->call, &j->c, i, LIBRARY_WRITES, &j->beta, j->type))
            return;
        multiply(&one);
        dense_wrote(&j->c, i);
    }
}

Sp product_do(const Handle *h, const char *call, int opa, int opb, const void *alpha, const Sparse *m, const Dense *x,
              const void *beta, const Dense *y, int type)
{
    Job         j = {.call = call, .opa = opa, .opb = opb, .type = type, .a = *m, .b = *x, .c = *y};
    LibraryWork w = {.operations = 2.0 * (double)stored_values(m) * (double)y->columns};
    take_factor(h, &w, &j.alpha, alpha, type);
    take_factor(h, &w, &j.beta, beta, type);
    tell_sparse(&w, m, LIBRARY_READS, LIBRARY_READS);
    tell_dense(&w, x, LIBRARY_READS, NULL, type);
    tell_dense(&w, y, LIBRARY_WRITES, &j.beta, type);
    return give(h, &w, call, compute, &j, sizeof j);
}

static Sp product(void *handle, const char *call, int opa, int opb, const void *alpha, const void *a, const void *b,
                  const void *beta, const void *c, int type)
{
    const Handle *h = handle_of(handle);
    const Sparse *m = sparse_of(a);
    const Dense  *x = dense_of(b), *y = dense_of(c);
    if (!h)
        return no_handle(handle);
    if (!m || !x || !y || !alpha || !beta || opa < OP_N || opa > OP_C || opb < OP_N || opb > OP_C)
        return SP_INVALID_VALUE;
    if (!number_bytes(type) || number_is_complex(type) != number_is_complex(y->type))
        return SP_NOT_SUPPORTED;
    int64_t rows = opa == OP_N ? m->rows : m->columns, inner = opa == OP_N ? m->columns : m->rows;
    if ((m->batches > 1 && m->batches != y->batches) || (x->batches > 1 && x->batches != y->batches))
        return SP_INVALID_VALUE;
    if (rows != y->rows || (opb == OP_N ? x->rows : x->columns) != inner ||
        (opb == OP_N ? x->columns : x->rows) != y->columns)
        return SP_INVALID_VALUE;
    return product_do(h, call, opa, opb, alpha, m, x, beta, y, type);
}

/* ---- SDDMM ---- */

static void sample(const Job *j)
{
    Number  alpha = factor_of(&j->alpha, j->type), beta = factor_of(&j->beta, j->type);
    Walk    w = {.m = &j->a, .call = j->call};
    Nonzero z;
    int64_t inner = j->opa == OP_N ? j->b.columns : j->b.rows;
    while (walk_next(&w, &z)) {
        Number sum = {0, 0};
        for (int64_t k = 0; k < inner; k++) {
            Number p = number_product(dense_at(&j->b, j->opa, z.row, k), dense_at(&j->c, j->opb, k, z.column));
            sum.re += p.re;
            sum.im += p.im;
        }
        Number x = number_product(alpha, sum), y = number_product(beta, z.value);
        if (beta.re == 0 && beta.im == 0)
            y = (Number){0, 0};
        number_put(j->a.type, j->a.values, w.at - 1, (Number){x.re + y.re, x.im + y.im});
    }
}

static void sampled(const void *args)
{
    const Job *j = args;
    for (int64_t i = 0; i < j->a.batches; i++) {
        Job one = *j;
        one.a   = sparse_item(&j->a, i);
        one.b   = dense_item(&j->b, i);
        one.c   = dense_item(&j->c, i);
        if (!dense_uses(j->call, &j->b, i, LIBRARY_READS, NULL, j->type) ||
            !dense_uses(j->call, &j->c, i, LIBRARY_READS, NULL, j->type))
            return;
        sample(&one);
    }
}

Sp cusparseSDDMM(void *handle, int opa, int opb, const void *alpha, const void *a, const void *b, const void *beta,
                 void *c, int type, int algorithm, void *buffer)
{
    const Handle *h = handle_of(handle);
    const Dense  *x = dense_of(a), *y = dense_of(b);
    const Sparse *m = sparse_of(c);
    (void)algorithm, (void)buffer;
    if (!h)
        return no_handle(handle);
    if (!m || !x || !y || !alpha || !beta || opa < OP_N || opa > OP_C || opb < OP_N || opb > OP_C)
        return SP_INVALID_VALUE;
    if ((opa == OP_N ? x->rows : x->columns) != m->rows || (opb == OP_N ? y->columns : y->rows) != m->columns ||
        (opa == OP_N ? x->columns : x->rows) != (opb == OP_N ? y->rows : y->columns))
        return SP_INVALID_VALUE;
    if ((x->batches > 1 && x->batches != m->batches) || (y->batches > 1 && y->batches != m->batches))
        return SP_INVALID_VALUE;
    if (!number_bytes(type))
        return SP_NOT_SUPPORTED;
    Job         j = {.call = "cusparseSDDMM", .opa = opa, .opb = opb, .type = type, .a = *m, .b = *x, .c = *y};
    LibraryWork w = {.operations = 2.0 * (double)stored_values(m) * (double)(opa == OP_N ? x->columns : x->rows)};
    take_factor(h, &w, &j.alpha, alpha, type);
    take_factor(h, &w, &j.beta, beta, type);
    Number zero = h->pointer ? (Number){1, 0} : factor_of(&j.beta, type);
    tell_sparse(&w, m, LIBRARY_READS, zero.re != 0 || zero.im != 0 ? LIBRARY_UPDATES : LIBRARY_WRITES);
    tell_dense(&w, x, LIBRARY_READS, NULL, type);
    tell_dense(&w, y, LIBRARY_READS, NULL, type);
    return give(h, &w, j.call, sampled, &j, sizeof j);
}

/* ---- the functions ---- */

#define IGNORED (void)opa, (void)alpha, (void)a, (void)x, (void)beta, (void)y, (void)type, (void)algorithm

Sp cusparseSpMV(void *h, int opa, const void *alpha, const void *a, const void *x, const void *beta, void *y, int type,
                int algorithm, void *buffer)
{
    (void)algorithm, (void)buffer;
    return product(h, "cusparseSpMV", opa, OP_N, alpha, a, x, beta, y, type);
}

Sp cusparseSpMV_bufferSize(void *h, int opa, const void *alpha, const void *a, const void *x, const void *beta, void *y,
                           int type, int algorithm, size_t *bytes)
{
    IGNORED;
    return space_today(h, bytes);
}

Sp cusparseSpMV_preprocess(void *h, int opa, const void *alpha, const void *a, const void *x, const void *beta, void *y,
                           int type, int algorithm, void *buffer)
{
    IGNORED, (void)buffer;
    return handle_of(h) ? SP_SUCCESS : no_handle(h);
}

Sp cusparseSpMM(void *h, int opa, int opb, const void *alpha, const void *a, const void *x, const void *beta, void *y,
                int type, int algorithm, void *buffer)
{
    (void)algorithm, (void)buffer;
    return product(h, "cusparseSpMM", opa, opb, alpha, a, x, beta, y, type);
}

#define SPACE(name)                                                                                                    \
    Sp cusparse##name##_bufferSize(void *h, int opa, int opb, const void *alpha, const void *a, const void *x,         \
                                   const void *beta, void *y, int type, int algorithm, size_t *bytes)                  \
    {                                                                                                                  \
        IGNORED, (void)opb;                                                                                            \
        return space_today(h, bytes);                                                                                  \
    }                                                                                                                  \
    Sp cusparse##name##_preprocess(void *h, int opa, int opb, const void *alpha, const void *a, const void *x,         \
                                   const void *beta, void *y, int type, int algorithm, void *buffer)                   \
    {                                                                                                                  \
        IGNORED, (void)opb, (void)buffer;                                                                              \
        return handle_of(h) ? SP_SUCCESS : no_handle(h);                                                               \
    }
SPACE(SpMM)
SPACE(SDDMM)
