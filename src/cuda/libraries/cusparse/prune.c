/* SPDX-License-Identifier: Apache-2.0
 *
 * Counting what is not zero (nnz), and a matrix by rows without what is small: nnz_compress and csr2csr_compress with a tolerance, pruneDense2csr and
 * pruneCsr2csr with a threshold or with the percentage of elements that go.  What stays is larger than the threshold in size; a NaN is not.
 *
 * The threshold of a percentage p of n elements is the one at ceil(n * p / 100) - 1 in the order of their sizes, as documented.  It is found anew by the
 * function that fills: an info keeps nothing. */
#include <math.h>
#include <stdlib.h>

#include "cuda/libraries/cusparse/cusparse.h"

static const char infos;

typedef enum Limit { LIMIT_NUMBER, LIMIT_POINTER, LIMIT_PERCENT } Limit;

typedef struct Prune {
    const char *call;
    bool        is_dense;
    Dense       dense;
    Sparse      from, to; /* to.offsets NULL: no matrix is made */
    Limit       limit;
    Factor      threshold;
    double      number;  /* threshold or percentage */
    bool        fills;   /* to's indices and values, else its offsets; a matrix that is compressed has both */
    bool        nonzero; /* all stay that are not zero: a NaN, too */
    int        *lines, by, *total;
} Prune;

Sp cusparseCreatePruneInfo(void **out)
{
    return object_new(&infos, out, &(char){0}, 1);
}

Sp cusparseDestroyPruneInfo(void *p)
{
    return object_drop(&infos, p);
}

/* ---- going through rows ---- */

static int64_t row_begin(const Prune *p, int64_t row)
{
    int64_t at = ((const int *)p->from.offsets)[row] - p->from.base;
    return at < 0 ? 0 : at > p->from.nonzeros ? p->from.nonzeros : at;
}

static int64_t elements_before(const Prune *p, int64_t row)
{
    return p->is_dense ? row * p->dense.columns : row_begin(p, row);
}

/* Element `at` counted by rows, of that row; nnz_compress has no columns. */
static Number element(const Prune *p, int64_t row, int64_t at, int64_t *column)
{
    if (p->is_dense) {
        *column = at - row * p->dense.columns;
        return dense_at(&p->dense, OP_N, row, *column);
    }
    *column = p->from.indices ? ((const int *)p->from.indices)[at] - p->from.base : 0;
    return number_at(p->from.type, p->from.values, at);
}

