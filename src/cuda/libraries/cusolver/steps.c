/* SPDX-License-Identifier: Apache-2.0
 *
 * cusolverSp in steps: the structure is looked at, the matrix factored and systems solved by functions of their own, whose state lies in an info: QR and
 * Cholesky for the device's memory and for the host's, LU for the host's, and QR of many matrices of one structure.
 *
 * An info keeps a copy of the matrix from the step that has its values on.  Buffers are not used: their sizes are the least that can be
 * allocated.  A step before the one that it needs answers CUSOLVER_STATUS_INVALID_VALUE. */
#include "cuda/libraries/cusolver/direct.h"

#include <stdlib.h>
#include <string.h>

static const char infos;

typedef struct Info {
    Way    way;
    bool   device, analysed, given, factored;
    int    m, n, nonzeros, type;
    Number shift;
    int   *offsets, *columns; /* the info's own, from 0 */
    void  *values;
    Direct direct;
} Info;

static Info *info_of(const void *p, Way way, bool device)
{
    Info *i = ww_cuda_library_has(&infos, p) ? (void *)(uintptr_t)p : NULL;
    return i && i->way == way && i->device == device ? i : NULL;
}

static void forget(Info *i)
{
    direct_end(&i->direct);
    free(i->offsets);
    free(i->columns);
    free(i->values);
    *i = (Info){.way = i->way, .device = i->device};
}

static Sol destroy(void *p, Way way, bool device)
{
    if (!info_of(p, way, device))
        return p ? SOL_INVALID_VALUE : SOL_SUCCESS;
    forget(p);
    return object_drop(&infos, p);
}

#define INFO(Name, WAY, DEVICE)                                                                                        \
    Sol cusolverSpCreate##Name(void **out)                                                                             \
    {                                                                                                                  \
        return object_new(&infos, out, &(Info){.way = WAY, .device = DEVICE}, sizeof(Info));                           \
    }                                                                                                                  \
    Sol cusolverSpDestroy##Name(void *p)                                                                               \
    {                                                                                                                  \
        return destroy(p, WAY, DEVICE);                                                                                \
    }
INFO(CsrqrInfo, WAY_QR, true)
INFO(CsrqrInfoHost, WAY_QR, false)
INFO(CsrcholInfo, WAY_CHOLESKY, true)
INFO(CsrcholInfoHost, WAY_CHOLESKY, false)
INFO(CsrluInfoHost, WAY_LU, false)

/* ---- steps ---- */

typedef enum Step { STEP_ANALYSIS, STEP_VALUES, STEP_FACTOR, STEP_SOLVE, STEP_BATCH } Step;

typedef struct Call {
    SparseWork  work;
    Step        step;
    Way         way;
    Rows        a;
    void       *info;
    Number      shift;
    double      threshold;
    const void *b;
    void       *x;
    int         count; /* systems */
    bool        good;
} Call;

static Rows rows_of(const Info *i)
{
    return (Rows){i->m, i->n, i->nonzeros, 0, i->type, i->values, i->offsets, i->columns};
}

static void take_structure(Info *i, const Rows *a)
{
    forget(i);
    i->m        = a->m;
    i->n        = a->n;
    i->nonzeros = a->nonzeros;
    i->offsets  = ww_cuda_library_memory(((size_t)a->m + 1) * sizeof(int));
    i->columns  = ww_cuda_library_memory((size_t)a->nonzeros * sizeof(int));
    for (int k = 0; k <= a->m; k++)
        i->offsets[k] = a->offsets[k] - a->base;
    for (int k = 0; k < a->nonzeros; k++)
        i->columns[k] = a->columns[k] - a->base;
    i->analysed = true;
}

static void take_values(Info *i, const Call *c)
{
    size_t bytes = (size_t)c->a.nonzeros * number_bytes(c->a.type);
    free(i->values);
    i->values = ww_cuda_library_memory(bytes);
    memcpy(i->values, c->a.values, bytes);
    i->type     = c->a.type;
    i->shift    = c->shift;
    i->given    = true;
    i->factored = false;
}

