/* SPDX-License-Identifier: Apache-2.0
 *
 * One piece of work of cuSOLVER: its sizes are checked, its memory is told, LAPACK's routine does it.  A row of `rows` has the routine's name for
 * real and complex types and what is read and written.  LAPACK's integers have 32 bits. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/libraries/cusolver/cusolver.h"

static const struct {
    const char *real, *complex;
    LibraryUse  a, b, values;
    bool        triangle; /* of a, only one is touched */
} rows[TASKS] = {
    [POTRF]  = {"potrf", "potrf", LIBRARY_UPDATES, 0, 0, true},
    [POTRI]  = {"potri", "potri", LIBRARY_UPDATES, 0, 0, true},
    [POTRS]  = {"potrs", "potrs", LIBRARY_READS, LIBRARY_UPDATES, 0, true},
    [GETRF]  = {"getrf", "getrf", LIBRARY_UPDATES, 0, 0, false},
    [GETRS]  = {"getrs", "getrs", LIBRARY_READS, LIBRARY_UPDATES, 0, false},
    [GEQRF]  = {"geqrf", "geqrf", LIBRARY_UPDATES, 0, LIBRARY_WRITES, false},
    [ORGQR]  = {"orgqr", "ungqr", LIBRARY_UPDATES, 0, LIBRARY_READS, false},
    [ORMQR]  = {"ormqr", "unmqr", LIBRARY_READS, LIBRARY_UPDATES, LIBRARY_READS, false},
    [GESVD]  = {"gesvd", "gesvd", LIBRARY_UPDATES, LIBRARY_WRITES, LIBRARY_WRITES, false},
    [GESVDJ] = {"gesvd", "gesvd", LIBRARY_UPDATES, LIBRARY_WRITES, LIBRARY_WRITES, false},
    [SYEVD]  = {"syevd", "heevd", LIBRARY_UPDATES, 0, LIBRARY_WRITES, true},
    [SYGVD]  = {"sygvd", "hegvd", LIBRARY_UPDATES, LIBRARY_UPDATES, LIBRARY_WRITES, true},
    [SYTRF]  = {"sytrf", "sytrf", LIBRARY_UPDATES, 0, 0, true},
    [SYTRS]  = {"sytrs", "sytrs", LIBRARY_READS, LIBRARY_UPDATES, 0, true},
    [SYTRI]  = {"sytri", "sytri", LIBRARY_UPDATES, 0, 0, true},
    [TRTRI]  = {"trtri", "trtri", LIBRARY_UPDATES, 0, 0, true},
};

typedef struct Ready { /* a job with its routine */
    Job     job;
    Routine routine;
} Ready;

static bool is_complex(const Job *j)
{
    return j->letter == 'c' || j->letter == 'z';
}

static size_t element(const Job *j)
{
    return number_bytes(number_type(j->letter));
}

static size_t real_bytes(const Job *j)
{
    return j->letter == 's' || j->letter == 'c' ? 4 : 8;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* ---- LAPACK ---- */

enum { ARGS = 18 };

/* Behind the arguments Fortran wants the lengths of texts, which are all 1. */
static void call(Routine r, void *const *at, size_t n)
{
    typedef void (*F)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                      void *, void *, void *, void *, void *, void *);
    void *x[ARGS];
    for (size_t i = 0; i < ARGS; i++)
        x[i] = i < n ? at[i] : (void *)(uintptr_t)1;
    ((F)r)(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[10], x[11], x[12], x[13], x[14], x[15], x[16],
           x[17]);
}
#define CALL(...) call(r->routine, (void *const[]){__VA_ARGS__}, sizeof((void *const[]){__VA_ARGS__}) / sizeof(void *))

/* Work space for every routine here, by LAPACK's formulas for blocks of 64. */
static size_t work_elements(const Job *j)
{
    size_t n = (size_t)most(j->n, 1), m = (size_t)most(j->m, 1), k = (size_t)most(j->k, 1), longest = m > n ? m : n;
    longest = longest > k ? longest : k;
    return (j->task == SYEVD || j->task == SYGVD ? 2 * n * n : 0) + 64 * longest + 16 * (m + n) + 64;
}

typedef struct Numbers { /* a job's, as Fortran takes them: addresses */
    int  m, n, k, lda, ldb, ldc, work, real_work, integers, type;
    char side, fill, trans, diag, jobz;
} Numbers;

