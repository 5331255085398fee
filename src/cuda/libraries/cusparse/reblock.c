/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrices by rows of blocks into such of other blocks; an element is a block of 1 x 1 (csr2bsr, bsr2csr, csr2gebsr, gebsr2csr, gebsr2gebsr), and by columns of
 * the same blocks (gebsr2gebsc).  A block is stored if any of its elements is stored before, zeros included; what fills it up is zero, also beyond
 * the edge of the matrix. */
#include <stdlib.h>
#include <string.h>

#include "cuda/libraries/cusparse/cusparse.h"

typedef struct Reblock {
    const char *call;
    Sparse      from, to;
    bool        fills;   /* else offsets and the number */
    bool        pattern; /* it fills no values */
    int        *total;
} Reblock;

typedef struct Item {
    int64_t row, column, inside, at; /* its block, its place in that, where its value is */
} Item;

static LibraryUse use_of_values(const Reblock *r)
{
    return r->fills && !r->pattern ? LIBRARY_READS : LIBRARY_HOLDS;
}

static int compare(const void *a, const void *b)
{
    const Item *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    if (x->column != y->column)
        return x->column < y->column ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* All elements by the blocks that they go to. */
static Item *items_of(const Reblock *r, int64_t *n)
{
    const Sparse *t     = &r->to;
    Item         *items = ww_cuda_library_memory((size_t)stored_values(&r->from) * sizeof *items);
    Nonzero       z;
    *n = 0;
    for (Walk w = {.m = &r->from, .call = r->call}; walk_next(&w, &z);) {
        int64_t row = z.row % t->block_rows, column = z.column % t->block_columns;
        bool    by    = t->block_order == ORDER_ROW;
        items[(*n)++] = (Item){z.row / t->block_rows, z.column / t->block_columns,
                               by ? row * t->block_columns + column : column * t->block_rows + row, w.at - 1};
    }
    qsort(items, (size_t)*n, sizeof *items, compare);
    return items;
}

static void span_wrote(const void *p, size_t bytes)
{
    if (bytes)
        ww_cuda_library_wrote(
            &(LibrarySpan){.at = p, .pitch = bytes, .width = bytes, .height = 1, .use = LIBRARY_WRITES});
}

/* The blocks in their order; items of one block follow each other. */
static void put_blocks(const Reblock *r, const Item *items, int64_t n, int64_t blocks)
{
    const Sparse *t    = &r->to;
    int64_t       size = t->block_rows * t->block_columns, block = -1;
    if (!r->pattern)
        memset(t->values, 0, (size_t)(blocks * size) * number_bytes(t->type));
    for (int64_t i = 0; i < n; i++) {
        if (!i || items[i].row != items[i - 1].row || items[i].column != items[i - 1].column)
            index_put(INDEX_32, t->indices, ++block, items[i].column + t->base);
        if (!r->pattern)
            number_put(t->type, t->values, block * size + items[i].inside,
                       number_at(r->from.type, r->from.values, items[i].at));
    }
}

static void reblock(const void *args)
{
    Reblock r     = *(const Reblock *)args;
    int64_t lines = stored_offsets(&r.to), n, blocks = 0;
    int    *offset = r.to.offsets;
    if (!old_measure(r.call, &r.from, LIBRARY_READS, use_of_values(&r)))
        return;
    Item *items = items_of(&r, &n);
    memset(offset, 0, (size_t)lines * sizeof *offset);
    for (int64_t i = 0; i < n; i++)
        if (!i || items[i].row != items[i - 1].row || items[i].column != items[i - 1].column)
            offset[items[i].row + 1]++, blocks++;
    offset[0] = r.to.base;
    for (int64_t i = 1; i < lines; i++)
        offset[i] += offset[i - 1];
    if (r.total)
        *r.total = (int)blocks;
    if (r.fills && old_measure(r.call, &r.to, LIBRARY_HOLDS, LIBRARY_HOLDS)) {
        put_blocks(&r, items, n, blocks);
        span_wrote(r.to.indices, (size_t)blocks * sizeof(int));
        if (!r.pattern)
            span_wrote(r.to.values, (size_t)stored_values(&r.to) * number_bytes(r.to.type));
    }
    free(items);
}

/* The blocks' sides. */
typedef struct Sides {
    int from_rows, from_columns, to_rows, to_columns;
} Sides;

/* rows, columns: of blocks of `from`, whose matrix r->from is, without blocks; r->to has its pointers. */
static Sp reblock_do(void *handle, Reblock r, Sides s, int direction, const void *from, const void *to)
{
    const Handle     *h = handle_of(handle);
    LibraryWork       w = {0};
    LibraryDescriptor of, other;
    Sparse           *f = &r.from, *t = &r.to;
    if (!h)
        return SP_NOT_INITIALIZED;
    if (direction < 0 || direction > 1 || f->rows < 0 || f->columns < 0 || s.from_rows < 1 || s.from_columns < 1 ||
        s.to_rows < 1 || s.to_columns < 1 || f->nonzeros < NONZEROS_UNKNOWN || !f->offsets || !t->offsets ||
        !f->indices || (r.fills && !t->indices) || (use_of_values(&r) == LIBRARY_READS && (!f->values || !t->values)))
        return SP_INVALID_VALUE;
    Sp e = descr_read(from, &of);
    e    = e ? e : descr_read(to, &other);
    if (e)
        return e;
    f->base = of.base;
    *f      = old_blocks(*f, direction, s.from_rows, s.from_columns);
    *t =
        old_matrix(f->type, other.base, (f->rows + s.to_rows - 1) / s.to_rows,
                   (f->columns + s.to_columns - 1) / s.to_columns, NONZEROS_UNKNOWN, t->values, t->offsets, t->indices);
    *t = old_blocks(*t, direction, s.to_rows, s.to_columns);
    if (f->nonzeros == NONZEROS_UNKNOWN)
        tell(&w, f->offsets, (size_t)stored_offsets(f) * sizeof(int), LIBRARY_READS);
    else
        tell_sparse(&w, f, LIBRARY_READS, use_of_values(&r));
    tell(&w, t->offsets, (size_t)stored_offsets(t) * sizeof(int), LIBRARY_WRITES);
    return give_total(h, &w, r.call, reblock, &r, sizeof r, r.total);
}

#define FROM(T, rows, columns, nonzeros, values) old_matrix(T, 0, rows, columns, nonzeros, values, offsets, indices)
#define TO(v, o, i)                              ((Sparse){.values = v, .offsets = o, .indices = i})

Sp cusparseXcsr2bsrNnz(void *h, int direction, int m, int n, const void *da, const int *offsets, const int *indices,
                       int side, const void *dc, int *to, int *total)
{
    return reblock_do(h,
                      (Reblock){.call  = "cusparseXcsr2bsrNnz",
                                .from  = FROM(R_64F, m, n, NONZEROS_UNKNOWN, NULL),
                                .to    = TO(NULL, to, NULL),
                                .total = total},
                      (Sides){1, 1, side, side}, direction, da, dc);
}

Sp cusparseXcsr2gebsrNnz(void *h, int direction, int m, int n, const void *da, const int *offsets, const int *indices,
                         const void *dc, int *to, int rows, int columns, int *total, void *buffer)
{
    (void)buffer;
    return reblock_do(h,
                      (Reblock){.call  = "cusparseXcsr2gebsrNnz",
                                .from  = FROM(R_64F, m, n, NONZEROS_UNKNOWN, NULL),
                                .to    = TO(NULL, to, NULL),
                                .total = total},
                      (Sides){1, 1, rows, columns}, direction, da, dc);
}

Sp cusparseXgebsr2gebsrNnz(void *h, int direction, int mb, int nb, int nonzeros, const void *da, const int *offsets,
                           const int *indices, int from_rows, int from_columns, const void *dc, int *to, int to_rows,
                           int to_columns, int *total, void *buffer)
{
    (void)buffer;
    if (handle_of(h) && nonzeros < 0)
        return SP_INVALID_VALUE;
    return reblock_do(h,
                      (Reblock){.call  = "cusparseXgebsr2gebsrNnz",
                                .from  = FROM(R_64F, mb, nb, nonzeros, NULL),
                                .to    = TO(NULL, to, NULL),
                                .total = total},
                      (Sides){from_rows, from_columns, to_rows, to_columns}, direction, da, dc);
}

Sp cusparseXgebsr2csr(void *h, int direction, int mb, int nb, const void *da, const int *offsets, const int *indices,
                      int rows, int columns, const void *dc, int *to_offsets, int *to_indices)
{
    return reblock_do(h,
                      (Reblock){.call    = "cusparseXgebsr2csr",
                                .from    = FROM(R_64F, mb, nb, NONZEROS_UNKNOWN, NULL),
                                .to      = TO(NULL, to_offsets, to_indices),
                                .fills   = true,
                                .pattern = true},
                      (Sides){rows, columns, 1, 1}, direction, da, dc);
}

#define CSR2GEBSR_SPACE(L, suffix, SIZE, give_space)                                                                   \
    Sp cusparse##L##csr2gebsr_bufferSize##suffix(void *h, int direction, int m, int n, const void *da,                 \
                                                 const void *values, const int *offsets, const int *indices, int rows, \
                                                 int columns, SIZE *bytes)                                             \
    {                                                                                                                  \
        (void)direction, (void)m, (void)n, (void)da, (void)values, (void)offsets, (void)indices;                       \
        return rows < 1 || columns < 1 ? handle_of(h) ? SP_INVALID_VALUE : SP_NOT_INITIALIZED : give_space(h, bytes);  \
    }

