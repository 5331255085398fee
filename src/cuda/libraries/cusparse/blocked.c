/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrices of blocks (BSR, blocked ELL) and of slices (sliced ELL), batches of matrices, and what a descriptor holds.  Blocked ELL: every row stores as many
 * columns, row after row; a block's column of -1 fills up.  Sliced ELL: the rows of a slice store as many, column after column; a column of -1
 * fills up. */
#include "cuda/libraries/cusparse/cusparse.h"

/* ---- formats ---- */

#define FORMATS(Const)                                                                                                 \
    Sp cusparseCreate##Const##BlockedEll(void **out, int64_t rows, int64_t columns, int64_t side, int64_t width,       \
                                         void *indices, void *values, int index_type, int base, int type)              \
    {                                                                                                                  \
        if (side < 1 || width < 0 || width % side || width > columns || rows % side || columns % side)                 \
            return SP_INVALID_VALUE;                                                                                   \
        return sparse_new(out, (Sparse){.format        = BLOCKED_ELL,                                                  \
                                        .offset_type   = index_type,                                                   \
                                        .index_type    = index_type,                                                   \
                                        .base          = base,                                                         \
                                        .type          = type,                                                         \
                                        .rows          = rows,                                                         \
                                        .columns       = columns,                                                      \
                                        .nonzeros      = rows * width,                                                 \
                                        .indices       = indices,                                                      \
                                        .values        = values,                                                       \
                                        .block_rows    = side,                                                         \
                                        .block_columns = side,                                                         \
                                        .width         = width,                                                        \
                                        .batches       = 1});                                                                \
    }                                                                                                                  \
    Sp cusparseCreate##Const##SlicedEll(void **out, int64_t rows, int64_t columns, int64_t nonzeros, int64_t stored,   \
                                        int64_t slice, void *offsets, void *indices, void *values, int offset_type,    \
                                        int index_type, int base, int type)                                            \
    {                                                                                                                  \
        if (slice < 1 || stored < nonzeros || !offsets)                                                                \
            return SP_INVALID_VALUE;                                                                                   \
        return sparse_new(out, (Sparse){.format      = SLICED_ELL,                                                     \
                                        .offset_type = offset_type,                                                    \
                                        .index_type  = index_type,                                                     \
                                        .base        = base,                                                           \
                                        .type        = type,                                                           \
                                        .rows        = rows,                                                           \
                                        .columns     = columns,                                                        \
                                        .nonzeros    = nonzeros,                                                       \
                                        .offsets     = offsets,                                                        \
                                        .indices     = indices,                                                        \
                                        .values      = values,                                                         \
                                        .block_rows  = slice,                                                          \
                                        .width       = stored,                                                         \
                                        .batches     = 1});                                                                \
    }                                                                                                                  \
    Sp cusparseCreate##Const##Bsr(void **out, int64_t rows, int64_t columns, int64_t blocks, int64_t block_rows,       \
                                  int64_t block_columns, void *offsets, void *indices, void *values, int offset_type,  \
                                  int index_type, int base, int type, int order)                                       \
    {                                                                                                                  \
        if (block_rows < 1 || block_columns < 1 || !offsets || (order != ORDER_ROW && order != ORDER_COLUMN) ||        \
            rows < 0 || columns < 0 || rows > INT64_MAX / block_rows || columns > INT64_MAX / block_columns)           \
            return SP_INVALID_VALUE;                                                                                   \
        return sparse_new(out, (Sparse){.format        = BLOCK_ROWS,                                                   \
                                        .offset_type   = offset_type,                                                  \
                                        .index_type    = index_type,                                                   \
                                        .base          = base,                                                         \
                                        .type          = type,                                                         \
                                        .rows          = rows * block_rows,                                            \
                                        .columns       = columns * block_columns,                                      \
                                        .nonzeros      = blocks,                                                       \
                                        .offsets       = offsets,                                                      \
                                        .indices       = indices,                                                      \
                                        .values        = values,                                                       \
                                        .block_rows    = block_rows,                                                   \
                                        .block_columns = block_columns,                                                \
                                        .block_order   = order,                                                        \
                                        .batches       = 1});                                                                \
    }
FORMATS()
FORMATS(Const)

/* ---- batches ---- */

static Sp batches(void *p, int format, int count, int64_t offsets, int64_t indices, int64_t values)
{
    Sparse *m = sparse_of(p);
    if (!m || m->format != format || count < 1 || offsets < 0 || indices < 0 || values < 0)
        return SP_INVALID_VALUE;
    m->batches       = count;
    m->offset_stride = offsets;
    m->index_stride  = indices;
    m->value_stride  = values;
    return SP_SUCCESS;
}