static double size_of(Number x)
{
    return hypot(x.re, x.im);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double threshold_of(const Prune *p, int64_t rows)
{
    if (p->limit == LIMIT_POINTER)
        return factor_of(&p->threshold, p->to.type).re;
    if (p->limit == LIMIT_NUMBER)
        return p->number;
    int64_t n = elements_before(p, rows), column, first = n ? elements_before(p, 0) : 0, many = n - first;
    if (many <= 0)
        return 0;
    double *sizes = ww_cuda_library_memory((size_t)many * sizeof *sizes);
    int64_t k     = 0;
    for (int64_t row = 0; row < rows; row++)
        for (int64_t at = elements_before(p, row); at < elements_before(p, row + 1) && k < many; at++)
            sizes[k++] = size_of(element(p, row, at, &column));
    qsort(sizes, (size_t)k, sizeof *sizes, ascending);
    double  place = ceil((double)k * (p->number / 100)) - 1;
    int64_t i     = place < 0 ? 0 : place >= (double)k ? k - 1 : (int64_t)place;
    double  out   = k ? sizes[i] : 0;
    free(sizes);
    return out;
}

static void wrote(const void *p, size_t bytes)
{
    if (bytes)
        ww_cuda_library_wrote(
            &(LibrarySpan){.at = p, .pitch = bytes, .width = bytes, .height = 1, .use = LIBRARY_WRITES});
}

/* Calls for each element that stays; gives how many. */
static int64_t pass(const Prune *p, double threshold, bool fills)
{
    int64_t rows = p->is_dense ? p->dense.rows : p->from.rows, n = 0, column;
    for (int64_t row = 0; row < rows; row++) {
        if (p->to.offsets && !fills)
            ((int *)p->to.offsets)[row] = (int)n + p->to.base;
        for (int64_t at = elements_before(p, row); at < elements_before(p, row + 1); at++) {
            Number x = element(p, row, at, &column);
            if (p->nonzero ? x.re == 0 && x.im == 0 : !(size_of(x) > threshold))
                continue;
            if (p->lines && !fills)
                p->lines[p->by ? column : row]++;
            if (fills) {
                ((int *)p->to.indices)[n] = (int)column + p->to.base;
                number_put(p->to.type, p->to.values, n, x);
            }
            n++;
        }
    }
    if (p->to.offsets && !fills)
        ((int *)p->to.offsets)[rows] = (int)n + p->to.base;
    return n;
}

static void prune(const void *args)
{
    Prune   p     = *(const Prune *)args;
    int64_t rows  = p.is_dense ? p.dense.rows : p.from.rows;
    int64_t lines = p.by ? p.dense.columns : rows;
    if (!p.is_dense && !old_measure(p.call, &p.from, LIBRARY_READS, LIBRARY_READS))
        return;
    for (int64_t i = 0; p.lines && i < lines; i++)
        p.lines[i] = 0;
    double threshold = threshold_of(&p, rows);
    void  *offsets   = p.to.offsets;
    if (p.fills && p.limit != LIMIT_NUMBER) /* they were made by the function that counts */
        p.to.offsets = NULL;
    p.to.nonzeros = pass(&p, threshold, false);
    p.to.offsets  = offsets;
    if (p.total)
        *p.total = (int)p.to.nonzeros;
    size_t      indices = (size_t)p.to.nonzeros * sizeof(int), values = (size_t)p.to.nonzeros * number_bytes(p.to.type);
    LibrarySpan span[2] = {{.at = p.to.indices, .pitch = indices, .width = indices, .height = 1, .use = LIBRARY_WRITES},
                           {.at = p.to.values, .pitch = values, .width = values, .height = 1, .use = LIBRARY_WRITES}};
    if (!p.fills || !p.to.nonzeros)
        return;
    for (int i = 0; i < 2; i++) {
        span[i].use = LIBRARY_HOLDS;
        if (!ww_cuda_library_uses(p.call, &span[i]))
            return;
    }
    pass(&p, threshold, true);
    wrote(p.to.indices, indices);
    wrote(p.to.values, values);
}

/* ---- the functions ---- */

/* from, to: descriptors; to NULL: no matrix is made.  threshold: where `limit` says that it is pointed to. */
static Sp prune_do(void *handle, Prune p, const void *from, const void *to, const void *threshold)
{
    const Handle     *h = handle_of(handle);
    LibraryWork       w = {0};
    LibraryDescriptor d;
    bool              makes = p.to.offsets || p.fills;
    int64_t rows = p.is_dense ? p.dense.rows : p.from.rows, columns = p.is_dense ? p.dense.columns : p.from.columns;
    if (!h)
        return SP_NOT_INITIALIZED;
    if (rows < 0 || columns < 0 || (p.is_dense && p.dense.ld < (rows > 1 ? rows : 1)) ||
        (p.is_dense && rows && columns && !p.dense.values) || (!p.is_dense && !p.from.offsets) ||
        p.from.nonzeros < NONZEROS_UNKNOWN || (p.limit == LIMIT_POINTER && !threshold) ||
        (p.limit == LIMIT_NUMBER && !(p.number >= 0)) ||
        (p.limit == LIMIT_PERCENT && !(p.number >= 0 && p.number <= 100)) || (makes && !p.to.offsets) ||
        (!makes && !p.lines && (p.by ? columns : rows)))
        return SP_INVALID_VALUE;
    for (int i = 0; i < 2; i++) {
        const void *of = i ? to : from;
        if (i ? !makes : p.is_dense && makes)
            continue;
        Sp e = descr_read(of, &d);
        if (e)
            return e;
        (i ? &p.to : &p.from)->base = d.base;
    }
    if (p.limit == LIMIT_POINTER)
        take_factor(h, &w, &p.threshold, threshold, p.to.type);
    if (p.is_dense)
        tell_dense(&w, &p.dense, LIBRARY_READS, NULL, p.dense.type);
    else if (p.from.nonzeros == NONZEROS_UNKNOWN)
        tell(&w, p.from.offsets, ((size_t)rows + 1) * sizeof(int), LIBRARY_READS);
    else
        tell_sparse(&w, &p.from, LIBRARY_READS, LIBRARY_READS);
    if (makes)
        tell(&w, p.to.offsets, ((size_t)rows + 1) * sizeof(int),
             p.fills && p.limit != LIMIT_NUMBER ? LIBRARY_READS : LIBRARY_WRITES);
    if (p.lines)
        tell(&w, p.lines, (size_t)(p.by ? columns : rows) * sizeof(int), LIBRARY_WRITES);
    return give_total(h, &w, p.call, prune, &p, sizeof p, p.total);
}

#define DENSE_OF(T, m, n, lda, a) ((Dense){m, n, lda, (void *)(uintptr_t)a, T, ORDER_COLUMN, 1, 0})
#define TO(T, v, o, i)            ((Sparse){.type = T, .values = v, .offsets = (void *)(uintptr_t)o, .indices = i})

#define COMPRESS(L, T, Value)                                                                                          \
    Sp cusparse##L##nnz(void *h, int direction, int m, int n, const void *d, const void *a, int lda, int *lines,       \
                        int *total)                                                                                    \
    {                                                                                                                  \
        if (direction < 0 || direction > 1)                                                                            \
            return handle_of(h) ? SP_INVALID_VALUE : SP_NOT_INITIALIZED;                                               \
        return prune_do(h,                                                                                             \
                        (Prune){.call     = "cusparse" #L "nnz",                                                       \
                                .is_dense = true,                                                                      \
                                .dense    = DENSE_OF(T, m, n, lda, a),                                                 \
                                .nonzero  = true,                                                                      \
                                .lines    = lines,                                                                     \
                                .by       = direction,                                                                 \
                                .total    = total},                                                                       \
                        d, NULL, NULL);                                                                                \
    }                                                                                                                  \
    Sp cusparse##L##nnz_compress(void *h, int m, const void *d, const void *values, const int *offsets, int *lines,    \
                                 int *total, Value tolerance)                                                          \
    {                                                                                                                  \
        return prune_do(h,                                                                                             \
                        (Prune){.call   = "cusparse" #L "nnz_compress",                                                \
                                .from   = old_matrix(T, 0, m, 0, NONZEROS_UNKNOWN, values, offsets, NULL),             \
                                .number = FROM_##L(tolerance).re,                                                      \
                                .lines  = lines,                                                                       \
                                .total  = total},                                                                       \
                        d, NULL, NULL);                                                                                \
    }                                                                                                                  \
    Sp cusparse##L##csr2csr_compress(void *h, int m, int n, const void *d, const void *values, const int *indices,     \
                                     const int *offsets, int nonzeros, const int *lines, void *to_values,              \
                                     int *to_indices, int *to_offsets, Value tolerance)                                \
    {                                                                                                                  \
        if (nonzeros < 0 || !lines || (nonzeros && (!values || !indices || !to_values || !to_indices)))                \
            return handle_of(h) ? SP_INVALID_VALUE : SP_NOT_INITIALIZED;                                               \
        return prune_do(h,                                                                                             \
                        (Prune){.call   = "cusparse" #L "csr2csr_compress",                                            \
                                .from   = old_matrix(T, 0, m, n, nonzeros, values, offsets, indices),                  \
                                .to     = TO(T, to_values, to_offsets, to_indices),                                    \
                                .number = FROM_##L(tolerance).re,                                                      \
                                .fills  = true},                                                                        \
                        d, d, NULL);                                                                                   \
    }