#define GEBSR2GEBSR_SPACE(L, suffix, SIZE, give_space)                                                                 \
    Sp cusparse##L##gebsr2gebsr_bufferSize##suffix(                                                                    \
        void *h, int direction, int mb, int nb, int nonzeros, const void *da, const void *values, const int *offsets,  \
        const int *indices, int from_rows, int from_columns, int to_rows, int to_columns, SIZE *bytes)                 \
    {                                                                                                                  \
        (void)direction, (void)mb, (void)nb, (void)nonzeros, (void)da, (void)values, (void)offsets, (void)indices;     \
        (void)from_rows, (void)from_columns, (void)to_rows, (void)to_columns;                                          \
        return give_space(h, bytes);                                                                                   \
    }

#define REBLOCK(L, T)                                                                                                  \
    Sp cusparse##L##csr2bsr(void *h, int direction, int m, int n, const void *da, const void *values,                  \
                            const int *offsets, const int *indices, int side, const void *dc, void *to_values,         \
                            int *to_offsets, int *to_indices)                                                          \
    {                                                                                                                  \
        return reblock_do(h,                                                                                           \
                          (Reblock){.call  = "cusparse" #L "csr2bsr",                                                  \
                                    .from  = FROM(T, m, n, NONZEROS_UNKNOWN, values),                                  \
                                    .to    = TO(to_values, to_offsets, to_indices),                                    \
                                    .fills = true},                                                                    \
                          (Sides){1, 1, side, side}, direction, da, dc);                                               \
    }                                                                                                                  \
    Sp cusparse##L##bsr2csr(void *h, int direction, int mb, int nb, const void *da, const void *values,                \
                            const int *offsets, const int *indices, int side, const void *dc, void *to_values,         \
                            int *to_offsets, int *to_indices)                                                          \
    {                                                                                                                  \
        return reblock_do(h,                                                                                           \
                          (Reblock){.call  = "cusparse" #L "bsr2csr",                                                  \
                                    .from  = FROM(T, mb, nb, NONZEROS_UNKNOWN, values),                                \
                                    .to    = TO(to_values, to_offsets, to_indices),                                    \
                                    .fills = true},                                                                    \
                          (Sides){side, side, 1, 1}, direction, da, dc);                                               \
    }                                                                                                                  \
    Sp cusparse##L##gebsr2csr(void *h, int direction, int mb, int nb, const void *da, const void *values,              \
                              const int *offsets, const int *indices, int rows, int columns, const void *dc,           \
                              void *to_values, int *to_offsets, int *to_indices)                                       \
    {                                                                                                                  \
        return reblock_do(h,                                                                                           \
                          (Reblock){.call  = "cusparse" #L "gebsr2csr",                                                \
                                    .from  = FROM(T, mb, nb, NONZEROS_UNKNOWN, values),                                \
                                    .to    = TO(to_values, to_offsets, to_indices),                                    \
                                    .fills = true},                                                                    \
                          (Sides){rows, columns, 1, 1}, direction, da, dc);                                            \
    }                                                                                                                  \
    CSR2GEBSR_SPACE(L, , int, space_int)                                                                               \
    CSR2GEBSR_SPACE(L, Ext, size_t, space)                                                                             \
    Sp cusparse##L##csr2gebsr(void *h, int direction, int m, int n, const void *da, const void *values,                \
                              const int *offsets, const int *indices, const void *dc, void *to_values,                 \
                              int *to_offsets, int *to_indices, int rows, int columns, void *buffer)                   \
    {                                                                                                                  \
        (void)buffer;                                                                                                  \
        return reblock_do(h,                                                                                           \
                          (Reblock){.call  = "cusparse" #L "csr2gebsr",                                                \
                                    .from  = FROM(T, m, n, NONZEROS_UNKNOWN, values),                                  \
                                    .to    = TO(to_values, to_offsets, to_indices),                                    \
                                    .fills = true},                                                                    \
                          (Sides){1, 1, rows, columns}, direction, da, dc);                                            \
    }                                                                                                                  \
    GEBSR2GEBSR_SPACE(L, , int, space_int)                                                                             \
    GEBSR2GEBSR_SPACE(L, Ext, size_t, space)                                                                           \
    Sp cusparse##L##gebsr2gebsr(void *h, int direction, int mb, int nb, int nonzeros, const void *da,                  \
                                const void *values, const int *offsets, const int *indices, int from_rows,             \
                                int from_columns, const void *dc, void *to_values, int *to_offsets, int *to_indices,   \
                                int to_rows, int to_columns, void *buffer)                                             \
    {                                                                                                                  \
        (void)buffer;                                                                                                  \
        if (handle_of(h) && nonzeros < 0)                                                                              \
            return SP_INVALID_VALUE;                                                                                   \
        return reblock_do(h,                                                                                           \
                          (Reblock){.call  = "cusparse" #L "gebsr2gebsr",                                              \
                                    .from  = FROM(T, mb, nb, nonzeros, values),                                        \
                                    .to    = TO(to_values, to_offsets, to_indices),                                    \
                                    .fills = true},                                                                    \
                          (Sides){from_rows, from_columns, to_rows, to_columns}, direction, da, dc);                   \
    }

