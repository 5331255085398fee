/* SPDX-License-Identifier: Apache-2.0
 *
 * Sparse factors over CXSparse (SuiteSparse; Debian: libcxsparse3), which is loaded when one is first wanted.  A matrix by rows becomes one by columns, with
 * its rows and columns in the given order.
 *
 * CXSparse does not say at which pivot a factor fails.  Cholesky's is found by halving: the leading k rows and columns have a factor exactly if the first
 * k pivots are positive.  LU's is the first column that depends on those before it, which QR shows. */
#include "cuda/libraries/cusolver/direct.h"

#include <dlfcn.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const files[] = {"libcxsparse.so.3", "libcxsparse.so.4"};

/* result, name, parameters */
#define ROUTINES(R)                                                                                                    \
    R(CxMatrix *, spalloc, (int m, int n, int nzmax, int values, int triplet))                                         \
    R(CxMatrix *, spfree, (CxMatrix *))                                                                                \
    R(CxMatrix *, compress, (const CxMatrix *))                                                                        \
    R(int, dupl, (CxMatrix *))                                                                                         \
    R(CxMatrix *, permute, (const CxMatrix *, const int *pinv, const int *q, int values))                              \
    R(CxSymbolic *, sqr, (int order, const CxMatrix *, int qr))                                                        \
    R(CxSymbolic *, schol, (int order, const CxMatrix *))                                                              \
    R(CxNumeric *, qr, (const CxMatrix *, const CxSymbolic *))                                                         \
    R(CxNumeric *, chol, (const CxMatrix *, const CxSymbolic *))                                                       \
    R(CxNumeric *, lu, (const CxMatrix *, const CxSymbolic *, double threshold))                                       \
    R(CxSymbolic *, sfree, (CxSymbolic *))                                                                             \
    R(CxNumeric *, nfree, (CxNumeric *))                                                                               \
    R(int, happly, (const CxMatrix *, int column, double beta, Number *x))                                             \
    R(int, ipvec, (const int *p, const Number *b, Number *x, int n))                                                   \
    R(int, lsolve, (const CxMatrix *, Number *x))                                                                      \
    R(int, ltsolve, (const CxMatrix *, Number *x))                                                                     \
    R(int, usolve, (const CxMatrix *, Number *x))                                                                      \
    R(int *, amd, (int order, const CxMatrix *))                                                                       \
    R(int *, maxtrans, (const CxMatrix *, int seed))                                                                   \
    R(void *, free, (void *))

static struct {
#define MEMBER(result, name, parameters) result(*name) parameters;
    ROUTINES(MEMBER)
} cx;
static const char    *file;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool look_up(void *library)
{
    bool all = true;
#define LOOK(result, name, parameters) all = (*(void **)&cx.name = dlsym(library, "cs_ci_" #name)) && all;
    ROUTINES(LOOK)
    return all;
}

static void load(void)
{
    for (size_t i = 0; i < sizeof files / sizeof *files && !file; i++) {
        void *library = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
        if (library && look_up(library))
            file = files[i];
    }
    if (!file)
        fprintf(stderr,
                "warpwright: the program solves sparse systems with cuSOLVER, which needs CXSparse of the host here: "
                "install it (Debian: libcxsparse3)\n");
}

const char *direct_file(void)
{
    pthread_once(&once, load);
    return file;
}

bool direct_rows_good(const Rows *a)
{
    bool good =
        a->nonzeros <= INT_MAX / 2 - a->n && a->offsets[0] == a->base && a->offsets[a->m] - a->base == a->nonzeros;
    for (int i = 0; i < a->m && good; i++)
        good = a->offsets[i] <= a->offsets[i + 1] && a->offsets[i] >= a->base;
    for (int k = 0; k < a->nonzeros && good; k++)
        good = a->columns[k] >= a->base && a->columns[k] - a->base < a->n;
    return good;
}

/* ---- by columns ---- */

static void add(CxMatrix *t, int row, int column, Number x)
{
    t->i[t->nz]   = row;
    t->p[t->nz]   = column;
    t->x[t->nz++] = x;
}

/* NULL: no memory.  `half`: of a matrix that is its own conjugate transpose, of which the lower triangle is read, the upper one. */
static CxMatrix *columns_of(const Rows *a, const int *order, bool half, Number shift)
{
    bool      shifted = shift.re != 0 || shift.im != 0;
    int      *to      = order ? ww_cuda_library_memory((size_t)a->n * sizeof *to) : NULL;
    CxMatrix *t       = cx.spalloc(a->m, a->n, a->nonzeros + (shifted ? a->n : 0), 1, 1), *c;
    for (int k = 0; to && k < a->n; k++)
        to[order[k]] = k;
    for (int i = 0; t && i < a->m; i++)
        for (int k = a->offsets[i] - a->base; k < a->offsets[i + 1] - a->base; k++) {
            int    j = a->columns[k] - a->base, row = to ? to[i] : i, column = to ? to[j] : j;
            Number x = a->values ? number_at(a->type, a->values, k) : (Number){1, 0};
            if (half && j > i)
                continue;
            if (half && row > column)
                add(t, column, row, (Number){x.re, -x.im});
            else
                add(t, row, column, x);
        }
    for (int i = 0; t && shifted && i < a->n; i++)
        add(t, i, i, (Number){-shift.re, -shift.im});
    c = t ? cx.compress(t) : NULL;
    if (c && !cx.dupl(c))
        c = cx.spfree(c);
    cx.spfree(t);
    free(to);
    return c;
}

