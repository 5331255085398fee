/* SPDX-License-Identifier: Apache-2.0
 *
 * Batches of factorisations and solutions over LAPACK: getrf, getrs, getri, matinv, geqrf, gels, trsm.  Matrices are given as lists of pointers in
 * device memory.  Pivots and what went wrong (info) are the device's in getrf, getri and matinv, the host's in getrs and geqrf, which only
 * tell of wrong arguments. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/libraries/cublas/cublas.h"

typedef void (*Lapack)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *);

typedef enum Task { GETRF, GETRS, GETRI, MATINV, GEQRF, GELS, TRSM } Task;

typedef struct Batch {
    Task        task;
    const char *call;
    char        letter, side, fill, trans, diag;
    int         m, n, columns, lda, ldb, count;
    const void *a, *b; /* lists of pointers */
    int        *pivots, *info;
    Lapack      first, second;
    const void *alpha; /* device memory; NULL: the copy */
    _Alignas(16) unsigned char host[16];
} Batch;

static size_t element(const Batch *q)
{
    return number_bytes(number_type(q->letter));
}

static void count_up(int *pivots, int n)
{
    for (int i = 0; i < n; i++)
        pivots[i] = i + 1;
}

static void *scratch(const Batch *q, size_t elements)
{
    void *p = calloc(elements + 1, element(q));
    if (!p) {
        fprintf(stderr, "warpwright: %s: no memory for %zu elements\n", q->call, elements);
        abort();
    }
    return p;
}

/* b = inverse of a, whose factors it holds. */
static void invert(const Batch *q, const void *a, void *b, int *pivots, int *info)
{
    int n = q->n, work = 64 * n, ldb = q->ldb;
    for (int64_t j = 0; j < n; j++)
        memcpy((char *)b + (size_t)(j * ldb) * element(q), (const char *)a + (size_t)(j * q->lda) * element(q),
               (size_t)n * element(q));
    void *w = scratch(q, (size_t)work);
    q->first(&n, b, &ldb, pivots, w, &work, info, NULL, NULL, NULL, NULL);
    free(w);
}

static void getri(const Batch *q, const void *a, void *b, int i)
{
    int *own = malloc(((size_t)q->n + 1) * sizeof *own);
    if (!own)
        abort();
    if (q->pivots)
        memcpy(own, q->pivots + (size_t)i * (size_t)q->n, (size_t)q->n * sizeof *own);
    else
        count_up(own, q->n);
    invert(q, a, b, own, &q->info[i]);
    free(own);
}

static void matinv(const Batch *q, const void *a, void *b, int i)
{
    int   n = q->n, *own = malloc(((size_t)n + 1) * sizeof *own);
    void *copy = scratch(q, (size_t)n * (size_t)n);
    Batch r    = *q;
    if (!own)
        abort();
    r.lda = n > 1 ? n : 1;
    for (int64_t j = 0; j < n; j++)
        memcpy((char *)copy + (size_t)(j * n) * element(q), (const char *)a + (size_t)(j * q->lda) * element(q),
               (size_t)n * element(q));
    q->second(&n, &n, copy, &r.lda, own, &q->info[i], NULL, NULL, NULL, NULL, NULL);
    if (!q->info[i])
        invert(&r, copy, b, own, &q->info[i]);
    free(own);
    free(copy);
}

