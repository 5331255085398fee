/* SPDX-License-Identifier: Apache-2.0
 *
 * Handles and descriptors, and what all operations do with them: going through nonzeros, reading and writing dense elements, telling memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/libraries/cusparse/cusparse.h"

/* The last release's of that CUDA: frameworks ask for a least version. */
enum { MINOR = WW_CUSPARSE == 12 ? 6 : 7, PATCH = WW_CUSPARSE == 12 ? 3 : 5 };

static const char handles, sparses, denses, vectors;

__attribute__((constructor)) static void begin(void)
{
    ww_cuda_library_is((void (*)(void))begin);
}

static void *known(const char *kind, const void *p)
{
    return ww_cuda_library_has(kind, p) ? (void *)(uintptr_t)p : NULL;
}

Handle *handle_of(void *p)
{
    return known(&handles, p);
}

Sparse *sparse_of(const void *p)
{
    return known(&sparses, p);
}

Dense *dense_of(const void *p)
{
    return known(&denses, p);
}

SparseVector *vector_of(const void *p)
{
    return known(&vectors, p);
}

Sp object_new(const char *kind, void **out, const void *value, size_t bytes)
{
    if (!out)
        return SP_INVALID_VALUE;
    void *p = malloc(bytes);
    if (!p || ww_cuda_library_keep(kind, p) < 0) {
        free(p);
        return SP_ALLOC_FAILED;
    }
    memcpy(p, value, bytes);
    *out = p;
    return SP_SUCCESS;
}

Sp object_drop(const char *kind, void *p)
{
    if (!ww_cuda_library_drop(kind, p))
        return p ? SP_INVALID_VALUE : SP_SUCCESS;
    free(p);
    return SP_SUCCESS;
}

/* ---- handles ---- */

Sp cusparseCreate(void **out)
{
    if (out && !ww_cuda_library_wait(NULL)) /* what cannot use CUDA gets none */
        return SP_NOT_INITIALIZED;
    return object_new(&handles, out, &(Handle){0}, sizeof(Handle));
}

Sp cusparseDestroy(void *p)
{
    Handle *h = handle_of(p);
    if (!h)
        return p ? SP_NOT_INITIALIZED : SP_SUCCESS;
    ww_cuda_library_wait(h->stream);
    return object_drop(&handles, p);
}

Sp cusparseSetStream(void *p, void *stream)
{
    Handle *h = handle_of(p);
    if (!h)
        return no_handle(p);
    h->stream = stream;
    return SP_SUCCESS;
}

Sp cusparseGetStream(void *p, void **stream)
{
    const Handle *h = handle_of(p);
    if (!h || !stream)
        return h ? SP_INVALID_VALUE : no_handle(p);
    *stream = h->stream;
    return SP_SUCCESS;
}

Sp cusparseSetPointerMode(void *p, int mode)
{
    Handle *h = handle_of(p);
    if (!h || mode < 0 || mode > 1)
        return h ? SP_INVALID_VALUE : no_handle(p);
    h->pointer = mode;
    return SP_SUCCESS;
}

Sp cusparseGetPointerMode(void *p, int *mode)
{
    const Handle *h = handle_of(p);
    if (!h || !mode)
        return h ? SP_INVALID_VALUE : no_handle(p);
    *mode = h->pointer;
    return SP_SUCCESS;
}

Sp cusparseGetVersion(void *p, int *version)
{
    if (!handle_of(p) || !version)
        return handle_of(p) ? SP_INVALID_VALUE : no_handle(p);
    *version = WW_CUSPARSE * 1000 + MINOR * 100 + PATCH;
    return SP_SUCCESS;
}

/* 0 to 2: major, minor, patch level. */
Sp cusparseGetProperty(int type, int *value)
{
    if (!value || type < 0 || type > 2)
        return SP_INVALID_VALUE;
    *value = type == 0 ? WW_CUSPARSE : type == 1 ? MINOR : PATCH;
    return SP_SUCCESS;
}

/* Nothing is logged. */
#define LOGGER(name, type)                                                                                             \
    Sp cusparseLogger##name(type given)                                                                                \
    {                                                                                                                  \
        (void)given;                                                                                                   \
        return SP_SUCCESS;                                                                                             \
    }
