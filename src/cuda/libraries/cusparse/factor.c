/* SPDX-License-Identifier: Apache-2.0
 *
 * The interface of old: descriptors of matrices, and incomplete factors of a matrix by rows that keep its structure: LU (csrilu02, bsrilu02) and Cholesky
 * (csric02, bsric02, of the lower triangle).  A matrix of blocks is factored element by element, where a block that is stored keeps all of its elements:
 * that is its factor by blocks, with L and U of a diagonal block in its place.  A pivot that is missing or zero is remembered in the info and asked
 * for with zeroPivot. */
#include <limits.h>
#include <math.h>

#include "cuda/libraries/cusparse/cusparse.h"

static const char infos;

typedef LibraryDescriptor Descr;

typedef struct Info {
    int    position; /* -1: none */
    bool   boost;
    double tolerance, value; /* a pivot not above the tolerance becomes this */
    bool   analysed;         /* of a solution: which triangle, and is its diagonal 1? */
    int    fill, diag;
} Info;

static Descr *descr_of(const void *p)
{
    return ww_cuda_library_has(&ww_cuda_library_descriptors, p) ? (void *)(uintptr_t)p : NULL;
}

static Info *info_of(const void *p)
{
    return ww_cuda_library_has(&infos, p) ? (void *)(uintptr_t)p : NULL;
}

int descr_base(const void *p)
{
    return descr_of(p) ? descr_of(p)->base : 0;
}

Sp descr_read(const void *p, LibraryDescriptor *out)
{
    if (!descr_of(p))
        return SP_INVALID_VALUE;
    *out = *descr_of(p);
    return out->type ? SP_MATRIX_TYPE_NOT_SUPPORTED : SP_SUCCESS; /* general, as documented */
}

void pivot_note(void *info, int position)
{
    if (info_of(info))
        info_of(info)->position = position;
}

Sp triangle_keep(void *info, const LibraryDescriptor *d)
{
    Info *i = info_of(info);
    if (!i)
        return SP_INVALID_VALUE;
    i->analysed = true;
    i->fill     = d->fill;
    i->diag     = d->diag;
    return SP_SUCCESS;
}

Sp triangle_of(const void *info, Sparse *m)
{
    const Info *i = info_of(info);
    if (!i || !i->analysed)
        return SP_INVALID_VALUE;
    m->fill = i->fill;
    m->diag = i->diag;
    return SP_SUCCESS;
}

Sp cusparseCreateMatDescr(void **out)
{
    return object_new(&ww_cuda_library_descriptors, out, &(Descr){0}, sizeof(Descr));
}

Sp cusparseDestroyMatDescr(void *p)
{
    return object_drop(&ww_cuda_library_descriptors, p);
}

#define PROPERTY(name, member, most)                                                                                   \
    Sp cusparseSetMat##name(void *p, int value)                                                                        \
    {                                                                                                                  \
        if (!descr_of(p) || value < 0 || value > (most))                                                               \
            return descr_of(p) ? SP_INVALID_VALUE : SP_NOT_INITIALIZED;                                                \
        descr_of(p)->member = value;                                                                                   \
        return SP_SUCCESS;                                                                                             \
    }                                                                                                                  \
    int cusparseGetMat##name(const void *p)                                                                            \
    {                                                                                                                  \
        return descr_of(p) ? descr_of(p)->member : -1;                                                                 \
    }
PROPERTY(Type, type, 3)
PROPERTY(FillMode, fill, 1)
PROPERTY(DiagType, diag, 1)
PROPERTY(IndexBase, base, 1)

/* ---- factors ---- */

typedef struct Factors {
    int        type, n, nonzeros, base; /* rows and columns; blocks */
    bool       cholesky, analysis;
    void      *values;
    const int *offsets, *columns;
    void      *info;
    int        block, direction; /* the side of a block, which is stored by rows (0) or columns */
} Factors;

/* The first block of a row of blocks. */
static int64_t begin(const Factors *f, int line)
{
    int at = f->offsets[line] - f->base;
    return at < 0 ? 0 : at > f->nonzeros ? f->nonzeros : at;
}

static int64_t place(const Factors *f, int64_t block, int row, int column)
{
    int64_t first = block * f->block * f->block;
    return first + (f->direction ? (int64_t)column * f->block + row : (int64_t)row * f->block + column);
}

/* Place of an element; less than 0: it is not kept. */
static int64_t find(const Factors *f, int row, int column)
{
    for (int64_t i = begin(f, row / f->block); i < begin(f, row / f->block + 1); i++)
        if (f->columns[i] - f->base == column / f->block)
            return place(f, i, row % f->block, column % f->block);
    return -1;
}

/* Elements that a row keeps, and the column and place of one of them. */
static int64_t row_length(const Factors *f, int row)
{
    return (begin(f, row / f->block + 1) - begin(f, row / f->block)) * f->block;
}