int *order_amd(const Rows *a)
{
    CxMatrix *c = columns_of(a, NULL, false, (Number){0, 0});
    int      *p = c ? cx.amd(1, c) : NULL, *out = ww_cuda_library_memory((size_t)a->n * sizeof *out);
    for (int i = 0; i < a->n; i++)
        out[i] = p ? p[i] : i;
    cx.free(p);
    cx.spfree(c);
    return out;
}

int order_diagonal(const Rows *a, int *rows)
{
    CxMatrix *c     = columns_of(a, NULL, false, (Number){0, 0});
    int      *match = c ? cx.maxtrans(c, 0) : NULL, found = 0;
    char     *taken = ww_cuda_library_memory((size_t)a->m);
    for (int j = 0; j < a->n; j++) {
        rows[j] = match ? match[a->m + j] : -1;
        if (rows[j] >= 0)
            taken[rows[j]] = 1, found++;
    }
    for (int j = 0, spare = 0; j < a->n; j++)
        if (rows[j] < 0) {
            while (spare < a->m - 1 && taken[spare])
                spare++;
            taken[rows[j] = spare] = 1;
        }
    cx.free(match);
    cx.spfree(c);
    free(taken);
    return found;
}

/* ---- factors ---- */

static double size_of(Number x)
{
    return hypot(x.re, x.im);
}

/* Element j of the diagonal of R, U or L. */
static double diagonal(const Direct *d, const CxNumeric *f, int j)
{
    const CxMatrix *m = d->way == WAY_CHOLESKY ? f->l : f->u;
    return size_of(m->x[d->way == WAY_CHOLESKY ? m->p[j] : m->p[j + 1] - 1]);
}

static int failed_cholesky(const CxMatrix *c)
{
    int good = 0, bad = c->n; /* the first `good` pivots are positive, the first `bad` are not all */
    while (bad - good > 1) {
        int         k       = good + (bad - good) / 2;
        CxMatrix    lead    = {c->nzmax, k, k, c->p, c->i, c->x, -1};
        CxSymbolic *s       = cx.schol(0, &lead);
        CxNumeric  *f       = s ? cx.chol(&lead, s) : NULL;
        *(f ? &good : &bad) = k;
        cx.nfree(f);
        cx.sfree(s);
    }
    return bad - 1;
}

static int failed_lu(const Direct *d, const CxMatrix *c)
{
    CxMatrix   *p    = cx.permute(c, NULL, d->s ? d->s->q : NULL, 1);
    CxSymbolic *s    = p ? cx.sqr(0, p, 1) : NULL;
    CxNumeric  *f    = s ? cx.qr(p, s) : NULL;
    double      most = 0, least = INFINITY;
    int         at = 0;
    for (int j = 0; f && j < d->n; j++)
        most = fmax(most, diagonal(d, f, j));
    for (int j = 0; f && j < d->n; j++) {
        double x = diagonal(d, f, j);
        if (x < least)
            least = x, at = j;
        if (x <= most * d->n * DBL_EPSILON)
            break;
    }
    cx.nfree(f);
    cx.sfree(s);
    cx.spfree(p);
    return at;
}

Direct direct_factor(Way way, const Rows *a, int *order, bool spares, double threshold, Number shift)
{
    Direct    d = {.way = way, .m = a->m, .n = a->n, .order = order, .pivot = -1};
    CxMatrix *c = columns_of(a, order, way == WAY_CHOLESKY, shift);
    if (c)
        d.s = way == WAY_CHOLESKY ? cx.schol(0, c) : cx.sqr(spares ? 2 : 0, c, way == WAY_QR);
    if (d.s)
        d.f = way == WAY_QR ? cx.qr(c, d.s) : way == WAY_LU ? cx.lu(c, d.s, threshold) : cx.chol(c, d.s);
    if (!d.f && c)
        d.pivot = way == WAY_CHOLESKY ? failed_cholesky(c) : way == WAY_LU ? failed_lu(&d, c) : 0;
    cx.spfree(c);
    return d;
}

int direct_pivot(const Direct *d, double tolerance)
{
    if (d->pivot >= 0 || !d->f)
        return d->pivot < 0 ? 0 : d->pivot;
    for (int j = 0; j < d->n; j++)
        if (!(diagonal(d, d->f, j) > fmax(tolerance, 0)))
            return j;
    return -1;
}

void direct_solve(const Direct *d, const Number *b, Number *x)
{
    int     room = d->way == WAY_QR && d->s->m2 > d->m ? d->s->m2 : d->m;
    Number *w = ww_cuda_library_memory((size_t)room * sizeof *w), *y = ww_cuda_library_memory((size_t)room * sizeof *y);
    for (int i = 0; i < d->m; i++)
        w[i] = b[d->order ? d->order[i] : i];
    if (d->way == WAY_QR) {
        cx.ipvec(d->s->pinv, w, y, d->m);
        for (int k = 0; k < d->n; k++)
            cx.happly(d->f->l, k, d->f->beta[k], y);
    } else {
        cx.ipvec(d->way == WAY_LU ? d->f->pinv : NULL, w, y, d->n);
        cx.lsolve(d->f->l, y);
    }
    if (d->way == WAY_CHOLESKY)
        cx.ltsolve(d->f->l, y);
    else
        cx.usolve(d->f->u, y);
    cx.ipvec(d->way == WAY_CHOLESKY ? NULL : d->s->q, y, w, d->n);
    for (int i = 0; i < d->n; i++)
        x[d->order ? d->order[i] : i] = w[i];
    free(w);
    free(y);
}

void direct_end(Direct *d)
{
    if (file) {
        cx.nfree(d->f);
        cx.sfree(d->s);
    }
    free(d->order);
    *d = (Direct){0};
}