/* How many singular values and vectors of an economic one are given. */
static int64_t kept(const Job *j)
{
    int64_t k = least(j->m, j->n);
    return j->rank > 0 && j->rank < k ? j->rank : k;
}

/* Rows and columns of a and of b; c is square or as wide as b is. */
static void shape(const Job *j, int64_t a[2], int64_t b[2], int64_t c[2])
{
    int64_t k       = least(j->m, j->n);
    bool    general = j->task == GETRF || j->task == GEQRF || j->task == ORGQR || j->task == GESVD || j->task == GESVDJ;
    a[0]            = general ? j->m : j->task == ORMQR ? j->side ? j->n : j->m : j->n;
    a[1]            = j->task == ORMQR ? j->k : j->n;
    b[0]            = j->task == POTRS || j->task == GETRS || j->task == SYTRS || j->task == SYGVD ? j->n : j->m;
    b[1]            = j->task == ORMQR || j->task == SYGVD ? j->n : j->k;
    c[0] = c[1] = j->n;
    if (j->task == GESVD) {
        b[1] = j->jobu == 'A' ? j->m : j->jobu == 'S' ? k : 0;
        c[0] = j->jobv == 'A' ? j->n : j->jobv == 'S' ? k : 0;
    }
    if (j->task == GESVDJ) {
        b[1] = !j->vectors ? 0 : j->rank ? kept(j) : j->economic ? k : j->m;
        c[1] = !j->vectors ? 0 : j->rank ? kept(j) : j->economic ? k : j->n;
    }
}

/* Of a single column it says nothing; OpenBLAS overflows with the largest. */
static int leading(const Matrix *x, const int64_t size[2])
{
    return (int)(size[1] <= 1 ? most(size[0], 1) : x->ld);
}

static Numbers numbers(const Job *j)
{
    int64_t a[2], b[2], c[2];
    shape(j, a, b, c);
    char t = "NTC"[j->trans >= 0 && j->trans < 3 ? j->trans : 0];
    return (Numbers){.m         = (int)j->m,
                     .n         = (int)j->n,
                     .k         = (int)j->k,
                     .lda       = leading(&j->a, a),
                     .ldb       = leading(&j->b, b),
                     .ldc       = leading(&j->c, c),
                     .work      = (int)work_elements(j),
                     .real_work = (int)(2 * j->n * j->n + 5 * j->n + 5 * j->m + 16),
                     .integers  = (int)(5 * j->n + 16),
                     .type      = j->type,
                     .side      = j->side ? 'R' : 'L',
                     .fill      = j->fill ? 'U' : 'L',
                     .trans     = t == 'C' && !is_complex(j) ? 'T' : t,
                     .diag      = j->diag ? 'U' : 'N',
                     .jobz      = j->vectors ? 'V' : 'N'};
}

static void gesvd(const Ready *r, Numbers *x, void *a, void *s, void *u, void *v, char jobu, char jobv, void *work,
                  void *reals, int *info)
{
    if (is_complex(&r->job))
        CALL(&jobu, &jobv, &x->m, &x->n, a, &x->lda, s, u, &x->ldb, v, &x->ldc, work, &x->work, reals, info);
    else
        CALL(&jobu, &jobv, &x->m, &x->n, a, &x->lda, s, u, &x->ldb, v, &x->ldc, work, &x->work, info);
}