/* ---- by columns ---- */

typedef struct Turn {
    Sparse from, to; /* to: of its own lines, which are columns of blocks */
    size_t block;    /* bytes; 0: the values stay where they are */
} Turn;

/* What is in a block is not turned. */
static void turn(const void *args)
{
    const Turn *t     = args;
    int64_t     lines = t->to.rows, rows = t->from.rows, n = t->from.nonzeros;
    const int  *from = t->from.offsets, *columns = t->from.indices;
    int        *offsets = t->to.offsets, *next = ww_cuda_library_memory(((size_t)lines + 1) * sizeof *next);
    for (int64_t k = 0; k < n; k++)
        if (columns[k] - t->from.base >= 0 && columns[k] - t->from.base < lines)
            next[columns[k] - t->from.base + 1]++;
    for (int64_t i = 0; i < lines; i++)
        next[i + 1] += next[i];
    for (int64_t i = 0; i <= lines; i++)
        offsets[i] = next[i] + t->to.base;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = from[i] - t->from.base; k >= 0 && k < from[i + 1] - t->from.base && k < n; k++) {
            int column = columns[k] - t->from.base;
            if (column < 0 || column >= lines || next[column] >= n)
                continue;
            int at                     = next[column]++;
            ((int *)t->to.indices)[at] = (int)i + t->to.base;
            if (t->block)
                memcpy((char *)t->to.values + (size_t)at * t->block,
                       (const char *)t->from.values + (size_t)k * t->block, t->block);
        }
    free(next);
}

