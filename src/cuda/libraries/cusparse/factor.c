/* SPDX-License-Identifier: Apache-2.0
 *
 * The interface of old: descriptors of matrices, and incomplete factors of a matrix by rows that keep its structure: LU (csrilu02) and Cholesky
 * (csric02, of the lower triangle).  A pivot that is missing or zero is remembered in the info and asked for with zeroPivot. */
#include <math.h>

#include "cuda/libraries/cusparse/cusparse.h"

static const char infos;

typedef LibraryDescriptor Descr;

typedef struct Info {
    int    position; /* -1: none */
    bool   boost;
    double tolerance, value; /* a pivot not above the tolerance becomes this */
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
            return SP_INVALID_VALUE;                                                                                   \
        descr_of(p)->member = value;                                                                                   \
        return SP_SUCCESS;                                                                                             \
    }                                                                                                                  \
    int cusparseGetMat##name(const void *p)                                                                            \
    {                                                                                                                  \
        return descr_of(p) ? descr_of(p)->member : 0;                                                                  \
    }
PROPERTY(Type, type, 3)
PROPERTY(FillMode, fill, 1)
PROPERTY(DiagType, diag, 1)
PROPERTY(IndexBase, base, 1)

/* ---- factors ---- */

typedef struct Factors {
    int        type, n, nonzeros, base;
    bool       cholesky, analysis;
    void      *values;
    const int *offsets, *columns;
    void      *info;
} Factors;

static int64_t begin(const Factors *f, int row)
{
    int at = f->offsets[row] - f->base;
    return at < 0 ? 0 : at > f->nonzeros ? f->nonzeros : at;
}

/* Place of an element; less than 0: it is not kept. */
static int64_t find(const Factors *f, int row, int column)
{
    for (int64_t i = begin(f, row); i < begin(f, row + 1); i++)
        if (f->columns[i] - f->base == column)
            return i;
    return -1;
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
    for (int64_t p = begin(f, i); p < begin(f, i + 1); p++) {
        int k = f->columns[p] - f->base;
        if (k < 0 || k >= i)
            continue;
        int64_t diagonal = find(f, k, k);
        if (diagonal < 0)
            continue;
        Number factor = number_quotient(value(f, p), value(f, diagonal));
        number_put(f->type, f->values, p, factor);
        for (int64_t q = begin(f, i); q < begin(f, i + 1); q++) {
            int64_t up = f->columns[q] - f->base > k ? find(f, k, f->columns[q] - f->base) : -1;
            if (up >= 0)
                number_put(f->type, f->values, q, minus(value(f, q), factor, value(f, up)));
        }
    }
}

static void cholesky_row(const Factors *f, int i)
{
    for (int64_t p = begin(f, i); p < begin(f, i + 1); p++) {
        int j = f->columns[p] - f->base;
        if (j < 0 || j > i)
            continue;
        Number sum = value(f, p);
        for (int64_t q = begin(f, i); q < begin(f, i + 1); q++) {
            int     k     = f->columns[q] - f->base;
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
    Info          *info = info_of(f->info), none = {-1, false, 0, 0};
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
            info->position = i + f->base;
    }
}

static Sp factors(void *handle, const char *call, Factors f, const void *descr)
{
    const Handle *h = handle_of(handle);
    LibraryWork   w = {0};
    if (!h)
        return SP_NOT_INITIALIZED;
    if (f.n < 0 || f.nonzeros < 0 || !descr_of(descr) || !info_of(f.info) || !f.offsets ||
        (f.nonzeros && (!f.columns || !f.values)))
        return SP_INVALID_VALUE;
    if (descr_of(descr)->type)
        return SP_NOT_SUPPORTED; /* as documented: general */
    f.base = descr_of(descr)->base;
    tell(&w, f.offsets, ((size_t)f.n + 1) * sizeof(int), LIBRARY_READS);
    tell(&w, f.columns, (size_t)f.nonzeros * sizeof(int), LIBRARY_READS);
    tell(&w, f.values, (size_t)f.nonzeros * number_bytes(f.type), f.analysis ? LIBRARY_HOLDS : LIBRARY_UPDATES);
    return give(h, &w, call, compute, &f, sizeof f);
}

static Sp pivot(void *handle, const void *info, int *position)
{
    enum { ZERO_PIVOT = 9 };
    const Handle *h = handle_of(handle);
    if (!h)
        return SP_NOT_INITIALIZED;
    if (!info_of(info) || !position)
        return SP_INVALID_VALUE;
    if (!ww_cuda_library_wait(h->stream))
        return SP_EXECUTION_FAILED;
    *position = info_of(info)->position;
    return *position < 0 ? SP_SUCCESS : (Sp)ZERO_PIVOT;
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

#define FACTORS(L, T, name, ic)                                                                                        \
    Sp cusparse##L##name##_bufferSize(void *h, int n, int nonzeros, const void *descr, void *values,                   \
                                      const int *offsets, const int *columns, void *info, int *bytes)                  \
    {                                                                                                                  \
        size_t size;                                                                                                   \
        (void)n, (void)nonzeros, (void)descr, (void)values, (void)offsets, (void)columns, (void)info;                  \
        Sp e = space(h, bytes ? &size : NULL);                                                                         \
        if (!e)                                                                                                        \
            *bytes = (int)size;                                                                                        \
        return e;                                                                                                      \
    }                                                                                                                  \
    Sp cusparse##L##name##_analysis(void *h, int n, int nonzeros, const void *descr, const void *values,               \
                                    const int *offsets, const int *columns, void *info, int policy, void *buffer)      \
    {                                                                                                                  \
        (void)policy, (void)buffer;                                                                                    \
        return factors(h, "cusparse" #L#name "_analysis",                                                              \
                       (Factors){T, n, nonzeros, 0, ic, true, (void *)(uintptr_t)values, offsets, columns, info},      \
                       descr);                                                                                         \
    }                                                                                                                  \
    Sp cusparse##L##name(void *h, int n, int nonzeros, const void *descr, void *values, const int *offsets,            \
                         const int *columns, void *info, int policy, void *buffer)                                     \
    {                                                                                                                  \
        (void)policy, (void)buffer;                                                                                    \
        return factors(h, "cusparse" #L#name, (Factors){T, n, nonzeros, 0, ic, false, values, offsets, columns, info}, \
                       descr);                                                                                         \
    }
#define BOTH(L, T)                                                                                                     \
    FACTORS(L, T, csrilu02, false)                                                                                     \
    FACTORS(L, T, csric02, true)                                                                                       \
    Sp cusparse##L##csrilu02_numericBoost(void *h, void *info, int on, double *tolerance, void *value_)                \
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
BOTH(S, R_32F)
BOTH(D, R_64F)
BOTH(C, C_32F)
BOTH(Z, C_64F)