static void factor(Info *i, const Call *c)
{
    Rows a = rows_of(i);
    direct_end(&i->direct);
    i->direct   = direct_factor(i->way, &a, NULL, i->way == WAY_LU, c->threshold, i->shift);
    i->factored = true;
}

static void solve(const Direct *d, const Call *c, int type, int number)
{
    size_t  element = number_bytes(type);
    Number *b       = sparse_numbers(type, (const char *)c->b + (size_t)number * (size_t)d->m * element, d->m),
           *x       = ww_cuda_library_memory((size_t)d->n * sizeof *x);
    if (d->f)
        direct_solve(d, b, x);
    sparse_put(type, (char *)c->x + (size_t)number * (size_t)d->n * element, x, d->n);
    free(b);
    free(x);
}

static void batch(Info *i, const Call *c)
{
    Rows a = rows_of(i);
    a.type = c->a.type;
    for (int k = 0; k < c->count; k++) {
        a.values = (const char *)c->a.values + (size_t)k * (size_t)a.nonzeros * number_bytes(a.type);
        Direct d = direct_factor(WAY_QR, &a, NULL, true, 1, (Number){0, 0});
        solve(&d, c, a.type, k);
        direct_end(&d);
    }
}

static void compute(void *args)
{
    Call *c = args;
    Info *i = c->info;
    c->good = c->step != STEP_ANALYSIS || direct_rows_good(&c->a);
    if (c->good && c->step == STEP_ANALYSIS)
        take_structure(i, &c->a);
    if (c->good && c->a.values && c->step != STEP_BATCH)
        take_values(i, c);
    if (c->step == STEP_FACTOR)
        factor(i, c);
    if (c->step == STEP_BATCH)
        batch(i, c);
    else if (c->x)
        solve(&i->direct, c, i->type, 0);
    c->work.writes = c->x != NULL;
}

/* Does it fit what the info has? */
static bool fits(const Call *c, const Info *i)
{
    if (c->step == STEP_ANALYSIS)
        return c->a.m > 0 && c->a.n > 0 && c->a.nonzeros > 0 && c->a.offsets && c->a.columns;
    bool same = i->analysed && c->a.m == i->m && c->a.n == i->n;
    if (c->step == STEP_SOLVE)
        return same && i->factored && i->type == c->a.type && c->b && c->x;
    same = same && c->a.nonzeros == i->nonzeros && !c->b == !c->x;
    if (c->step == STEP_FACTOR && i->way == WAY_QR)
        return same && i->given && i->type == c->a.type;
    return same && c->a.values && (c->step != STEP_BATCH || (c->count > 0 && c->b && c->x));
}

static Sol call(void *handle, const void *descriptor, Call c)
{
    const Handle *h = sparse_handle(handle);
    const Info   *i = info_of(c.info, c.way, c.work.device);
    if (!h)
        return SOL_NOT_INITIALIZED;
    if (!i || !fits(&c, i))
        return SOL_INVALID_VALUE;
    Sol    e       = c.a.offsets ? sparse_describe(descriptor, &c.a) : SOL_SUCCESS;
    size_t element = number_bytes(c.a.type), count = c.count ? (size_t)c.count : 1;
    if (c.step == STEP_ANALYSIS)
        sparse_reads_rows(&c.work, &c.a);
    else if (c.a.values)
        sparse_reads(&c.work, c.a.values, count * (size_t)c.a.nonzeros * element);
    if (c.b) {
        sparse_reads(&c.work, c.b, count * (size_t)c.a.m * element);
        c.work.wrote       = c.x;
        c.work.wrote_bytes = count * (size_t)c.a.n * element;
    }
    c.work.compute = compute;
    c.work.args    = &c;
    if (!e)
        e = sparse_do(h, &c.work);
    return e ? e : c.good ? SOL_SUCCESS : SOL_INVALID_VALUE;
}