LOGGER(SetCallback, void *)
LOGGER(SetFile, void *)
LOGGER(OpenFile, const char *)
LOGGER(SetLevel, int)
LOGGER(SetMask, int)

Sp cusparseLoggerForceDisable(void)
{
    return SP_SUCCESS;
}

static const struct {
    Sp          status;
    const char *name, *text;
} statuses[] = {
    {SP_SUCCESS, "CUSPARSE_STATUS_SUCCESS", "success"},
    {SP_NOT_INITIALIZED, "CUSPARSE_STATUS_NOT_INITIALIZED", "the library was not initialized"},
    {SP_ALLOC_FAILED, "CUSPARSE_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {SP_INVALID_VALUE, "CUSPARSE_STATUS_INVALID_VALUE", "an unsupported value or parameter was passed"},
    {SP_EXECUTION_FAILED, "CUSPARSE_STATUS_EXECUTION_FAILED", "the GPU program failed to execute"},
    {SP_MATRIX_TYPE_NOT_SUPPORTED, "CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED",
     "the matrix type is not supported by this function"},
    {SP_ZERO_PIVOT, "CUSPARSE_STATUS_ZERO_PIVOT", "an entry of the matrix is either structural zero or numerical zero"},
    {SP_NOT_SUPPORTED, "CUSPARSE_STATUS_NOT_SUPPORTED", "the operation or data type is not supported"}};

const char *cusparseGetErrorName(int status)
{
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if ((int)statuses[i].status == status)
            return statuses[i].name;
    return "unrecognized error code";
}

const char *cusparseGetErrorString(int status)
{
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if ((int)statuses[i].status == status)
            return statuses[i].text;
    return "unrecognized error code";
}

/* ---- descriptors ---- */

static bool is_index(int type)
{
    return type == INDEX_32 || type == INDEX_64;
}

Sp sparse_new(void **out, Sparse m)
{
    if (!out || m.rows < 0 || m.columns < 0 || m.nonzeros < 0 || m.base < 0 || m.base > 1 ||
        (m.nonzeros && (!m.indices || !m.values)))
        return SP_INVALID_VALUE;
    if (!number_bytes(m.type) || !is_index(m.offset_type) || !is_index(m.index_type))
        return SP_NOT_SUPPORTED;
    return object_new(&sparses, out, &m, sizeof m);
}

#define COMPRESSED(name, kind)                                                                                         \
    Sp name(void **out, int64_t rows, int64_t columns, int64_t nonzeros, void *offsets, void *indices, void *values,   \
            int offset_type, int index_type, int base, int type)                                                       \
    {                                                                                                                  \
        return sparse_new(out, (Sparse){kind, offset_type, index_type, base, type, 0, 0, rows, columns, nonzeros,      \
                                        offsets, indices, values, .batches = 1});                                      \
    }
COMPRESSED(cusparseCreateCsr, BY_ROWS)
COMPRESSED(cusparseCreateConstCsr, BY_ROWS)
COMPRESSED(cusparseCreateCsc, BY_COLUMNS)
COMPRESSED(cusparseCreateConstCsc, BY_COLUMNS)

Sp cusparseCreateCoo(void **out, int64_t rows, int64_t columns, int64_t nonzeros, void *row, void *column, void *values,
                     int index_type, int base, int type)
{
    return sparse_new(out, (Sparse){COORDINATES, index_type, index_type, base, type, 0, 0, rows, columns, nonzeros, row,
                                    column, values, .batches = 1});
}

Sp cusparseCreateConstCoo(void **out, int64_t rows, int64_t columns, int64_t nonzeros, void *row, void *column,
                          void *values, int index_type, int base, int type)
{
    return cusparseCreateCoo(out, rows, columns, nonzeros, row, column, values, index_type, base, type);
}

Sp cusparseDestroySpMat(void *p)
{
    return object_drop(&sparses, p);
}

Sp cusparseSpMatGetSize(const void *p, int64_t *rows, int64_t *columns, int64_t *nonzeros)
{
    const Sparse *m = sparse_of(p);
    if (!m || !rows || !columns || !nonzeros)
        return SP_INVALID_VALUE;
    *rows     = m->rows;
    *columns  = m->columns;
    *nonzeros = m->nonzeros;
    return SP_SUCCESS;
}

static Sp set_pointers(void *p, int format, void *offsets, void *indices, void *values)
{
    Sparse *m = sparse_of(p);
    if (!m || m->format != format || !offsets || !indices || !values)
        return SP_INVALID_VALUE;
    m->offsets = offsets;
    m->indices = indices;
    m->values  = values;
    return SP_SUCCESS;
}

Sp cusparseCsrSetPointers(void *p, void *offsets, void *columns, void *values)
{
    return set_pointers(p, BY_ROWS, offsets, columns, values);
}

Sp cusparseCscSetPointers(void *p, void *offsets, void *rows, void *values)
{
    return set_pointers(p, BY_COLUMNS, offsets, rows, values);
}

Sp cusparseCooSetPointers(void *p, void *rows, void *columns, void *values)
{
    return set_pointers(p, COORDINATES, rows, columns, values);
}

Sp cusparseSpMatGetFormat(const void *p, int *format)
{
    const Sparse *m = sparse_of(p);
    if (!m || !format)
        return SP_INVALID_VALUE;
    *format = m->format;
    return SP_SUCCESS;
}

Sp cusparseSpMatSetValues(void *p, void *values)
{
    Sparse *m = sparse_of(p);
    if (!m || !values)
        return SP_INVALID_VALUE;
    m->values = values;
    return SP_SUCCESS;
}

Sp cusparseSpMatGetValues(void *p, void **values)
{
    const Sparse *m = sparse_of(p);
    if (!m || !values)
        return SP_INVALID_VALUE;
    *values = m->values;
    return SP_SUCCESS;
}

/* 0: fill mode, 1: kind of diagonal. */
Sp cusparseSpMatSetAttribute(void *p, int attribute, const int *value, size_t bytes)
{
    Sparse *m = sparse_of(p);
    if (!m || !value || bytes != sizeof *value || attribute < 0 || attribute > 1 || *value < 0 || *value > 1)
        return SP_INVALID_VALUE;
    *(attribute ? &m->diag : &m->fill) = *value;
    return SP_SUCCESS;
}

Sp cusparseSpMatGetAttribute(const void *p, int attribute, int *value, size_t bytes)
{
    const Sparse *m = sparse_of(p);
    if (!m || !value || bytes != sizeof *value || attribute < 0 || attribute > 1)
        return SP_INVALID_VALUE;
    *value = attribute ? m->diag : m->fill;
    return SP_SUCCESS;
}

static Sp new_dense(void **out, Dense d)
{
    int64_t least = d.order == ORDER_ROW ? d.columns : d.rows;
    if (d.rows < 0 || d.columns < 0 || d.ld < least || (d.rows && d.columns && !d.values) ||
        (d.order != ORDER_ROW && d.order != ORDER_COLUMN))
        return SP_INVALID_VALUE;
    return number_bytes(d.type) ? object_new(&denses, out, &d, sizeof d) : SP_NOT_SUPPORTED;
}

#define DENSE(kind)                                                                                                    \
    Sp cusparseCreate##kind##DnVec(void **out, int64_t size, void *values, int type)                                   \
    {                                                                                                                  \
        return new_dense(out, (Dense){size, 1, size, values, type, ORDER_COLUMN, 1, 0});                               \
    }                                                                                                                  \
    Sp cusparseCreate##kind##DnMat(void **out, int64_t rows, int64_t columns, int64_t ld, void *values, int type,      \
                                   int order)                                                                          \
    {                                                                                                                  \
        return new_dense(out, (Dense){rows, columns, ld, values, type, order, 1, 0});                                  \
    }                                                                                                                  \
    Sp cusparseCreate##kind##SpVec(void **out, int64_t size, int64_t nonzeros, void *indices, void *values,            \
                                   int index_type, int base, int type)                                                 \
    {                                                                                                                  \
        if (!out || size < 0 || nonzeros < 0 || nonzeros > size || (nonzeros && (!indices || !values)))                \
            return SP_INVALID_VALUE;                                                                                   \
        if (!number_bytes(type) || !is_index(index_type))                                                              \
            return SP_NOT_SUPPORTED;                                                                                   \
        return object_new(&vectors, out, &(SparseVector){size, nonzeros, indices, values, index_type, base, type},     \
                          sizeof(SparseVector));                                                                       \
    }
