/* SPDX-License-Identifier: Apache-2.0
 *
 * Conversions: row numbers to offsets and back, rows to columns, sparse to dense and back; sparse vectors with dense ones. */
#include <stdlib.h>
#include <string.h>

#include "cuda/libraries/cusparse/cusparse.h"

/* ---- offsets ---- */

typedef struct Offsets {
    const int *from;
    int       *to;
    int        nonzeros, rows, base;
} Offsets;

static void to_offsets(const void *args)
{
    const Offsets *o = args;
    memset(o->to, 0, ((size_t)o->rows + 1) * sizeof *o->to);
    for (int i = 0; i < o->nonzeros; i++) {
        int row = o->from[i] - o->base;
        if (row >= 0 && row < o->rows)
            o->to[row + 1]++;
    }
    o->to[0] = o->base;
    for (int i = 0; i < o->rows; i++)
        o->to[i + 1] += o->to[i];
}

static void to_rows(const void *args)
{
    const Offsets *o = args;
    for (int row = 0; row < o->rows; row++)
        for (int i = o->from[row] - o->base; i < o->from[row + 1] - o->base && i < o->nonzeros; i++)
            if (i >= 0)
                o->to[i] = row + o->base;
}

static Sp offsets(void *handle, const char *call, Offsets o, bool rows)
{
    const Handle *h = handle_of(handle);
    LibraryWork   w = {0};
    if (!h)
        return SP_NOT_INITIALIZED;
    if (o.nonzeros < 0 || o.rows < 0 || o.base < 0 || o.base > 1 || !o.to || (!o.from && o.nonzeros))
        return SP_INVALID_VALUE;
    size_t lines = ((size_t)o.rows + 1) * sizeof(int), places = (size_t)o.nonzeros * sizeof(int);
    tell(&w, o.from, rows ? lines : places, LIBRARY_READS);
    tell(&w, o.to, rows ? places : lines, LIBRARY_WRITES);
    return give(h, &w, call, rows ? to_rows : to_offsets, &o, sizeof o);
}

Sp cusparseXcoo2csr(void *h, const int *rows, int nonzeros, int m, int *out, int base)
{
    return offsets(h, "cusparseXcoo2csr", (Offsets){rows, out, nonzeros, m, base}, false);
}

Sp cusparseXcsr2coo(void *h, const int *from, int nonzeros, int m, int *out, int base)
{
    return offsets(h, "cusparseXcsr2coo", (Offsets){from, out, nonzeros, m, base}, true);
}

/* ---- rows to columns ---- */

typedef struct Turn {
    Sparse from, to;
    bool   values;
} Turn;

static void turn(const void *args)
{
    const Turn *t = args;
    int64_t     n = t->from.columns, *next = ww_cuda_library_memory((size_t)(n + 1) * sizeof *next);
    Nonzero     z;
    for (Walk w = {.m = &t->from, .call = "cusparseCsr2cscEx2"}; walk_next(&w, &z);)
        next[z.column + 1]++;
    for (int64_t i = 0; i < n; i++)
        next[i + 1] += next[i];
    for (int64_t i = 0; i <= n; i++)
        index_put(INDEX_32, t->to.offsets, i, next[i] + t->to.base);
    for (Walk w = {.m = &t->from, .call = "cusparseCsr2cscEx2", .told = true}; walk_next(&w, &z);) {
        int64_t at = next[z.column]++;
        index_put(INDEX_32, t->to.indices, at, z.row + t->to.base);
        if (t->values)
            number_put(t->to.type, t->to.values, at, z.value);
    }
    free(next);
}

Sp cusparseCsr2cscEx2(void *handle, int m, int n, int nonzeros, const void *values, const int *offset,
                      const int *columns, void *to_values, int *to_offset, int *to_rows_, int type, int action,
                      int base, int algorithm, void *buffer)
{
    const Handle *h = handle_of(handle);
    LibraryWork   w = {0};
    (void)algorithm, (void)buffer;
    if (!h)
        return no_handle(handle);
    if (m < 0 || n < 0 || nonzeros < 0 || base < 0 || base > 1 || !offset || !to_offset ||
        (nonzeros && (!columns || !values || !to_rows_ || (action && !to_values))))
        return SP_INVALID_VALUE;
    if (!number_bytes(type))
        return SP_NOT_SUPPORTED;
    Sparse from = {.format      = BY_ROWS,
                   .offset_type = INDEX_32,
                   .index_type  = INDEX_32,
                   .base        = base,
                   .type        = type,
                   .rows        = m,
                   .columns     = n,
                   .nonzeros    = nonzeros,
                   .offsets     = (void *)(uintptr_t)offset,
                   .indices     = (void *)(uintptr_t)columns,
                   .values      = (void *)(uintptr_t)values,
                   .batches     = 1},
           to   = from;
    to.format   = BY_COLUMNS;
    to.offsets  = to_offset;
    to.indices  = to_rows_;
    to.values   = to_values;
    Turn t      = {from, to, action != 0};
    tell_sparse(&w, &t.from, LIBRARY_READS, action ? LIBRARY_READS : LIBRARY_HOLDS);
    tell_sparse(&w, &t.to, LIBRARY_WRITES, action ? LIBRARY_WRITES : LIBRARY_HOLDS);
    if (!action && to_values) /* there may be none */
        w.nspans--;
    return give(h, &w, "cusparseCsr2cscEx2", turn, &t, sizeof t);
}