static void one(const Batch *q, int i, void *a, void *b)
{
    int  m = q->m, n = q->n, lda = q->lda, ldb = q->ldb, info = 0, work = 64 * n;
    char side = q->side, fill = q->fill, trans = q->trans, diag = q->diag;
    int *pivots = q->pivots ? q->pivots + (size_t)i * (size_t)n : NULL;
    switch (q->task) {
    case GETRF:
        if (pivots)
            q->first(&n, &n, a, &lda, pivots, &q->info[i], NULL, NULL, NULL, NULL, NULL);
        else
            q->info[i] = host_lu(number_type(q->letter), a, n, n, lda);
        break;
    case GETRS: {
        int *own = malloc(((size_t)n + 1) * sizeof *own);
        if (!own)
            abort();
        count_up(own, n);
        q->first(&trans, &n, &m, a, &lda, pivots ? pivots : own, b, &ldb, &info, NULL, NULL); /* m: right sides */
        free(own);
        break;
    }
    case GETRI: getri(q, a, b, i); break;
    case MATINV: matinv(q, a, b, i); break;
    case GEQRF: {
        void *w = scratch(q, (size_t)work);
        q->first(&m, &n, a, &lda, b, w, &work, &info, NULL, NULL, NULL);
        free(w);
        break;
    }
    case GELS: { /* q->trans: as it stands */
        int columns = q->columns, status;
        work        = 64 * (n > columns ? n : columns) + n;
        void *w     = scratch(q, (size_t)work);
        q->first(&trans, &m, &n, &columns, a, &lda, b, &ldb, w, &work, &status);
        if (q->info)
            q->info[i] = status;
        free(w);
        break;
    }
    case TRSM:
        q->first(&side, &fill, &trans, &diag, &m, &n, (void *)(uintptr_t)(q->alpha ? q->alpha : q->host), a, &lda, b,
                 &ldb);
    }
}

/* ---- memory ---- */

static LibrarySpan matrix(const Batch *q, const void *p, int ld, int rows, int columns, LibraryUse use)
{
    return (LibrarySpan){.at     = p,
                         .pitch  = (size_t)ld * element(q),
                         .width  = (size_t)rows * element(q),
                         .height = (size_t)columns,
                         .use    = use};
}

static unsigned spans(const Batch *q, const void *a, const void *b, LibrarySpan out[2])
{
    bool tall = q->task == GEQRF || q->task == GELS;
    int  rows = tall ? q->m : q->task == TRSM ? q->side == 'L' ? q->m : q->n : q->n, columns = tall ? q->n : rows;
    out[0] = matrix(q, a, q->lda, rows, columns, q->task == GETRF || tall ? LIBRARY_UPDATES : LIBRARY_READS);
    switch (q->task) {
    case GETRF: return 1;
    case GETRS: out[1] = matrix(q, b, q->ldb, q->n, q->m, LIBRARY_UPDATES); return 2;
    case GEQRF: out[1] = matrix(q, b, 0, q->m < q->n ? q->m : q->n, 1, LIBRARY_WRITES); return 2;
    case GELS: out[1] = matrix(q, b, q->ldb, q->m, q->columns, LIBRARY_UPDATES); return 2;
    case TRSM:
        out[0].part    = q->fill == 'L' ? LIBRARY_LOWER : LIBRARY_UPPER;
        out[0].element = element(q);
        out[1]         = matrix(q, b, q->ldb, q->m, q->n, LIBRARY_UPDATES);
        return 2;
    default: out[1] = matrix(q, b, q->ldb, q->n, q->n, LIBRARY_WRITES); return 2;
    }
}

static void compute(const void *args)
{
    const Batch *q = args;
    for (int i = 0; i < q->count; i++) {
        void       *a = ((void *const *)q->a)[i], *b = q->b ? ((void *const *)q->b)[i] : NULL;
        LibrarySpan s[2];
        unsigned    n = spans(q, a, b, s);
        for (unsigned k = 0; k < n; k++)
            if (!ww_cuda_library_uses(q->call, &s[k]))
                return;
        one(q, i, a, b);
        for (unsigned k = 0; k < n; k++)
            ww_cuda_library_wrote(&s[k]);
    }
}

static const struct {
    const char *first, *second;
    bool        two; /* there is a second matrix */
    LibraryUse  pivots;
} tasks[] = {[GETRF] = {"getrf", NULL, false, LIBRARY_WRITES}, [GETRS] = {"getrs", NULL, true, LIBRARY_READS},
             [GETRI] = {"getri", NULL, true, LIBRARY_READS},   [MATINV] = {"getri", "getrf", true, LIBRARY_READS},
             [GEQRF] = {"geqrf", NULL, true, LIBRARY_READS},   [GELS] = {"gels", NULL, true, LIBRARY_READS},
             [TRSM] = {"trsm", NULL, true, LIBRARY_READS}};

static Lapack routine(char letter, const char *name)
{
    char fortran[16];
    snprintf(fortran, sizeof fortran, "%c%s_", letter, name);
    return (Lapack)host_routine(fortran);
}