DENSE()
DENSE(Const)

#define DENSE_POINTER(kind)                                                                                            \
    Sp cusparseDestroy##kind(void *p)                                                                                  \
    {                                                                                                                  \
        return object_drop(&denses, p);                                                                                \
    }                                                                                                                  \
    Sp cusparse##kind##SetValues(void *p, void *values)                                                                \
    {                                                                                                                  \
        if (!dense_of(p) || !values)                                                                                   \
            return SP_INVALID_VALUE;                                                                                   \
        dense_of(p)->values = values;                                                                                  \
        return SP_SUCCESS;                                                                                             \
    }                                                                                                                  \
    Sp cusparse##kind##GetValues(void *p, void **values)                                                               \
    {                                                                                                                  \
        if (!dense_of(p) || !values)                                                                                   \
            return SP_INVALID_VALUE;                                                                                   \
        *values = dense_of(p)->values;                                                                                 \
        return SP_SUCCESS;                                                                                             \
    }
DENSE_POINTER(DnVec)
DENSE_POINTER(DnMat)

Sp cusparseDestroySpVec(void *p)
{
    return object_drop(&vectors, p);
}

/* ---- reading ---- */

int64_t index_at(int type, const void *p, int64_t i)
{
    return type == INDEX_64 ? ((const int64_t *)p)[i] : ((const int32_t *)p)[i];
}