static Sp turn_do(void *handle, const char *call, Sparse from, int rows, int columns, void *values, int *indices,
                  int *offsets, int action)
{
    const Handle *h = handle_of(handle);
    LibraryWork   w = {0};
    if (!h)
        return SP_NOT_INITIALIZED;
    if (from.rows < 0 || from.columns < 0 || from.nonzeros < 0 || rows < 1 || columns < 1 || from.base < 0 ||
        from.base > 1 || action < 0 || action > 1 || !from.offsets || !offsets ||
        (from.nonzeros && (!from.indices || !indices || (action && (!from.values || !values)))))
        return SP_INVALID_VALUE;
    Turn   t    = {.from = from,
                   .to = old_matrix(from.type, from.base, from.columns, from.rows, from.nonzeros, values, offsets, indices),
                   .block = action ? (size_t)rows * (size_t)columns * number_bytes(from.type) : 0};
    size_t many = (size_t)from.nonzeros * sizeof(int);
    tell(&w, from.offsets, ((size_t)from.rows + 1) * sizeof(int), LIBRARY_READS);
    tell(&w, from.indices, many, LIBRARY_READS);
    tell(&w, offsets, ((size_t)from.columns + 1) * sizeof(int), LIBRARY_WRITES);
    tell(&w, indices, many, LIBRARY_WRITES);
    tell(&w, from.values, (size_t)from.nonzeros * t.block, LIBRARY_READS);
    tell(&w, values, (size_t)from.nonzeros * t.block, LIBRARY_WRITES);
    return give(h, &w, call, turn, &t, sizeof t);
}