static Sol room(void *handle, const void *info, Way way, bool device, size_t *inside, size_t *work)
{
    if (!sparse_handle(handle))
        return SOL_NOT_INITIALIZED;
    if (!info_of(info, way, device) || !info_of(info, way, device)->analysed || !inside || !work)
        return SOL_INVALID_VALUE;
    *inside = *work = 16;
    return SOL_SUCCESS;
}

static Sol pivot(void *handle, const void *info, Way way, bool device, double tolerance, int *position)
{
    const Info *i = info_of(info, way, device);
    if (!sparse_handle(handle))
        return SOL_NOT_INITIALIZED;
    if (!i || !i->factored || !position)
        return SOL_INVALID_VALUE;
    *position = direct_pivot(&i->direct, tolerance);
    return SOL_SUCCESS;
}

/* The diagonal of Cholesky's factor, which is real. */
typedef struct Diagonal {
    SparseWork    work;
    const Direct *direct;
    int           type;
    void         *out;
} Diagonal;

static void put_diagonal(void *args)
{
    Diagonal       *d = args;
    const CxMatrix *l = d->direct->f->l;
    for (int j = 0; j < d->direct->n; j++)
        number_put(d->type, d->out, j, l->x[l->p[j]]);
    d->work.writes = true;
}

static Sol diagonal(void *handle, const char *name, const void *info, int type, int real, void *out)
{
    const Handle *h = sparse_handle(handle);
    const Info   *i = info_of(info, WAY_CHOLESKY, true);
    if (!h)
        return SOL_NOT_INITIALIZED;
    if (!i || !i->factored || i->type != type || !out)
        return SOL_INVALID_VALUE;
    if (i->direct.pivot >= 0 || !i->direct.f)
        return (Sol)SOL_ZERO_PIVOT;
    Diagonal d         = {.work   = {.call = name, .device = true, .compute = put_diagonal},
                          .direct = &i->direct,
                          .type   = real,
                          .out    = out};
    d.work.args        = &d;
    d.work.wrote       = out;
    d.work.wrote_bytes = (size_t)i->n * number_bytes(real);
    return sparse_do(h, &d.work);
}

#define DIAGONAL(L, T, R)                                                                                              \
    Sol cusolverSp##L##csrcholDiag(void *h, void *info, void *out)                                                     \
    {                                                                                                                  \
        return diagonal(h, "cusolverSp" #L "csrcholDiag", info, T, R, out);                                            \
    }
DIAGONAL(S, R_32F, R_32F)
DIAGONAL(D, R_64F, R_64F)
DIAGONAL(C, C_32F, R_32F)
DIAGONAL(Z, C_64F, R_64F)

/* ---- QR ---- */

#define MATRIX const void *d, const void *values, const int *offsets, const int *columns

static Sol analyse(void *handle, const char *name, Way way, bool device, const void *descriptor, Rows a, void *info)
{
    return call(
        handle, descriptor,
        (Call){.work = {.call = name, .device = device}, .step = STEP_ANALYSIS, .way = way, .a = a, .info = info});
}

#define ANALYSE(name, DEVICE)                                                                                          \
    Sol cusolverSp##name(void *h, int m, int n, int nonzeros, const void *d, const int *offsets, const int *columns,   \
                         void *info)                                                                                   \
    {                                                                                                                  \
        return analyse(h, "cusolverSp" #name, WAY_QR, DEVICE, d,                                                       \
                       (Rows){m, n, nonzeros, 0, R_64F, NULL, offsets, columns}, info);                                \
    }
ANALYSE(XcsrqrAnalysis, true)
ANALYSE(XcsrqrAnalysisHost, false)
ANALYSE(XcsrqrAnalysisBatched, true)