void index_put(int type, void *p, int64_t i, int64_t x)
{
    if (type == INDEX_64)
        ((int64_t *)p)[i] = x;
    else
        ((int32_t *)p)[i] = (int32_t)x;
}

/* A blocked one's: rows or columns of blocks. */
static int64_t block_lines(const Sparse *m)
{
    return m->block_rows ? (m->rows + m->block_rows - 1) / m->block_rows : m->rows;
}

int64_t stored_values(const Sparse *m)
{
    switch (m->format) {
    case BLOCKED_ELL: return m->rows * m->width;
    case SLICED_ELL: return m->width;
    case BLOCK_ROWS: return m->nonzeros * m->block_rows * m->block_columns;
    default: return m->nonzeros;
    }
}

int64_t stored_indices(const Sparse *m)
{
    return m->format == BLOCKED_ELL  ? block_lines(m) * (m->width / m->block_columns)
           : m->format == SLICED_ELL ? m->width
                                     : m->nonzeros;
}

int64_t stored_offsets(const Sparse *m)
{
    switch (m->format) {
    case COORDINATES: return m->nonzeros;
    case BLOCKED_ELL: return 0;
    case BY_COLUMNS: return m->columns + 1;
    default: return block_lines(m) + 1;
    }
}

static int64_t offset_at(const Sparse *m, int64_t line)
{
    return index_at(m->offset_type, m->offsets, line) - m->base;
}

/* The line of the walk that stored thing `at` is in. */
static int64_t line_of(Walk *w, int64_t at)
{
    int64_t lines = stored_offsets(w->m) - 1;
    while (w->line < lines && offset_at(w->m, w->line + 1) <= at)
        w->line++;
    return w->line;
}

/* Where value `at` stands; false: it only fills up. */
static bool locate(Walk *w, int64_t at, int64_t *row, int64_t *column)
{
    const Sparse *m = w->m;
    int64_t       index, inner, line;
    switch (m->format) {
    case BLOCKED_ELL:
        *row  = at / m->width;
        inner = at % m->width;
        index = index_at(m->index_type, m->indices,
                         *row / m->block_rows * (m->width / m->block_columns) + inner / m->block_columns) -
                m->base;
        *column = index * m->block_columns + inner % m->block_columns;
        return index != -1;
    case SLICED_ELL:
        line    = line_of(w, at);
        index   = index_at(m->index_type, m->indices, at);
        *row    = line * m->block_rows + (at - offset_at(m, line)) % m->block_rows;
        *column = index - m->base;
        return index != -1;
    case BLOCK_ROWS: {
        int64_t size = m->block_rows * m->block_columns;
        bool    by   = m->block_order == ORDER_ROW;
        line         = line_of(w, at / size);
        inner        = at % size;
        *row         = line * m->block_rows + (by ? inner / m->block_columns : inner % m->block_rows);
        *column      = (index_at(m->index_type, m->indices, at / size) - m->base) * m->block_columns +
                  (by ? inner % m->block_columns : inner / m->block_rows);
        return true;
    }
    default:
        index   = index_at(m->index_type, m->indices, at) - m->base;
        line    = m->format == COORDINATES ? offset_at(m, at) : line_of(w, at);
        *row    = m->format == BY_COLUMNS ? index : line;
        *column = m->format == BY_COLUMNS ? line : index;
        return true;
    }
}