Sp cusparseCsr2cscEx2_bufferSize(void *h, int m, int n, int nonzeros, const void *values, const int *offset,
                                 const int *columns, void *to_values, int *to_offset, int *rows, int type, int action,
                                 int base, int algorithm, size_t *bytes)
{
    (void)m, (void)n, (void)nonzeros, (void)values, (void)offset, (void)columns, (void)to_values, (void)to_offset,
        (void)rows, (void)type, (void)action, (void)base;
    (void)algorithm;
    return space_today(h, bytes);
}

/* ---- dense ---- */

typedef struct Both {
    Sparse   sparse;
    Dense    dense;
    int64_t *found; /* of an analysis, which waits: the number of nonzeros */
} Both;

static void to_dense(const void *args)
{
    const Both *b = args;
    Nonzero     z;
    for (int64_t i = 0; i < b->dense.rows; i++)
        for (int64_t k = 0; k < b->dense.columns; k++)
            dense_put(&b->dense, i, k, (Number){0, 0});
    for (Walk w = {.m = &b->sparse, .call = "cusparseSparseToDense"}; walk_next(&w, &z);)
        dense_put(&b->dense, z.row, z.column, z.value);
}

/* Line by line of the sparse one; where `fills`, into it, else offsets and the number. */
static void from_dense(const Both *b, bool fills)
{
    const Sparse *m = &b->sparse;
    if (m->format >= BLOCKED_ELL) { /* what stands where is given */
        for (int64_t i = 0; fills && i < stored_values(m); i++)
            number_put(m->type, m->values, i, (Number){0, 0});
        Nonzero z;
        for (Walk w = {.m = m, .call = "cusparseDenseToSparse_convert"}; fills && walk_next(&w, &z);)
            number_put(m->type, m->values, w.at - 1, dense_at(&b->dense, OP_N, z.row, z.column));
        if (!fills)
            *b->found = m->nonzeros;
        return;
    }
    bool    by    = m->format == BY_COLUMNS;
    int64_t lines = by ? m->columns : m->rows, other = by ? m->rows : m->columns, n = 0;
    for (int64_t i = 0; i < lines; i++) {
        if (!fills && m->format != COORDINATES)
            index_put(m->offset_type, m->offsets, i, n + m->base);
        for (int64_t k = 0; k < other; k++) {
            Number x = dense_at(&b->dense, OP_N, by ? k : i, by ? i : k);
            if (x.re == 0 && x.im == 0)
                continue;
            if (fills && n < m->nonzeros) {
                if (m->format == COORDINATES)
                    index_put(m->offset_type, m->offsets, n, i + m->base);
                index_put(m->index_type, m->indices, n, k + m->base);
                number_put(m->type, m->values, n, x);
            }
            n++;
        }
    }
    if (!fills && m->format != COORDINATES)
        index_put(m->offset_type, m->offsets, lines, n + m->base);
    if (!fills)
        *b->found = n;
}

static void count(const void *args)
{
    from_dense(args, false);
}

static void fill(const void *args)
{
    from_dense(args, true);
}

static Sp both(void *handle, const void *sparse, const void *dense, Both *b, const Handle **h)
{
    *h = handle_of(handle);
    if (!*h)
        return no_handle(handle);
    if (!sparse_of(sparse) || !dense_of(dense))
        return SP_INVALID_VALUE;
    *b = (Both){.sparse = *sparse_of(sparse), .dense = *dense_of(dense)};
    return b->sparse.rows == b->dense.rows && b->sparse.columns == b->dense.columns ? SP_SUCCESS : SP_INVALID_VALUE;
}

Sp cusparseSparseToDense(void *handle, const void *a, void *b, int algorithm, void *buffer)
{
    const Handle *h;
    Both          j;
    LibraryWork   w = {0};
    Sp            e = both(handle, a, b, &j, &h);
    (void)algorithm, (void)buffer;
    if (e)
        return e;
    tell_sparse(&w, &j.sparse, LIBRARY_READS, LIBRARY_READS);
    tell_dense(&w, &j.dense, LIBRARY_WRITES, NULL, 0);
    return give(h, &w, "cusparseSparseToDense", to_dense, &j, sizeof j);
}