Sp cusparseCsrSetStridedBatch(void *p, int count, int64_t offsets, int64_t values)
{
    return batches(p, BY_ROWS, count, offsets, values, values);
}

Sp cusparseCooSetStridedBatch(void *p, int count, int64_t stride)
{
    return batches(p, COORDINATES, count, stride, stride, stride);
}

Sp cusparseBsrSetStridedBatch(void *p, int count, int64_t offsets, int64_t indices, int64_t values)
{
    return batches(p, BLOCK_ROWS, count, offsets, indices, values);
}

Sp cusparseDnMatSetStridedBatch(void *p, int count, int64_t stride)
{
    Dense *d = dense_of(p);
    if (!d || count < 1 || stride < 0)
        return SP_INVALID_VALUE;
    d->batches = count;
    d->stride  = stride;
    return SP_SUCCESS;
}

Sp cusparseDnMatGetStridedBatch(const void *p, int *count, int64_t *stride)
{
    const Dense *d = dense_of(p);
    if (!d || !count || !stride)
        return SP_INVALID_VALUE;
    *count  = (int)d->batches;
    *stride = d->stride;
    return SP_SUCCESS;
}

Sp cusparseSpMatGetStridedBatch(const void *p, int *count)
{
    const Sparse *m = sparse_of(p);
    if (!m || !count)
        return SP_INVALID_VALUE;
    *count = (int)m->batches;
    return SP_SUCCESS;
}

/* ---- what a descriptor holds ---- */

#define GET(name, kind)                                                                                                \
    Sp name(const void *p, int64_t *rows, int64_t *columns, int64_t *nonzeros, void **offsets, void **indices,         \
            void **values, int *offset_type, int *index_type, int *base, int *type)                                    \
    {                                                                                                                  \
        const Sparse *m = sparse_of(p);                                                                                \
        if (!m || m->format != (kind) || !rows || !columns || !nonzeros || !offsets || !indices || !values ||          \
            !offset_type || !index_type || !base || !type)                                                             \
            return SP_INVALID_VALUE;                                                                                   \
        *rows        = m->rows;                                                                                        \
        *columns     = m->columns;                                                                                     \
        *nonzeros    = m->nonzeros;                                                                                    \
        *offsets     = m->offsets;                                                                                     \
        *indices     = m->indices;                                                                                     \
        *values      = m->values;                                                                                      \
        *offset_type = m->offset_type;                                                                                 \
        *index_type  = m->index_type;                                                                                  \
        *base        = m->base;                                                                                        \
        *type        = m->type;                                                                                        \
        return SP_SUCCESS;                                                                                             \
    }
GET(cusparseCsrGet, BY_ROWS)
GET(cusparseConstCsrGet, BY_ROWS)
GET(cusparseCscGet, BY_COLUMNS)
GET(cusparseConstCscGet, BY_COLUMNS)