bool walk_next(Walk *w, Nonzero *out)
{
    const Sparse *m = w->m;
    for (; w->at < stored_values(m); w->at++) {
        if (!locate(w, w->at, &out->row, &out->column))
            continue;
        if (out->row >= 0 && out->row < m->rows && out->column >= 0 && out->column < m->columns) {
            out->value = m->values ? number_at(m->type, m->values, w->at) : (Number){0, 0};
            w->at++;
            return true;
        }
        if (!w->told)
            fprintf(
                stderr,
                "warpwright: %s: nonzero %lld stands at (%lld, %lld), outside of a matrix of %lld x %lld: left out\n",
                w->call, (long long)w->at, (long long)out->row, (long long)out->column, (long long)m->rows,
                (long long)m->columns);
        w->told = true;
    }
    return false;
}

static size_t index_bytes(int type)
{
    return type == INDEX_64 ? 8 : 4;
}

static void *moved(void *p, int64_t elements, size_t bytes)
{
    return p ? (char *)p + elements * (int64_t)bytes : NULL;
}

Sparse sparse_item(const Sparse *m, int64_t i)
{
    Sparse s = *m;
    if (m->batches > 1) {
        s.offsets = moved(m->offsets, i * m->offset_stride, index_bytes(m->offset_type));
        s.indices = moved(m->indices, i * m->index_stride, index_bytes(m->index_type));
        s.values  = moved(m->values, i * m->value_stride, number_bytes(m->type));
    }
    return s;
}

Dense dense_item(const Dense *d, int64_t i)
{
    Dense e = *d;
    if (d->batches > 1)
        e.values = moved(d->values, i * d->stride, number_bytes(d->type));
    return e;
}

static int64_t place(const Dense *d, int64_t row, int64_t column)
{
    return d->order == ORDER_ROW ? row * d->ld + column : column * d->ld + row;
}

Number dense_at(const Dense *d, int op, int64_t row, int64_t column)
{
    Number x = number_at(d->type, d->values, op == OP_N ? place(d, row, column) : place(d, column, row));
    if (op == OP_C)
        x.im = -x.im;
    return x;
}

void dense_put(const Dense *d, int64_t row, int64_t column, Number x)
{
    number_put(d->type, d->values, place(d, row, column), x);
}

void dense_update(const Dense *d, int64_t row, int64_t column, Number alpha, Number x, Number beta)
{
    Number y = number_product(alpha, x);
    if (beta.re != 0 || beta.im != 0) {
        Number z = number_product(beta, dense_at(d, OP_N, row, column));
        y        = (Number){y.re + z.re, y.im + z.im};
    }
    dense_put(d, row, column, y);
}

/* ---- work ---- */

void tell(LibraryWork *w, const void *p, size_t bytes, LibraryUse use)
{
    if (bytes && w->nspans < LIBRARY_SPANS)
        w->span[w->nspans++] = (LibrarySpan){.at = p, .width = bytes, .height = 1, .use = use};
}

Number factor_of(const Factor *f, int type)
{
    return number_at(type, f->device ? f->device : (const void *)f->host, 0);
}

void take_factor(const Handle *h, LibraryWork *w, Factor *f, const void *given, int type)
{
    f->device = h->pointer ? given : NULL;
    if (h->pointer)
        tell(w, given, number_bytes(type), LIBRARY_READS);
    else
        memcpy(f->host, given, number_bytes(type));
}