Sp cusparseSparseToDense_bufferSize(void *h, const void *a, void *b, int algorithm, size_t *bytes)
{
    (void)a, (void)b, (void)algorithm;
    return space_today(h, bytes);
}

Sp cusparseDenseToSparse_bufferSize(void *h, const void *a, void *b, int algorithm, size_t *bytes)
{
    (void)a, (void)b, (void)algorithm;
    return space_today(h, bytes);
}

Sp cusparseDenseToSparse_analysis(void *handle, const void *a, void *b, int algorithm, void *buffer)
{
    const Handle *h;
    Both          j;
    int64_t       found = 0;
    LibraryWork   w     = {0};
    Sp            e     = both(handle, b, a, &j, &h);
    (void)algorithm, (void)buffer;
    if (e)
        return e;
    j.found = &found;
    tell_dense(&w, &j.dense, LIBRARY_READS, NULL, 0);
    if (j.sparse.format < BLOCKED_ELL) {
        j.sparse.nonzeros = 0;
        tell_sparse(&w, &j.sparse, LIBRARY_WRITES, LIBRARY_WRITES);
    }
    if (!ww_cuda_library_wait(h->stream)) /* also where a graph is captured */
        return SP_EXECUTION_FAILED;
    e = give(h, &w, "cusparseDenseToSparse_analysis", count, &j, sizeof j);
    if (e || !ww_cuda_library_wait(h->stream))
        return e ? e : SP_EXECUTION_FAILED;
    sparse_of(b)->nonzeros = found;
    return SP_SUCCESS;
}

Sp cusparseDenseToSparse_convert(void *handle, const void *a, void *b, int algorithm, void *buffer)
{
    const Handle *h;
    Both          j;
    LibraryWork   w = {0};
    Sp            e = both(handle, b, a, &j, &h);
    (void)algorithm, (void)buffer;
    if (e)
        return e;
    if (j.sparse.nonzeros && (!j.sparse.indices || !j.sparse.values))
        return SP_INVALID_VALUE;
    tell_dense(&w, &j.dense, LIBRARY_READS, NULL, 0);
    tell(&w, j.sparse.indices, (size_t)stored_indices(&j.sparse) * (j.sparse.index_type == INDEX_64 ? 8 : 4),
         j.sparse.format < BLOCKED_ELL ? LIBRARY_WRITES : LIBRARY_READS);
    tell(&w, j.sparse.values, (size_t)stored_values(&j.sparse) * number_bytes(j.sparse.type), LIBRARY_WRITES);
    return give(h, &w, "cusparseDenseToSparse_convert", fill, &j, sizeof j);
}

/* ---- sparse vectors ---- */

typedef struct Mixed {
    SparseVector x;
    Dense        y;
    Factor       alpha, beta; /* of a rotation: cosine and sine */
    int          type;        /* of the result of a product, and where it goes */
    bool         conjugate;
    void        *to;
} Mixed;

static int64_t place(const SparseVector *x, int64_t i)
{
    int64_t at = index_at(x->index_type, x->indices, i) - x->base;
    return at >= 0 && at < x->size ? at : -1;
}

static void gather(const void *args)
{
    const Mixed *m = args;
    for (int64_t i = 0; i < m->x.nonzeros; i++)
        if (place(&m->x, i) >= 0)
            number_put(m->x.type, m->x.values, i, dense_at(&m->y, OP_N, place(&m->x, i), 0));
}

static void scatter(const void *args)
{
    const Mixed *m = args;
    for (int64_t i = 0; i < m->x.nonzeros; i++)
        if (place(&m->x, i) >= 0)
            dense_put(&m->y, place(&m->x, i), 0, number_at(m->x.type, m->x.values, i));
}

static void axpby(const void *args)
{
    const Mixed *m     = args;
    Number       alpha = factor_of(&m->alpha, m->y.type), beta = factor_of(&m->beta, m->y.type);
    for (int64_t i = 0; i < m->y.rows; i++)
        dense_update(&m->y, i, 0, (Number){0, 0}, (Number){0, 0}, beta);
    for (int64_t i = 0; i < m->x.nonzeros; i++)
        if (place(&m->x, i) >= 0)
            dense_update(&m->y, place(&m->x, i), 0, alpha, number_at(m->x.type, m->x.values, i), (Number){1, 0});
}