static Blas batch(void *handle, Batch q, int *host_info)
{
    Call c           = call_begin(handle, q.letter, q.call, "");
    bool device_info = q.task == GETRF || q.task == GETRI || q.task == MATINV || q.task == GELS;
    if (c.status)
        return c.status;
    int rows = q.task == GEQRF || q.task == GELS || (q.task == TRSM && q.side == 'L') ? q.m : q.n;
    call_refuse(&c, q.m < 0 || q.n < 0 || q.count < 0 || q.lda < (rows > 1 ? rows : 1) ||
                        (device_info ? !q.info && q.task != GELS : q.task != TRSM && !host_info));
    call_refuse(&c, q.count && (!q.a || (tasks[q.task].two && !q.b)));
    if (!c.status && host_info)
        *host_info = 0;
    if (c.status || !q.count || !q.n ||
        ((q.task == TRSM || q.task == GETRS || q.task == GEQRF || q.task == GELS) && !q.m))
        return c.status;
    q.first  = routine(q.letter, tasks[q.task].first);
    q.second = tasks[q.task].second ? routine(q.letter, tasks[q.task].second) : NULL;
    if (!q.first || (tasks[q.task].second && !q.second)) {
        ww_cuda_library_missing(q.call);
        return BLAS_NOT_SUPPORTED;
    }
    size_t list = (size_t)q.count * sizeof(void *);
    call_memory(&c, q.a, list, LIBRARY_READS);
    call_memory(&c, q.b, list, LIBRARY_READS);
    call_memory(&c, q.pivots, (size_t)q.count * (size_t)q.n * sizeof(int), tasks[q.task].pivots);
    if (q.info)
        call_memory(&c, q.info, (size_t)q.count * sizeof(int), LIBRARY_WRITES);
    call_memory(&c, q.alpha, element(&q), LIBRARY_READS);
    c.work.compute = compute;
    c.work.args    = &q;
    c.work.bytes   = sizeof q;
    return call_end(&c, false);
}

static Blas solve(void *handle, Batch q, int side, int fill, int trans, int diag, const void *alpha)
{
    const Handle *h = handle_of(handle);
    q.side          = side == SIDE_LEFT ? 'L' : side == SIDE_RIGHT ? 'R' : 0;
    q.fill          = fill == FILL_LOWER ? 'L' : fill == FILL_UPPER ? 'U' : 0;
    q.trans         = trans >= OP_N && trans <= OP_C ? "NTC"[trans] : 0;
    q.diag          = diag == DIAG_UNIT ? 'U' : diag == DIAG_NON_UNIT ? 'N' : 0;
    if (h && (!q.side || !q.fill || !q.trans || !q.diag || !alpha || q.ldb < (q.m > 1 ? q.m : 1)))
        return BLAS_INVALID_VALUE;
    if (h && h->pointer == POINTER_DEVICE)
        q.alpha = alpha;
    else if (h)
        memcpy(q.host, alpha, element(&q));
    return batch(handle, q, NULL);
}

/* ---- the functions ---- */

/* What all of them have. */
#define OF(L, l, what, name, ...)                                                                                      \
    (Batch)                                                                                                            \
    {                                                                                                                  \
        .task = what, .call = "cublas" #L name, .letter = l, .n = n, .lda = lda, .count = count, .a = a, __VA_ARGS__   \
    }