/* Elements of a batch; they may overlap or be the same for all. */
static void tell_batch(LibraryWork *w, const void *p, int64_t n, size_t bytes, int64_t stride, int64_t batches,
                       LibraryUse use)
{
    if (!p || n <= 0)
        return;
    tell(w, p, (size_t)n * bytes, use);
    if (batches > 1 && stride > 0) {
        LibrarySpan *s = &w->span[w->nspans - 1];
        s->pitch       = (size_t)stride * bytes;
        s->height      = (size_t)batches;
    }
}

void tell_sparse(LibraryWork *w, const Sparse *m, LibraryUse structure, LibraryUse values)
{
    tell_batch(w, m->offsets, stored_offsets(m), index_bytes(m->offset_type), m->offset_stride, m->batches, structure);
    tell_batch(w, m->indices, stored_indices(m), index_bytes(m->index_type), m->index_stride, m->batches, structure);
    tell_batch(w, m->values, stored_values(m), number_bytes(m->type), m->value_stride, m->batches, values);
}

static LibrarySpan dense_span(const Dense *d, LibraryUse use, const Factor *beta, int type)
{
    size_t      e    = number_bytes(d->type);
    bool        rows = d->order == ORDER_ROW;
    LibrarySpan s    = {.at     = d->values,
                        .pitch  = (size_t)d->ld * e,
                        .width  = (size_t)(rows ? d->columns : d->rows) * e,
                        .height = (size_t)(rows ? d->rows : d->columns),
                        .use    = use};
    if (beta && beta->device) {
        s.use          = LIBRARY_UPDATES;
        s.factor       = beta->device;
        s.factor_bytes = number_bytes(type);
    } else if (beta) {
        Number b = factor_of(beta, type);
        s.use    = b.re != 0 || b.im != 0 ? LIBRARY_UPDATES : LIBRARY_WRITES;
    }
    return s;
}

/* Have the matrices of a batch no gaps, so that one span is all of them? */
static bool is_packed(const Dense *d)
{
    return d->ld == (d->order == ORDER_ROW ? d->columns : d->rows);
}

void tell_dense(LibraryWork *w, const Dense *d, LibraryUse use, const Factor *beta, int type)
{
    if (!d->rows || !d->columns || w->nspans >= LIBRARY_SPANS)
        return;
    LibrarySpan *s = &w->span[w->nspans++];
    *s             = dense_span(d, use, beta, type);
    if (d->batches > 1 && d->stride > 0 && is_packed(d)) {
        s->width *= s->height;
        s->pitch  = (size_t)d->stride * number_bytes(d->type);
        s->height = (size_t)d->batches;
    }
}

/* Item i is in no span of tell_dense. */
static bool is_apart(const Dense *d, int64_t i)
{
    return i > 0 && d->batches > 1 && d->stride > 0 && !is_packed(d) && d->rows && d->columns;
}

bool dense_uses(const char *call, const Dense *d, int64_t i, LibraryUse use, const Factor *beta, int type)
{
    const Dense item = dense_item(d, i);
    LibrarySpan s    = dense_span(&item, use, beta, type);
    return !is_apart(d, i) || ww_cuda_library_uses(call, &s);
}

void dense_wrote(const Dense *d, int64_t i)
{
    const Dense item = dense_item(d, i);
    LibrarySpan s    = dense_span(&item, LIBRARY_WRITES, NULL, 0);
    if (is_apart(d, i))
        ww_cuda_library_wrote(&s);
}

Sp space(void *handle, size_t *bytes)
{
    if (!handle_of(handle) || !bytes)
        return handle_of(handle) ? SP_INVALID_VALUE : SP_NOT_INITIALIZED;
    *bytes = 16;
    return SP_SUCCESS;
}

Sp space_int(void *handle, int *bytes)
{
    size_t size;
    Sp     e = space(handle, bytes ? &size : NULL);
    if (!e)
        *bytes = (int)size;
    return e;
}

Sp give(const Handle *h, LibraryWork *w, const char *call, void (*compute)(const void *), const void *args,
        size_t bytes)
{
    w->library = "cuSPARSE";
    w->call    = call;
    w->by      = "warpwright";
    w->compute = compute;
    w->args    = args;
    w->bytes   = bytes;
    return ww_cuda_library_do(h->stream, w) ? SP_SUCCESS : SP_EXECUTION_FAILED;
}