/* The largest ones only: everything into memory of its own first. */
static void gesvd_rank(const Ready *r, Numbers *x, void *a, void *s, void *u, void *v, void *work, void *reals,
                       int *info)
{
    const Job *j = &r->job;
    size_t     e = element(j);
    int64_t    k = least(j->m, j->n), rank = kept(j);
    int        type = number_type(j->letter);
    char *uu = ww_cuda_library_memory((size_t)(j->m * k) * e), *vt = ww_cuda_library_memory((size_t)(k * j->n) * e),
         *ss    = ww_cuda_library_memory((size_t)k * real_bytes(j));
    Numbers y   = *x;
    char    job = j->vectors ? 'S' : 'N';
    y.ldb       = (int)most(j->m, 1);
    y.ldc       = (int)most(k, 1);
    if (is_complex(j))
        CALL(&job, &job, &y.m, &y.n, a, &y.lda, ss, uu, &y.ldb, vt, &y.ldc, work, &y.work, reals, info);
    else
        CALL(&job, &job, &y.m, &y.n, a, &y.lda, ss, uu, &y.ldb, vt, &y.ldc, work, &y.work, info);
    memcpy(s, ss, (size_t)rank * real_bytes(j));
    for (int64_t c = 0; j->vectors && c < rank; c++) {
        memcpy((char *)u + (size_t)(c * j->b.ld) * e, uu + (size_t)(c * j->m) * e, (size_t)j->m * e);
        for (int64_t row = 0; row < j->n; row++) {
            Number z = number_at(type, vt, row * k + c);
            number_put(type, v, c * j->c.ld + row, (Number){z.re, -z.im});
        }
    }
    free(uu);
    free(vt);
    free(ss);
}

/* V instead of its transpose: into memory of its own, and turned round. */
static void gesvdj(const Ready *r, Numbers *x, void *a, void *s, void *u, void *v, void *work, void *reals, int *info)
{
    const Job *j    = &r->job;
    int        type = number_type(j->letter);
    int64_t    k = least(j->m, j->n), height = j->economic ? k : j->n;
    if (j->rank) {
        gesvd_rank(r, x, a, s, u, v, work, reals, info);
        return;
    }
    char    job    = !j->vectors ? 'N' : j->economic ? 'S' : 'A';
    void   *turned = ww_cuda_library_memory((size_t)(j->n * j->n) * element(j));
    int     ldv    = (int)most(height, 1);
    Numbers y      = *x;
    y.ldc          = ldv;
    gesvd(r, &y, a, s, u, turned, job, job, work, reals, info);
    for (int64_t col = 0; j->vectors && col < height; col++)
        for (int64_t row = 0; row < j->n; row++) {
            Number z = number_at(type, turned, row * ldv + col);
            number_put(type, v, col * j->c.ld + row, (Number){z.re, -z.im});
        }
    free(turned);
}

static void eigenvalues(const Ready *r, Numbers *x, void *a, void *b, void *w, void *work, void *reals, int *info)
{
    int *integers = ww_cuda_library_memory((size_t)x->integers * sizeof *integers);
    if (r->job.task == SYGVD && is_complex(&r->job))
        CALL(&x->type, &x->jobz, &x->fill, &x->n, a, &x->lda, b, &x->ldb, w, work, &x->work, reals, &x->real_work,
             integers, &x->integers, info);
    else if (r->job.task == SYGVD)
        CALL(&x->type, &x->jobz, &x->fill, &x->n, a, &x->lda, b, &x->ldb, w, work, &x->work, integers, &x->integers,
             info);
    else if (is_complex(&r->job))
        CALL(&x->jobz, &x->fill, &x->n, a, &x->lda, w, work, &x->work, reals, &x->real_work, integers, &x->integers,
             info);
    else
        CALL(&x->jobz, &x->fill, &x->n, a, &x->lda, w, work, &x->work, integers, &x->integers, info);
    free(integers);
}

/* Those that are asked for to the front, with their vectors.  They stand in ascending order. */
static void choose(const Job *j, void *a, void *w)
{
    int64_t first = 0, last = j->n;
    int     type = real_bytes(j) == 4 ? R_32F : R_64F;
    if (j->range == RANGE_NUMBERS) {
        first = j->first - 1;
        last  = j->last;
    } else if (j->range == RANGE_VALUES) {
        while (first < j->n && number_at(type, w, first).re <= j->low)
            first++;
        while (last > first && number_at(type, w, last - 1).re > j->high)
            last--;
    }
    memmove(w, (char *)w + (size_t)first * real_bytes(j), (size_t)(last - first) * real_bytes(j));
    for (int64_t i = first; j->vectors && first && i < last; i++)
        memcpy((char *)a + (size_t)((i - first) * j->a.ld) * element(j), (char *)a + (size_t)(i * j->a.ld) * element(j),
               (size_t)j->n * element(j));
    if (j->found)
        *j->found = last - first;
}

/* Pivots of 32 bits from or to the job's. */
static int narrow(int64_t n)
{
    return n >= INT_MIN && n <= INT_MAX ? (int)n : 0; /* no pivot */
}