static Sp mixed(void *handle, const char *call, const void *x, const void *y, LibraryUse ux, LibraryUse uy,
                void (*compute)(const void *), const void *alpha, const void *beta)
{
    const Handle *h = handle_of(handle);
    LibraryWork   w = {0};
    if (!h)
        return no_handle(handle);
    if (!vector_of(x) || !dense_of(y) || dense_of(y)->rows != vector_of(x)->size)
        return SP_INVALID_VALUE;
    Mixed m = {.x = *vector_of(x), .y = *dense_of(y)};
    if (alpha && beta) {
        take_factor(h, &w, &m.alpha, alpha, m.y.type);
        take_factor(h, &w, &m.beta, beta, m.y.type);
    }
    tell(&w, m.x.indices, (size_t)m.x.nonzeros * (m.x.index_type == INDEX_64 ? 8 : 4), LIBRARY_READS);
    tell(&w, m.x.values, (size_t)m.x.nonzeros * number_bytes(m.x.type), ux);
    tell_dense(&w, &m.y, uy, compute == axpby ? &m.beta : NULL, m.y.type);
    return give(h, &w, call, compute, &m, sizeof m);
}

Sp cusparseGather(void *h, const void *y, void *x)
{
    return mixed(h, "cusparseGather", x, y, LIBRARY_WRITES, LIBRARY_HOLDS, gather, NULL, NULL);
}

Sp cusparseScatter(void *h, const void *x, void *y)
{
    return mixed(h, "cusparseScatter", x, y, LIBRARY_READS, LIBRARY_WRITES, scatter, NULL, NULL);
}

Sp cusparseAxpby(void *h, const void *alpha, const void *x, const void *beta, void *y)
{
    if (handle_of(h) && (!alpha || !beta))
        return SP_INVALID_VALUE;
    return mixed(h, "cusparseAxpby", x, y, LIBRARY_READS, LIBRARY_WRITES, axpby, alpha, beta);
}

static void rotate(const void *args)
{
    const Mixed *m = args;
    Number       c = factor_of(&m->alpha, m->y.type), s = factor_of(&m->beta, m->y.type);
    for (int64_t i = 0; i < m->x.nonzeros; i++) {
        int64_t at = place(&m->x, i);
        if (at < 0)
            continue;
        Number x = number_at(m->x.type, m->x.values, i), y = dense_at(&m->y, OP_N, at, 0), cx = number_product(c, x),
               sy = number_product(s, y), cy = number_product(c, y), sx = number_product(s, x);
        number_put(m->x.type, m->x.values, i, (Number){cx.re + sy.re, cx.im + sy.im});
        dense_put(&m->y, at, 0, (Number){cy.re - sx.re, cy.im - sx.im});
    }
}

Sp cusparseRot(void *h, const void *cosine, const void *sine, void *x, void *y)
{
    if (handle_of(h) && (!cosine || !sine))
        return SP_INVALID_VALUE;
    return mixed(h, "cusparseRot", x, y, LIBRARY_UPDATES, LIBRARY_UPDATES, rotate, cosine, sine);
}

static void dot(const void *args)
{
    const Mixed *m   = args;
    Number       sum = {0, 0};
    for (int64_t i = 0; i < m->x.nonzeros; i++) {
        int64_t at = place(&m->x, i);
        Number  x  = number_at(m->x.type, m->x.values, i);
        if (at < 0)
            continue;
        if (m->conjugate)
            x.im = -x.im;
        Number p = number_product(x, dense_at(&m->y, OP_N, at, 0));
        sum.re += p.re;
        sum.im += p.im;
    }
    number_put(m->type, m->to, 0, sum);
}

Sp cusparseSpVV_bufferSize(void *h, int op, const void *x, const void *y, const void *result, int type, size_t *bytes)
{
    (void)op, (void)x, (void)y, (void)result, (void)type;
    return space_today(h, bytes);
}

Sp cusparseSpVV(void *handle, int op, const void *x, const void *y, void *result, int type, void *buffer)
{
    const Handle *h = handle_of(handle);
    LibraryWork   w = {0};
    (void)buffer;
    if (!h)
        return no_handle(handle);
    if (!vector_of(x) || !dense_of(y) || dense_of(y)->rows != vector_of(x)->size || !result)
        return SP_INVALID_VALUE;
    if (!number_bytes(type))
        return SP_NOT_SUPPORTED;
    Mixed m = {.x = *vector_of(x), .y = *dense_of(y), .type = type, .conjugate = op == OP_C, .to = result};
    tell(&w, m.x.indices, (size_t)m.x.nonzeros * (m.x.index_type == INDEX_64 ? 8 : 4), LIBRARY_READS);
    tell(&w, m.x.values, (size_t)m.x.nonzeros * number_bytes(m.x.type), LIBRARY_READS);
    tell_dense(&w, &m.y, LIBRARY_HOLDS, NULL, m.y.type);
    if (h->pointer)
        tell(&w, result, number_bytes(type), LIBRARY_WRITES);
    Sp e = give(h, &w, "cusparseSpVV", dot, &m, sizeof m);
    return e || h->pointer ? e : ww_cuda_library_wait(h->stream) ? SP_SUCCESS : SP_EXECUTION_FAILED;
}