static int entry(const Factors *f, int row, int64_t number, int64_t *at)
{
    int64_t i      = begin(f, row / f->block) + number / f->block;
    int     inside = (int)(number % f->block), line = f->columns[i] - f->base;
    *at = place(f, i, row % f->block, inside);
    return line < 0 || line >= f->n / f->block ? -1 : line * f->block + inside;
}

static Number value(const Factors *f, int64_t at)
{
    return number_at(f->type, f->values, at);
}

static Number minus(Number a, Number f, Number b)
{
    Number p = number_product(f, b);
    return (Number){a.re - p.re, a.im - p.im};
}

static void lu_row(const Factors *f, int i)
{
    for (int64_t m = 0; m < row_length(f, i); m++) {
        int64_t p, q;
        int     k = entry(f, i, m, &p);
        if (k < 0 || k >= i)
            continue;
        int64_t diagonal = find(f, k, k);
        if (diagonal < 0)
            continue;
        Number factor = number_quotient(value(f, p), value(f, diagonal));
        number_put(f->type, f->values, p, factor);
        for (int64_t r = 0; r < row_length(f, i); r++) {
            int     column = entry(f, i, r, &q);
            int64_t up     = column > k ? find(f, k, column) : -1;
            if (up >= 0)
                number_put(f->type, f->values, q, minus(value(f, q), factor, value(f, up)));
        }
    }
}

static void cholesky_row(const Factors *f, int i)
{
    for (int64_t m = 0; m < row_length(f, i); m++) {
        int64_t p, q;
        int     j = entry(f, i, m, &p);
        if (j < 0 || j > i)
            continue;
        Number sum = value(f, p);
        for (int64_t r = 0; r < row_length(f, i); r++) {
            int     k     = entry(f, i, r, &q);
            int64_t other = k >= 0 && k < j ? find(f, j, k) : -1;
            if (other >= 0) {
                Number c = value(f, other);
                sum      = minus(sum, value(f, q), (Number){c.re, -c.im});
            }
        }
        int64_t diagonal = find(f, j, j);
        if (j == i)
            sum = (Number){sqrt(sum.re), 0};
        else if (diagonal >= 0)
            sum = number_quotient(sum, value(f, diagonal));
        number_put(f->type, f->values, p, sum);
    }
}

static void compute(const void *args)
{
    const Factors *f    = args;
    Info          *info = info_of(f->info), none = {.position = -1};
    info           = info ? info : &none;
    info->position = -1;
    for (int i = 0; i < f->n; i++) {
        int64_t diagonal = find(f, i, i);
        if (!f->analysis)
            f->cholesky ? cholesky_row(f, i) : lu_row(f, i);
        if (diagonal >= 0 && !f->analysis && info->boost) {
            Number d = value(f, diagonal);
            if (hypot(d.re, d.im) <= info->tolerance)
                number_put(f->type, f->values, diagonal, (Number){info->value, 0});
        }
        Number d = diagonal >= 0 && !f->analysis ? value(f, diagonal) : (Number){1, 0};
        if (info->position < 0 && (diagonal < 0 || !(hypot(d.re, d.im) > 0)))
            info->position = i / f->block + f->base;
    }
}

static Sp factors(void *handle, const char *call, Factors f, const void *descr)
{
    const Handle *h = handle_of(handle);
    LibraryWork   w = {0};
    if (!h)
        return SP_NOT_INITIALIZED;
    LibraryDescriptor d;
    if (f.n < 0 || f.nonzeros < 0 || f.block < 1 || f.direction < 0 || f.direction > 1 || f.n > INT_MAX / f.block ||
        !info_of(f.info) || !f.offsets || (f.nonzeros && (!f.columns || !f.values)))
        return SP_INVALID_VALUE;
    Sp e = descr_read(descr, &d);
    if (e)
        return e;
    f.base = d.base;
    tell(&w, f.offsets, ((size_t)f.n + 1) * sizeof(int), LIBRARY_READS);
    tell(&w, f.columns, (size_t)f.nonzeros * sizeof(int), LIBRARY_READS);
    tell(&w, f.values, (size_t)f.nonzeros * (size_t)f.block * (size_t)f.block * number_bytes(f.type),
         f.analysis ? LIBRARY_HOLDS : LIBRARY_UPDATES);
    f.n *= f.block;
    return give(h, &w, call, compute, &f, sizeof f);
}

static Sp pivot(void *handle, const void *info, int *position)
{
    const Handle *h = handle_of(handle);
    if (!h)
        return SP_NOT_INITIALIZED;
    if (!info_of(info) || !position)
        return SP_INVALID_VALUE;
    if (!ww_cuda_library_wait(h->stream))
        return SP_EXECUTION_FAILED;
    *position = info_of(info)->position;
    return *position < 0 ? SP_SUCCESS : SP_ZERO_PIVOT;
}