/* GIVEN: the limit's parameter; INFO: the last one before the buffer; LIMIT, number, pointer: what they are. */
#define PRUNE(L, T, name, GIVEN, INFO, LIMIT, percentage, pointer, good)                                               \
    Sp cusparse##L##pruneDense2csr##name##_bufferSizeExt(void *h, int m, int n, const void *a, int lda, GIVEN,         \
                                                         const void *dc, const void *to_values, const int *to_offsets, \
                                                         const int *to_indices INFO, size_t *bytes)                    \
    {                                                                                                                  \
        (void)m, (void)n, (void)a, (void)lda, (void)limit, (void)dc;                                                   \
        (void)to_values, (void)to_offsets, (void)to_indices;                                                           \
        if (!(good))                                                                                                   \
            return handle_of(h) ? SP_INVALID_VALUE : SP_NOT_INITIALIZED;                                               \
        return space(h, bytes);                                                                                        \
    }                                                                                                                  \
    Sp cusparse##L##pruneDense2csrNnz##name(void *h, int m, int n, const void *a, int lda, GIVEN, const void *dc,      \
                                            int *to_offsets, int *total INFO, void *buffer)                            \
    {                                                                                                                  \
        (void)buffer;                                                                                                  \
        if (!(good))                                                                                                   \
            return handle_of(h) ? SP_INVALID_VALUE : SP_NOT_INITIALIZED;                                               \
        return prune_do(h,                                                                                             \
                        (Prune){.call     = "cusparse" #L "pruneDense2csrNnz" #name,                                   \
                                .is_dense = true,                                                                      \
                                .dense    = DENSE_OF(T, m, n, lda, a),                                                 \
                                .to       = TO(T, NULL, to_offsets, NULL),                                             \
                                .limit    = LIMIT,                                                                     \
                                .number   = percentage,                                                                \
                                .total    = total},                                                                       \
                        NULL, dc, pointer);                                                                            \
    }                                                                                                                  \
    Sp cusparse##L##pruneDense2csr##name(void *h, int m, int n, const void *a, int lda, GIVEN, const void *dc,         \
                                         void *to_values, const int *to_offsets, int *to_indices INFO, void *buffer)   \
    {                                                                                                                  \
        (void)buffer;                                                                                                  \
        if (!(good))                                                                                                   \
            return handle_of(h) ? SP_INVALID_VALUE : SP_NOT_INITIALIZED;                                               \
        return prune_do(h,                                                                                             \
                        (Prune){.call     = "cusparse" #L "pruneDense2csr" #name,                                      \
                                .is_dense = true,                                                                      \
                                .dense    = DENSE_OF(T, m, n, lda, a),                                                 \
                                .to       = TO(T, to_values, to_offsets, to_indices),                                  \
                                .limit    = LIMIT,                                                                     \
                                .number   = percentage,                                                                \
                                .fills    = true},                                                                        \
                        NULL, dc, pointer);                                                                            \
    }                                                                                                                  \
    Sp cusparse##L##pruneCsr2csr##name##_bufferSizeExt(                                                                \
        void *h, int m, int n, int nonzeros, const void *d, const void *values, const int *offsets,                    \
        const int *indices, GIVEN, const void *dc, const void *to_values, const int *to_offsets,                       \
        const int *to_indices INFO, size_t *bytes)                                                                     \
    {                                                                                                                  \
        (void)m, (void)n, (void)nonzeros, (void)d, (void)values, (void)offsets, (void)indices, (void)limit, (void)dc;  \
        (void)to_values, (void)to_offsets, (void)to_indices;                                                           \
        if (!(good))                                                                                                   \
            return handle_of(h) ? SP_INVALID_VALUE : SP_NOT_INITIALIZED;                                               \
        return space(h, bytes);                                                                                        \
    }                                                                                                                  \
    Sp cusparse##L##pruneCsr2csrNnz##name(void *h, int m, int n, int nonzeros, const void *d, const void *values,      \
                                          const int *offsets, const int *indices, GIVEN, const void *dc,               \
                                          int *to_offsets, int *total INFO, void *buffer)                              \
    {                                                                                                                  \
        (void)buffer;                                                                                                  \
        if (!(good) || nonzeros < 0 || (nonzeros && (!values || !indices)))                                            \
            return handle_of(h) ? SP_INVALID_VALUE : SP_NOT_INITIALIZED;                                               \
        return prune_do(h,                                                                                             \
                        (Prune){.call   = "cusparse" #L "pruneCsr2csrNnz" #name,                                       \
                                .from   = old_matrix(T, 0, m, n, nonzeros, values, offsets, indices),                  \
                                .to     = TO(T, NULL, to_offsets, NULL),                                               \
                                .limit  = LIMIT,                                                                       \
                                .number = percentage,                                                                  \
                                .total  = total},                                                                       \
                        d, dc, pointer);                                                                               \
    }                                                                                                                  \
    Sp cusparse##L##pruneCsr2csr##name(void *h, int m, int n, int nonzeros, const void *d, const void *values,         \
                                       const int *offsets, const int *indices, GIVEN, const void *dc, void *to_values, \
                                       const int *to_offsets, int *to_indices INFO, void *buffer)                      \
    {                                                                                                                  \
        (void)buffer;                                                                                                  \
        if (!(good) || nonzeros < 0 || (nonzeros && (!values || !indices)))                                            \
            return handle_of(h) ? SP_INVALID_VALUE : SP_NOT_INITIALIZED;                                               \
        return prune_do(h,                                                                                             \
                        (Prune){.call   = "cusparse" #L "pruneCsr2csr" #name,                                          \
                                .from   = old_matrix(T, 0, m, n, nonzeros, values, offsets, indices),                  \
                                .to     = TO(T, to_values, to_offsets, to_indices),                                    \
                                .limit  = LIMIT,                                                                       \
                                .number = percentage,                                                                  \
                                .fills  = true},                                                                        \
                        d, dc, pointer);                                                                               \
    }

#define POINTED const void *limit
#define PERCENT float limit
#define NOTHING
#define INFO , void *info
#define TYPE(L, T)                                                                                                     \
    PRUNE(L, T, , POINTED, NOTHING, LIMIT_POINTER, 0, limit, true)                                                     \
    PRUNE(L, T, ByPercentage, PERCENT, INFO, LIMIT_PERCENT, (double)limit, NULL, ww_cuda_library_has(&infos, info))
TYPE(H, R_16F)
TYPE(S, R_32F)
TYPE(D, R_64F)
COMPRESS(S, R_32F, float)
COMPRESS(D, R_64F, double)
COMPRESS(C, C_32F, ComplexFloat)
COMPRESS(Z, C_64F, Number)