static void pivots_of(const Job *j, int *own, int64_t n, bool back)
{
    for (int64_t i = 0; i < n; i++)
        if (!j->pivots)
            own[i] = (int)i + 1;
        else if (back && j->wide)
            ((int64_t *)j->pivots)[i] = own[i];
        else if (back)
            ((int *)j->pivots)[i] = own[i];
        else
            own[i] = j->wide ? narrow(((int64_t *)j->pivots)[i]) : ((int *)j->pivots)[i];
}

/* Are they ones that a factorisation gives?  A negative one is of a square of two rows, which the other has as well. */
static bool pivots_fit(const Job *j, const int *own, int64_t n)
{
    bool upper = j->task != GETRS && j->fill;
    for (int64_t done = 0; done < n; done++) {
        int pivot = own[upper ? n - 1 - done : done];
        if (!pivot || pivot > n || pivot < -n)
            return false;
        if (pivot > 0)
            continue;
        int other = j->task != GETRS && ++done < n ? own[upper ? n - 1 - done : done] : 1;
        if (other >= 0 || other < -n)
            return false;
    }
    return true;
}

static bool reads_pivots(const Job *j)
{
    return j->task == GETRS || j->task == SYTRS || j->task == SYTRI;
}

/* What is wrong with pivots is said as LAPACK says it of an argument: less than 0. */
static void with_pivots(const Ready *r, Numbers *x, void *a, void *b, void *work, int *info)
{
    const Job *j   = &r->job;
    int64_t    n   = j->task == GETRF ? least(j->m, j->n) : j->n;
    int       *own = ww_cuda_library_memory((size_t)n * sizeof *own);
    if (reads_pivots(j))
        pivots_of(j, own, n, false);
    if (reads_pivots(j) && !pivots_fit(j, own, n))
        *info = j->task == SYTRI ? -5 : -6;
    else if (j->task == GETRS)
        CALL(&x->trans, &x->n, &x->k, a, &x->lda, own, b, &x->ldb, info);
    else if (j->task == SYTRS)
        CALL(&x->fill, &x->n, &x->k, a, &x->lda, own, b, &x->ldb, info);
    else if (j->task == SYTRI)
        CALL(&x->fill, &x->n, a, &x->lda, own, work, info);
    else if (j->task == SYTRF)
        CALL(&x->fill, &x->n, a, &x->lda, own, work, &x->work, info);
    else
        CALL(&x->m, &x->n, a, &x->lda, own, info);
    if (!reads_pivots(j) && j->pivots)
        pivots_of(j, own, n, true);
    free(own);
}

static void run(const Ready *r, void *a, void *b, void *c, void *values, int *info)
{
    const Job *j    = &r->job;
    Numbers    x    = numbers(j);
    void      *work = ww_cuda_library_memory(work_elements(j) * element(j)),
         *reals     = ww_cuda_library_memory((size_t)x.real_work * real_bytes(j));
    switch (j->task) {
    case POTRF:
    case POTRI: CALL(&x.fill, &x.n, a, &x.lda, info); break;
    case POTRS: CALL(&x.fill, &x.n, &x.k, a, &x.lda, b, &x.ldb, info); break;
    case GETRF:
        if (!j->pivots) {
            *info = host_lu(number_type(j->letter), a, j->m, j->n, j->a.ld);
            break;
        } /* fall through */
    case GETRS:
    case SYTRS:
    case SYTRI: with_pivots(r, &x, a, b, work, info); break;
    case SYTRF:
        if (!j->pivots) {
            *info = host_ldl(number_type(j->letter), a, j->fill, j->n, j->a.ld);
            break;
        }
        with_pivots(r, &x, a, b, work, info);
        break;
    case GEQRF: CALL(&x.m, &x.n, a, &x.lda, values, work, &x.work, info); break;
    case ORGQR: CALL(&x.m, &x.n, &x.k, a, &x.lda, values, work, &x.work, info); break;
    case ORMQR: CALL(&x.side, &x.trans, &x.m, &x.n, &x.k, a, &x.lda, values, b, &x.ldb, work, &x.work, info); break;
    case GESVD: gesvd(r, &x, a, values, b, c, (char)j->jobu, (char)j->jobv, work, reals, info); break;
    case GESVDJ: gesvdj(r, &x, a, values, b, c, work, reals, info); break;
    case TRTRI: CALL(&x.fill, &x.diag, &x.n, a, &x.lda, info); break;
    default:
        eigenvalues(r, &x, a, b, values, work, reals, info);
        if (j->range && !*info)
            choose(j, a, values);
    }
    free(work);
    free(reals);
}