#define GETS(Const)                                                                                                    \
    Sp cusparse##Const##CooGet(const void *p, int64_t *rows, int64_t *columns, int64_t *nonzeros, void **row,          \
                               void **column, void **values, int *index_type, int *base, int *type)                    \
    {                                                                                                                  \
        const Sparse *m = sparse_of(p);                                                                                \
        if (!m || m->format != COORDINATES || !rows || !columns || !nonzeros || !row || !column || !values ||          \
            !index_type || !base || !type)                                                                             \
            return SP_INVALID_VALUE;                                                                                   \
        *rows       = m->rows;                                                                                         \
        *columns    = m->columns;                                                                                      \
        *nonzeros   = m->nonzeros;                                                                                     \
        *row        = m->offsets;                                                                                      \
        *column     = m->indices;                                                                                      \
        *values     = m->values;                                                                                       \
        *index_type = m->index_type;                                                                                   \
        *base       = m->base;                                                                                         \
        *type       = m->type;                                                                                         \
        return SP_SUCCESS;                                                                                             \
    }                                                                                                                  \
    Sp cusparse##Const##BlockedEllGet(const void *p, int64_t *rows, int64_t *columns, int64_t *side, int64_t *width,   \
                                      void **indices, void **values, int *index_type, int *base, int *type)            \
    {                                                                                                                  \
        const Sparse *m = sparse_of(p);                                                                                \
        if (!m || m->format != BLOCKED_ELL || !rows || !columns || !side || !width || !indices || !values ||           \
            !index_type || !base || !type)                                                                             \
            return SP_INVALID_VALUE;                                                                                   \
        *rows       = m->rows;                                                                                         \
        *columns    = m->columns;                                                                                      \
        *side       = m->block_rows;                                                                                   \
        *width      = m->width;                                                                                        \
        *indices    = m->indices;                                                                                      \
        *values     = m->values;                                                                                       \
        *index_type = m->index_type;                                                                                   \
        *base       = m->base;                                                                                         \
        *type       = m->type;                                                                                         \
        return SP_SUCCESS;                                                                                             \
    }                                                                                                                  \
    Sp cusparse##Const##DnMatGet(const void *p, int64_t *rows, int64_t *columns, int64_t *ld, void **values,           \
                                 int *type, int *order)                                                                \
    {                                                                                                                  \
        const Dense *d = dense_of(p);                                                                                  \
        if (!d || !rows || !columns || !ld || !values || !type || !order)                                              \
            return SP_INVALID_VALUE;                                                                                   \
        *rows    = d->rows;                                                                                            \
        *columns = d->columns;                                                                                         \
        *ld      = d->ld;                                                                                              \
        *values  = d->values;                                                                                          \
        *type    = d->type;                                                                                            \
        *order   = d->order;                                                                                           \
        return SP_SUCCESS;                                                                                             \
    }                                                                                                                  \
    Sp cusparse##Const##DnVecGet(const void *p, int64_t *size, void **values, int *type)                               \
    {                                                                                                                  \
        const Dense *d = dense_of(p);                                                                                  \
        if (!d || !size || !values || !type)                                                                           \
            return SP_INVALID_VALUE;                                                                                   \
        *size   = d->rows;                                                                                             \
        *values = d->values;                                                                                           \
        *type   = d->type;                                                                                             \
        return SP_SUCCESS;                                                                                             \
    }                                                                                                                  \
    Sp cusparse##Const##SpVecGet(const void *p, int64_t *size, int64_t *nonzeros, void **indices, void **values,       \
                                 int *index_type, int *base, int *type)                                                \
    {                                                                                                                  \
        const SparseVector *v = vector_of(p);                                                                          \
        if (!v || !size || !nonzeros || !indices || !values || !index_type || !base || !type)                          \
            return SP_INVALID_VALUE;                                                                                   \
        *size       = v->size;                                                                                         \
        *nonzeros   = v->nonzeros;                                                                                     \
        *indices    = v->indices;                                                                                      \
        *values     = v->values;                                                                                       \
        *index_type = v->index_type;                                                                                   \
        *base       = v->base;                                                                                         \
        *type       = v->type;                                                                                         \
        return SP_SUCCESS;                                                                                             \
    }                                                                                                                  \
    Sp cusparse##Const##SpVecGetValues(const void *p, void **values)                                                   \
    {                                                                                                                  \
        if (!vector_of(p) || !values)                                                                                  \
            return SP_INVALID_VALUE;                                                                                   \
        *values = vector_of(p)->values;                                                                                \
        return SP_SUCCESS;                                                                                             \
    }
GETS()
GETS(Const)

#define DENSE_VALUES(name)                                                                                             \
    Sp name(const void *p, void **values)                                                                              \
    {                                                                                                                  \
        if (!dense_of(p) || !values)                                                                                   \
            return SP_INVALID_VALUE;                                                                                   \
        *values = dense_of(p)->values;                                                                                 \
        return SP_SUCCESS;                                                                                             \
    }
DENSE_VALUES(cusparseConstDnMatGetValues)
DENSE_VALUES(cusparseConstDnVecGetValues)

Sp cusparseConstSpMatGetValues(const void *p, void **values)
{
    if (!sparse_of(p) || !values)
        return SP_INVALID_VALUE;
    *values = sparse_of(p)->values;
    return SP_SUCCESS;
}

Sp cusparseSpVecSetValues(void *p, void *values)
{
    if (!vector_of(p) || !values)
        return SP_INVALID_VALUE;
    vector_of(p)->values = values;
    return SP_SUCCESS;
}

Sp cusparseSpVecGetIndexBase(const void *p, int *base)
{
    if (!vector_of(p) || !base)
        return SP_INVALID_VALUE;
    *base = vector_of(p)->base;
    return SP_SUCCESS;
}

Sp cusparseSpMatGetIndexBase(const void *p, int *base)
{
    if (!sparse_of(p) || !base)
        return SP_INVALID_VALUE;
    *base = sparse_of(p)->base;
    return SP_SUCCESS;
}