#define GEBSR2GEBSC_SPACE(L, suffix, SIZE, give_space)                                                                 \
    Sp cusparse##L##gebsr2gebsc_bufferSize##suffix(void *h, int mb, int nb, int nonzeros, const void *values,          \
                                                   const int *offsets, const int *indices, int rows, int columns,      \
                                                   SIZE *bytes)                                                        \
    {                                                                                                                  \
        (void)mb, (void)nb, (void)nonzeros, (void)values, (void)offsets, (void)indices, (void)rows, (void)columns;     \
        return give_space(h, bytes);                                                                                   \
    }

#define TURN(L, T)                                                                                                     \
    GEBSR2GEBSC_SPACE(L, , int, space_int)                                                                             \
    GEBSR2GEBSC_SPACE(L, Ext, size_t, space)                                                                           \
    Sp cusparse##L##gebsr2gebsc(void *h, int mb, int nb, int nonzeros, const void *values, const int *offsets,         \
                                const int *indices, int rows, int columns, void *to_values, int *to_indices,           \
                                int *to_offsets, int action, int base, void *buffer)                                   \
    {                                                                                                                  \
        (void)buffer;                                                                                                  \
        return turn_do(h, "cusparse" #L "gebsr2gebsc",                                                                 \
                       old_matrix(T, base, mb, nb, nonzeros, values, offsets, indices), rows, columns, to_values,      \
                       to_indices, to_offsets, action);                                                                \
    }

#define TYPE(L, T)                                                                                                     \
    REBLOCK(L, T)                                                                                                      \
    TURN(L, T)
TYPE(S, R_32F)
TYPE(D, R_64F)
TYPE(C, C_32F)
TYPE(Z, C_64F)