/* ---- memory ---- */

static LibrarySpan matrix(const Job *j, const void *p, int64_t ld, int64_t rows_, int64_t columns, LibraryUse use)
{
    return (LibrarySpan){.at     = p,
                         .pitch  = (size_t)ld * element(j),
                         .width  = (size_t)rows_ * element(j),
                         .height = (size_t)columns,
                         .use    = use};
}

static unsigned spans(const Job *j, const void *a, const void *b, const void *c, const void *values, LibrarySpan out[4])
{
    int64_t  sa[2], sb[2], sc[2], n = least(most(j->m, j->task == SYEVD || j->task == SYGVD ? j->n : 0), j->n);
    unsigned used = 0;
    shape(j, sa, sb, sc);
    out[used] = matrix(j, a, j->a.ld, sa[0], sa[1], rows[j->task].a);
    if (rows[j->task].triangle) {
        out[used].part    = j->fill ? LIBRARY_UPPER : LIBRARY_LOWER;
        out[used].element = element(j);
        if (j->vectors) { /* they stand in the whole of it */
            out[used].use = LIBRARY_READS;
            out[++used]   = matrix(j, a, j->a.ld, sa[0], sa[1], LIBRARY_WRITES);
        }
    }
    used++;
    if (rows[j->task].b && sb[0] && sb[1]) {
        out[used] = matrix(j, b, j->b.ld, sb[0], sb[1], rows[j->task].b);
        if (j->task == SYGVD) {
            out[used].part    = j->fill ? LIBRARY_UPPER : LIBRARY_LOWER;
            out[used].element = element(j);
        }
        used++;
    }
    if ((j->task == GESVD || j->task == GESVDJ) && sc[0] && sc[1] && used < 4)
        out[used++] = matrix(j, c, j->c.ld, sc[0], sc[1], LIBRARY_WRITES);
    if (rows[j->task].values && used < 4) {
        bool   real = j->task >= GESVD;
        size_t size = (size_t)(j->task == ORGQR || j->task == ORMQR ? j->k
                               : j->rank                            ? kept(j)
                                                                    : n) *
                      (real ? real_bytes(j) : element(j));
        out[used++] = (LibrarySpan){.at = values, .width = size, .height = 1, .use = rows[j->task].values};
    }
    return used;
}

static void *item(const Job *j, const Matrix *x, int64_t i, size_t bytes)
{
    if (j->pointers && x->p && (x == &j->a || x == &j->b))
        return ((void **)x->p)[i];
    return x->p ? (char *)x->p + (size_t)(x->stride * i) * bytes : NULL;
}

static void compute(const void *args)
{
    const Ready *r = args;
    const Job   *j = &r->job;
    for (int64_t i = 0; i < j->count; i++) {
        void *a = item(j, &j->a, i, element(j)), *b = item(j, &j->b, i, element(j)), *c = item(j, &j->c, i, element(j)),
             *values = item(j, &j->values, i, j->task >= GESVD ? real_bytes(j) : element(j));
        LibrarySpan s[5];
        int         info = 0;
        unsigned    n    = spans(j, a, b, c, values, s);
        for (unsigned k = 0; k < n; k++)
            if (!ww_cuda_library_uses(j->call, &s[k]))
                return;
        run(r, a, b, c, values, &info);
        for (unsigned k = 0; k < n; k++)
            ww_cuda_library_wrote(&s[k]);
        j->info[j->task == POTRS ? 0 : i] = info; /* potrsBatched has one for all */
    }
}

/* ---- what is asked for ---- */

static bool fits(const Matrix *x, int64_t high, int64_t wide)
{
    return !high || !wide || (x->p && x->ld >= high);
}