#define PIVOT(L, Real, name, WAY, DEVICE)                                                                              \
    Sol cusolverSp##L##name(void *h, void *info, Real tolerance, int *position)                                        \
    {                                                                                                                  \
        return pivot(h, info, WAY, DEVICE, tolerance, position);                                                       \
    }

#define QR(L, T, Real, Value, HOST, DEVICE)                                                                            \
    Sol cusolverSp##L##csrqrBufferInfo##HOST(void *h, int m, int n, int nonzeros, MATRIX, void *info, size_t *inside,  \
                                             size_t *work)                                                             \
    {                                                                                                                  \
        (void)m, (void)n, (void)nonzeros, (void)d, (void)values, (void)offsets, (void)columns;                         \
        return room(h, info, WAY_QR, DEVICE, inside, work);                                                            \
    }                                                                                                                  \
    Sol cusolverSp##L##csrqrSetup##HOST(void *h, int m, int n, int nonzeros, MATRIX, Value shift, void *info)          \
    {                                                                                                                  \
        return call(h, d,                                                                                              \
                    (Call){.work  = {.call = "cusolverSp" #L "csrqrSetup" #HOST, .device = DEVICE},                    \
                           .step  = STEP_VALUES,                                                                       \
                           .way   = WAY_QR,                                                                            \
                           .a     = {m, n, nonzeros, 0, T, values, offsets, columns},                                  \
                           .shift = FROM_##L(shift),                                                                   \
                           .info  = info});                                                                             \
    }                                                                                                                  \
    Sol cusolverSp##L##csrqrFactor##HOST(void *h, int m, int n, int nonzeros, void *b, void *x, void *info,            \
                                         void *buffer)                                                                 \
    {                                                                                                                  \
        (void)buffer;                                                                                                  \
        return call(h, NULL,                                                                                           \
                    (Call){.work = {.call = "cusolverSp" #L "csrqrFactor" #HOST, .device = DEVICE},                    \
                           .step = STEP_FACTOR,                                                                        \
                           .way  = WAY_QR,                                                                             \
                           .a    = {m, n, nonzeros, 0, T, NULL, NULL, NULL},                                           \
                           .b    = b,                                                                                  \
                           .x    = x,                                                                                  \
                           .info = info});                                                                             \
    }                                                                                                                  \
    PIVOT(L, Real, csrqrZeroPivot##HOST, WAY_QR, DEVICE)                                                               \
    Sol cusolverSp##L##csrqrSolve##HOST(void *h, int m, int n, void *b, void *x, void *info, void *buffer)             \
    {                                                                                                                  \
        (void)buffer;                                                                                                  \
        return call(h, NULL,                                                                                           \
                    (Call){.work = {.call = "cusolverSp" #L "csrqrSolve" #HOST, .device = DEVICE},                     \
                           .step = STEP_SOLVE,                                                                         \
                           .way  = WAY_QR,                                                                             \
                           .a    = {m, n, 0, 0, T, NULL, NULL, NULL},                                                  \
                           .b    = b,                                                                                  \
                           .x    = x,                                                                                  \
                           .info = info});                                                                             \
    }

#define BATCH(L, T)                                                                                                    \
    Sol cusolverSp##L##csrqrBufferInfoBatched(void *h, int m, int n, int nonzeros, MATRIX, int batch, void *info,      \
                                              size_t *inside, size_t *work)                                            \
    {                                                                                                                  \
        (void)m, (void)n, (void)nonzeros, (void)d, (void)values, (void)offsets, (void)columns;                         \
        return sparse_handle(h) && batch <= 0 ? SOL_INVALID_VALUE : room(h, info, WAY_QR, true, inside, work);         \
    }                                                                                                                  \
    Sol cusolverSp##L##csrqrsvBatched(void *h, int m, int n, int nonzeros, MATRIX, const void *b, void *x, int batch,  \
                                      void *info, void *buffer)                                                        \
    {                                                                                                                  \
        (void)buffer;                                                                                                  \
        return call(h, d,                                                                                              \
                    (Call){.work  = {.call = "cusolverSp" #L "csrqrsvBatched", .device = true},                        \
                           .step  = STEP_BATCH,                                                                        \
                           .way   = WAY_QR,                                                                            \
                           .a     = {m, n, nonzeros, 0, T, values, offsets, columns},                                  \
                           .b     = b,                                                                                 \
                           .x     = x,                                                                                 \
                           .count = batch > 0 ? batch : -1,                                                            \
                           .info  = info});                                                                             \
    }

/* ---- Cholesky and LU ---- */

#define SQUARE(WAY, HOST, DEVICE, name)                                                                                \
    Sol cusolverSpX##name##Analysis##HOST(void *h, int n, int nonzeros, const void *d, const int *offsets,             \
                                          const int *columns, void *info)                                              \
    {                                                                                                                  \
        return analyse(h, "cusolverSpX" #name "Analysis" #HOST, WAY, DEVICE, d,                                        \
                       (Rows){n, n, nonzeros, 0, R_64F, NULL, offsets, columns}, info);                                \
    }
SQUARE(WAY_CHOLESKY, , true, csrchol)
SQUARE(WAY_CHOLESKY, Host, false, csrchol)
SQUARE(WAY_LU, Host, false, csrlu)

/* THRESHOLD: a last parameter of the factor's, before the buffer; given: its value. */
#define FACTORED(L, T, Real, WAY, HOST, DEVICE, name, THRESHOLD, given)                                                \
    Sol cusolverSp##L##name##BufferInfo##HOST(void *h, int n, int nonzeros, MATRIX, void *info, size_t *inside,        \
                                              size_t *work)                                                            \
    {                                                                                                                  \
        (void)n, (void)nonzeros, (void)d, (void)values, (void)offsets, (void)columns;                                  \
        return room(h, info, WAY, DEVICE, inside, work);                                                               \
    }                                                                                                                  \
    Sol cusolverSp##L##name##Factor##HOST(void *h, int n, int nonzeros, MATRIX, void *info THRESHOLD, void *buffer)    \
    {                                                                                                                  \
        (void)buffer;                                                                                                  \
        return call(h, d,                                                                                              \
                    (Call){.work      = {.call = "cusolverSp" #L#name "Factor" #HOST, .device = DEVICE},               \
                           .step      = STEP_FACTOR,                                                                   \
                           .way       = WAY,                                                                           \
                           .a         = {n, n, nonzeros, 0, T, values, offsets, columns},                              \
                           .threshold = given,                                                                         \
                           .info      = info});                                                                             \
    }                                                                                                                  \
    PIVOT(L, Real, name##ZeroPivot##HOST, WAY, DEVICE)                                                                 \
    Sol cusolverSp##L##name##Solve##HOST(void *h, int n, const void *b, void *x, void *info, void *buffer)             \
    {                                                                                                                  \
        (void)buffer;                                                                                                  \
        return call(h, NULL,                                                                                           \
                    (Call){.work = {.call = "cusolverSp" #L#name "Solve" #HOST, .device = DEVICE},                     \
                           .step = STEP_SOLVE,                                                                         \
                           .way  = WAY,                                                                                \
                           .a    = {n, n, 0, 0, T, NULL, NULL, NULL},                                                  \
                           .b    = b,                                                                                  \
                           .x    = x,                                                                                  \
                           .info = info});                                                                             \
    }

/* ---- what LU's factors are ---- */

static const Direct *factors_of(void *handle, const void *info, int *type, Sol *e)
{
    const Info *i = info_of(info, WAY_LU, false);
    *e            = !sparse_handle(handle)                 ? SOL_NOT_INITIALIZED
                    : !i || !i->factored                   ? SOL_INVALID_VALUE
                    : i->direct.pivot >= 0 || !i->direct.f ? (Sol)SOL_ZERO_PIVOT
                                                           : SOL_SUCCESS;
    if (!*e && type)
        *type = i->type;
    return *e ? NULL : &i->direct;
}

Sol cusolverSpXcsrluNnzHost(void *handle, int *lower, int *upper, void *info)
{
    Sol           e;
    const Direct *d = factors_of(handle, info, NULL, &e);
    if (e || !lower || !upper)
        return e ? e : SOL_INVALID_VALUE;
    *lower = d->f->l->p[d->n]; /* the diagonal, too */
    *upper = d->f->u->p[d->n];
    return SOL_SUCCESS;
}

/* By columns to by rows; columns ascend. */
static void put_rows(const CxMatrix *m, int type, int base, void *values, int *offsets, int *columns)
{
    int *next = ww_cuda_library_memory(((size_t)m->n + 1) * sizeof *next);
    for (int k = 0; k < m->p[m->n]; k++)
        next[m->i[k] + 1]++;
    for (int i = 0; i < m->n; i++)
        next[i + 1] += next[i];
    for (int i = 0; i <= m->n; i++)
        offsets[i] = next[i] + base;
    for (int j = 0; j < m->n; j++)
        for (int k = m->p[j]; k < m->p[j + 1]; k++) {
            int at      = next[m->i[k]]++;
            columns[at] = j + base;
            number_put(type, values, at, m->x[k]);
        }
    free(next);
}

typedef struct Extract {
    const void *descriptor;
    void       *values;
    int        *offsets, *columns;
} Extract;

static Sol extract(void *handle, int type, int *p, int *q, Extract l, Extract u, const void *info)
{
    Sol           e;
    int           kept = -1;
    Rows          lower, upper;
    const Direct *d = factors_of(handle, info, &kept, &e);
    if (e)
        return e;
    if (kept != type || !p || !q || !l.values || !l.offsets || !l.columns || !u.values || !u.offsets || !u.columns)
        return SOL_INVALID_VALUE;
    if ((e = sparse_describe(l.descriptor, &lower)) || (e = sparse_describe(u.descriptor, &upper)))
        return e;
    for (int i = 0; i < d->n; i++) {
        p[d->f->pinv[i]] = i;
        q[i]             = d->s->q ? d->s->q[i] : i;
    }
    put_rows(d->f->l, type, lower.base, l.values, l.offsets, l.columns);
    put_rows(d->f->u, type, upper.base, u.values, u.offsets, u.columns);
    return SOL_SUCCESS;
}

#define EXTRACT(L, T)                                                                                                  \
    Sol cusolverSp##L##csrluExtractHost(void *h, int *p, int *q, const void *dl, void *vl, int *ol, int *cl,           \
                                        const void *du, void *vu, int *ou, int *cu, void *info, void *buffer)          \
    {                                                                                                                  \
        (void)buffer;                                                                                                  \
        return extract(h, T, p, q, (Extract){dl, vl, ol, cl}, (Extract){du, vu, ou, cu}, info);                        \
    }

#define NOTHING
#define LEAST_OF(Real) , Real least
#define TYPE(L, T, Real, Value)                                                                                        \
    QR(L, T, Real, Value, , true)                                                                                      \
    QR(L, T, Real, Value, Host, false)                                                                                 \
    BATCH(L, T)                                                                                                        \
    FACTORED(L, T, Real, WAY_CHOLESKY, , true, csrchol, NOTHING, 0)                                                    \
    FACTORED(L, T, Real, WAY_CHOLESKY, Host, false, csrchol, NOTHING, 0)                                               \
    FACTORED(L, T, Real, WAY_LU, Host, false, csrlu, LEAST_OF(Real), least)                                            \
    EXTRACT(L, T)
TYPE(S, R_32F, float, float)
TYPE(D, R_64F, double, double)
TYPE(C, C_32F, float, ComplexFloat)
TYPE(Z, C_64F, double, Number)