#define FUNCTIONS(L, l)                                                                                                \
    Blas cublas##L##getrfBatched(void *h, int n, const void *a, int lda, int *pivots, int *info, int count)            \
    {                                                                                                                  \
        return batch(h, OF(L, l, GETRF, "getrfBatched", .pivots = pivots, .info = info), NULL);                        \
    }                                                                                                                  \
    Blas cublas##L##getrsBatched(void *h, int trans, int n, int columns, const void *a, int lda, const int *pivots,    \
                                 const void *b, int ldb, int *info, int count)                                         \
    {                                                                                                                  \
        if (trans < OP_N || trans > OP_C || ldb < (n > 1 ? n : 1))                                                     \
            return handle_of(h) ? BLAS_INVALID_VALUE : BLAS_NOT_INITIALIZED;                                           \
        return batch(h,                                                                                                \
                     OF(L, l, GETRS, "getrsBatched", .m = columns, .ldb = ldb, .b = b, .trans = "NTC"[trans],          \
                        .pivots = (int *)(uintptr_t)pivots),                                                           \
                     info);                                                                                            \
    }                                                                                                                  \
    Blas cublas##L##getriBatched(void *h, int n, const void *a, int lda, const int *pivots, const void *b, int ldb,    \
                                 int *info, int count)                                                                 \
    {                                                                                                                  \
        if (ldb < (n > 1 ? n : 1))                                                                                     \
            return handle_of(h) ? BLAS_INVALID_VALUE : BLAS_NOT_INITIALIZED;                                           \
        return batch(                                                                                                  \
            h, OF(L, l, GETRI, "getriBatched", .ldb = ldb, .b = b, .pivots = (int *)(uintptr_t)pivots, .info = info),  \
            NULL);                                                                                                     \
    }                                                                                                                  \
    Blas cublas##L##matinvBatched(void *h, int n, const void *a, int lda, const void *b, int ldb, int *info,           \
                                  int count)                                                                           \
    {                                                                                                                  \
        if (ldb < (n > 1 ? n : 1) || n > 32) /* documented: up to 32 */                                                \
            return handle_of(h) ? BLAS_INVALID_VALUE : BLAS_NOT_INITIALIZED;                                           \
        return batch(h, OF(L, l, MATINV, "matinvBatched", .ldb = ldb, .b = b, .info = info), NULL);                    \
    }                                                                                                                  \
    Blas cublas##L##geqrfBatched(void *h, int m, int n, const void *a, int lda, const void *tau, int *info, int count) \
    {                                                                                                                  \
        return batch(h, OF(L, l, GEQRF, "geqrfBatched", .m = m, .b = tau), info);                                      \
    }                                                                                                                  \
    Blas cublas##L##gelsBatched(void *h, int trans, int m, int n, int columns_, const void *a, int lda, const void *b, \
                                int ldb, int *told, int *info, int count)                                              \
    {                                                                                                                  \
        if (trans != OP_N || m < n) /* documented: as it stands, and not underdetermined */                            \
            return !handle_of(h)                  ? BLAS_NOT_INITIALIZED                                               \
                   : trans < OP_N || trans > OP_C ? BLAS_INVALID_VALUE                                                 \
                                                  : BLAS_NOT_SUPPORTED;                                                \
        if (!told || columns_ < 0 || ldb < (m > 1 ? m : 1))                                                            \
            return handle_of(h) ? BLAS_INVALID_VALUE : BLAS_NOT_INITIALIZED;                                           \
        return batch(h,                                                                                                \
                     OF(L, l, GELS, "gelsBatched", .m = m, .columns = columns_, .ldb = ldb, .b = b, .trans = 'N',      \
                        .info = info),                                                                                 \
                     told);                                                                                            \
    }                                                                                                                  \
    Blas cublas##L##trsmBatched(void *h, int side, int fill, int trans, int diag, int m, int n, const void *alpha,     \
                                const void *a, int lda, const void *b, int ldb, int count)                             \
    {                                                                                                                  \
        return solve(h, OF(L, l, TRSM, "trsmBatched", .m = m, .ldb = ldb, .b = b), side, fill, trans, diag, alpha);    \
    }                                                                                                                  \
    Blas cublas##L##trsmBatched_64(void *h, int side, int fill, int trans, int diag, int64_t m, int64_t n,             \
                                   const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,          \
                                   int64_t count)                                                                      \
    {                                                                                                                  \
        if (m > INT_MAX || n > INT_MAX || lda > INT_MAX || ldb > INT_MAX || count > INT_MAX)                           \
            return BLAS_NOT_SUPPORTED;                                                                                 \
        return cublas##L##trsmBatched(h, side, fill, trans, diag, (int)m, (int)n, alpha, a, (int)lda, b, (int)ldb,     \
                                      (int)count);                                                                     \
    }
FUNCTIONS(S, 's')
FUNCTIONS(D, 'd')
FUNCTIONS(C, 'c')
FUNCTIONS(Z, 'z')