static Sol check(const Job *j)
{
    int64_t a[2], b[2], c[2];
    if (j->m < 0 || j->n < 0 || j->k < 0 || j->count < 0 || !j->info || j->a.ld < 1 || j->side < 0 || j->side > 1 ||
        j->fill < 0 || j->fill > 1 || j->trans < 0 || j->trans > 2)
        return SOL_INVALID_VALUE;
    shape(j, a, b, c);
    bool three = j->task == GESVD || j->task == GESVDJ;
    if (!fits(&j->a, a[0], a[1]) || (rows[j->task].b && !fits(&j->b, b[0], b[1])) ||
        (three && !fits(&j->c, c[0], c[1])))
        return SOL_INVALID_VALUE;
    if (j->range &&
        (j->range < RANGE_ALL || j->range > RANGE_VALUES || (j->range == RANGE_VALUES && !(j->low < j->high)) ||
         (j->range == RANGE_NUMBERS && j->n && (j->first < 1 || j->last < j->first || j->last > j->n))))
        return SOL_INVALID_VALUE;
    if (j->rank < 0 || (j->rank && j->rank > least(j->m, j->n)))
        return SOL_INVALID_VALUE;
    if (j->task == GESVD && j->m < j->n) /* documented */
        return SOL_INVALID_VALUE;
    if ((rows[j->task].values && !j->values.p && j->n) || (j->task == SYGVD && (j->type < 1 || j->type > 3)))
        return SOL_INVALID_VALUE;
    const int64_t all[] = {j->m, j->n, j->k, j->a.ld, j->b.ld, j->c.ld, (int64_t)work_elements(j)};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] > INT_MAX)
            return SOL_NOT_SUPPORTED;
    return SOL_SUCCESS;
}

Sol job_do(void *handle, const Job *given)
{
    const Handle *h = handle_of(handle);
    if (!h)
        return SOL_NOT_INITIALIZED;
    Ready r = {.job = *given};
    Job  *j = &r.job;
    if (j->b.ld < 1) /* not wanted */
        j->b.ld = 1;
    if (j->c.ld < 1)
        j->c.ld = 1;
    Sol e = check(j);
    if (e != SOL_SUCCESS)
        return e;
    char name[16];
    snprintf(name, sizeof name, "%c%s_", j->letter, is_complex(j) ? rows[j->task].complex : rows[j->task].real);
    r.routine = host_routine(name);
    if (!r.routine) {
        ww_cuda_library_missing(j->call);
        return SOL_NOT_SUPPORTED;
    }
    LibraryWork w = {
        .library = "cuSOLVER", .call = j->call, .by = host_file(), .compute = compute, .args = &r, .bytes = sizeof r};
    size_t n           = (size_t)j->count * sizeof(void *);
    w.span[w.nspans++] = (LibrarySpan){.at     = j->info,
                                       .width  = (j->task == POTRS ? 1 : (size_t)j->count) * sizeof *j->info,
                                       .height = 1,
                                       .use    = LIBRARY_WRITES};
    if (j->pointers) {
        w.span[w.nspans++] = (LibrarySpan){.at = j->a.p, .width = n, .height = 1, .use = LIBRARY_READS};
        if (rows[j->task].b)
            w.span[w.nspans++] = (LibrarySpan){.at = j->b.p, .width = n, .height = 1, .use = LIBRARY_READS};
    }
    if (j->pivots) {
        size_t pivots      = (size_t)(j->task == GETRF ? least(j->m, j->n) : j->n) * (j->wide ? 8 : 4);
        w.span[w.nspans++] = (LibrarySpan){
            .at = j->pivots, .width = pivots, .height = 1, .use = reads_pivots(j) ? LIBRARY_READS : LIBRARY_WRITES};
    }
    return ww_cuda_library_do(h->stream, &w) ? SOL_SUCCESS : SOL_EXECUTION_FAILED;
}

Sol job_range(void *handle, Job j, int *found, int64_t *found64)
{
    const Handle *h = handle_of(handle);
    int64_t       n = 0;
    if (h && !found && !found64)
        return SOL_INVALID_VALUE;
    j.found = &n;
    if (h && !ww_cuda_library_wait(h->stream)) /* also where a graph is captured */
        return SOL_EXECUTION_FAILED;
    Sol e = job_do(handle, &j);
    if (e)
        return e;
    if (!ww_cuda_library_wait(h->stream))
        return SOL_EXECUTION_FAILED;
    if (found)
        *found = (int)n;
    else
        *found64 = n;
    return SOL_SUCCESS;
}