#define KIND(Name, name)                                                                                               \
    Sp cusparseCreate##Name##Info(void **out)                                                                          \
    {                                                                                                                  \
        return object_new(&infos, out, &(Info){.position = -1}, sizeof(Info));                                         \
    }                                                                                                                  \
    Sp cusparseDestroy##Name##Info(void *p)                                                                            \
    {                                                                                                                  \
        return object_drop(&infos, p);                                                                                 \
    }                                                                                                                  \
    Sp cusparseX##name##_zeroPivot(void *h, void *info, int *position)                                                 \
    {                                                                                                                  \
        return pivot(h, info, position);                                                                               \
    }
KIND(Csrilu02, csrilu02)
KIND(Csric02, csric02)
KIND(Bsrilu02, bsrilu02)
KIND(Bsric02, bsric02)
KIND(Bsrsv2, bsrsv2)
KIND(Bsrsm2, bsrsm2)

/* By its form, csr or bsr: parameters that a matrix of blocks has besides.  direction and block: their values. */
#define DIRECTION_csr
#define DIRECTION_bsr , int direction
#define BLOCK_csr
#define BLOCK_bsr , int block
#define FACTORS_SPACE(L, name, form, direction, block, suffix, SIZE, give_space)                                       \
    Sp cusparse##L##name##_bufferSize##suffix(void *h DIRECTION_##form, int n, int nonzeros, const void *descr,        \
                                              void *values, const int *offsets, const int *columns BLOCK_##form,       \
                                              void *info, SIZE *bytes)                                                 \
    {                                                                                                                  \
        (void)n, (void)nonzeros, (void)descr, (void)values, (void)offsets, (void)columns, (void)info;                  \
        (void)direction, (void)block;                                                                                  \
        return give_space(h, bytes);                                                                                   \
    }
#define FACTORS(L, T, name, ic, form, direction, block)                                                                \
    FACTORS_SPACE(L, name, form, direction, block, , int, space_int)                                                   \
    FACTORS_SPACE(L, name, form, direction, block, Ext, size_t, space)                                                 \
    Sp cusparse##L##name##_analysis(void *h DIRECTION_##form, int n, int nonzeros, const void *descr,                  \
                                    const void *values, const int *offsets, const int *columns BLOCK_##form,           \
                                    void *info, int policy, void *buffer)                                              \
    {                                                                                                                  \
        (void)policy, (void)buffer;                                                                                    \
        return factors(h, "cusparse" #L#name "_analysis",                                                              \
                       (Factors){T, n, nonzeros, 0, ic, true, (void *)(uintptr_t)values, offsets, columns, info,       \
                                 block, direction},                                                                    \
                       descr);                                                                                         \
    }                                                                                                                  \
    Sp cusparse##L##name(void *h DIRECTION_##form, int n, int nonzeros, const void *descr, void *values,               \
                         const int *offsets, const int *columns BLOCK_##form, void *info, int policy, void *buffer)    \
    {                                                                                                                  \
        (void)policy, (void)buffer;                                                                                    \
        return factors(h, "cusparse" #L#name,                                                                          \
                       (Factors){T, n, nonzeros, 0, ic, false, values, offsets, columns, info, block, direction},      \
                       descr);                                                                                         \
    }
#define BOOST(L, T, name)                                                                                              \
    Sp cusparse##L##name##_numericBoost(void *h, void *info, int on, double *tolerance, void *value_)                  \
    {                                                                                                                  \
        if (!handle_of(h) || !info_of(info) || (on && (!tolerance || !value_)))                                        \
            return handle_of(h) ? SP_INVALID_VALUE : SP_NOT_INITIALIZED;                                               \
        info_of(info)->boost = on;                                                                                     \
        if (on) {                                                                                                      \
            info_of(info)->tolerance = *tolerance;                                                                     \
            info_of(info)->value     = number_at(T, value_, 0).re;                                                     \
        }                                                                                                              \
        return SP_SUCCESS;                                                                                             \
    }
#define BOTH(L, T)                                                                                                     \
    FACTORS(L, T, csrilu02, false, csr, 0, 1)                                                                          \
    FACTORS(L, T, csric02, true, csr, 0, 1)                                                                            \
    FACTORS(L, T, bsrilu02, false, bsr, direction, block)                                                              \
    FACTORS(L, T, bsric02, true, bsr, direction, block)                                                                \
    BOOST(L, T, csrilu02)                                                                                              \
    BOOST(L, T, bsrilu02)
BOTH(S, R_32F)
BOTH(D, R_64F)
BOTH(C, C_32F)
BOTH(Z, C_64F)
