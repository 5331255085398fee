/* SPDX-License-Identifier: Apache-2.0
 *
 * libcusolverMg: factors, solutions and eigenvalues of matrices whose columns are dealt out to several devices.
 *
 *     block of columns    0  1  2  3  4 ...        each `wide` columns; a device has its blocks one behind the other, all rows of a column
 *     device              0  1  0  1  0            of the grid, which has one row
 *
 * A call waits for its devices, puts the columns together in memory of the host, asks LAPACK, and deals out the result; it is done on return.  Of a symmetric
 * matrix one triangle is touched.  LAPACK makes its own work space, so a buffer's size is one element.  Not here: grids with rows, and what no public
 * header has. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"
#include "cuda/libraries/host/host.h"
#include "cuda/libraries/library.h"

/* cusolverStatus_t */
typedef enum Sol {
    SOL_SUCCESS          = 0,
    SOL_NOT_INITIALIZED  = 1,
    SOL_ALLOC_FAILED     = 2,
    SOL_INVALID_VALUE    = 3,
    SOL_EXECUTION_FAILED = 6,
    SOL_NOT_SUPPORTED    = 9
} Sol;

enum { MOST = 64 };

typedef struct Grid { /* also a handle: what was selected */
    int n, device[MOST];
} Grid;

typedef struct Desc {
    int64_t rows, columns, wide;
    int     type;
    Grid    grid;
} Desc;

static const char handles, grids, descriptors;

static void *known(const char *kind, const void *p)
{
    return ww_cuda_library_has(kind, p) ? (void *)(uintptr_t)p : NULL;
}

static Sol make(const char *kind, void **out, const void *value, size_t bytes)
{
    void *p = out ? malloc(bytes) : NULL;
    if (!p || ww_cuda_library_keep(kind, p) < 0) {
        free(p);
        return out ? SOL_ALLOC_FAILED : SOL_INVALID_VALUE;
    }
    memcpy(p, value, bytes);
    *out = p;
    return SOL_SUCCESS;
}

static Sol drop(const char *kind, void *p, Sol unknown)
{
    if (!ww_cuda_library_drop(kind, p))
        return unknown;
    free(p);
    return SOL_SUCCESS;
}

Sol cusolverMgCreate(void **out)
{
    if (out && !ww_cuda_library_wait(NULL)) /* what cannot use CUDA gets none */
        return SOL_NOT_INITIALIZED;
    return make(&handles, out, &(Grid){0}, sizeof(Grid));
}

Sol cusolverMgDestroy(void *handle)
{
    return drop(&handles, handle, SOL_NOT_INITIALIZED);
}

/* Devices that are there, none of them twice. */
static bool choose(Grid *g, int n, const int *device)
{
    if (n < 1 || n > MOST || !device)
        return false;
    *g = (Grid){.n = n};
    for (int i = 0; i < n; i++) {
        g->device[i] = device[i];
        if (device[i] < 0 || device[i] >= ww_cuda_library_devices())
            return false;
        for (int k = 0; k < i; k++)
            if (device[k] == device[i])
                return false;
    }
    return true;
}

Sol cusolverMgDeviceSelect(void *handle, int n, int *device)
{
    Grid *h = known(&handles, handle), g;
    if (!h)
        return SOL_NOT_INITIALIZED;
    if (!choose(&g, n, device))
        return SOL_INVALID_VALUE;
    *h = g;
    return SOL_SUCCESS;
}

Sol cusolverMgCreateDeviceGrid(void **out, int rows, int columns, const int *device, int mapping)
{
    Grid g;
    if (!out || rows != 1 || mapping < 0 || mapping > 1 || !choose(&g, columns, device))
        return SOL_INVALID_VALUE;
    return make(&grids, out, &g, sizeof g);
}

Sol cusolverMgDestroyGrid(void *grid)
{
    return drop(&grids, grid, SOL_INVALID_VALUE);
}

Sol cusolverMgCreateMatrixDesc(void **out, int64_t rows, int64_t columns, int64_t high, int64_t wide, int type,
                               const void *grid)
{
    const Grid *g = known(&grids, grid);
    if (!g || rows < 0 || columns < 0 || high != rows || wide < 1)
        return SOL_INVALID_VALUE;
    if (!number_letter(type) || rows > INT_MAX || columns > INT_MAX)
        return SOL_NOT_SUPPORTED;
    return make(&descriptors, out, &(Desc){rows, columns, wide, type, *g}, sizeof(Desc));
}

Sol cusolverMgDestroyMatrixDesc(void *descriptor)
{
    return drop(&descriptors, descriptor, SOL_INVALID_VALUE);
}

/* ---- a part of a matrix ---- */

typedef enum Triangle { WHOLE, LOWER, UPPER } Triangle;

typedef struct Part { /* m x n elements from (row, column) on; ld rows of a column are stored */
    void *const *at;  /* for each device; the host's */
    int          devices;
    int64_t      wide, ld, row, column, m, n;
    size_t       element;
} Part;

/* row, column: from 1, as programs give them. */
static Part part(const Desc *d, void *const *at, int row, int column, int64_t m, int64_t n)
{
    return (Part){at, d->grid.n, d->wide, d->rows, row - 1, column - 1, m, n, number_bytes(d->type)};
}

static bool fits(const Desc *d, const Part *p)
{
    if (!p->at || p->m < 0 || p->n < 0 || p->row < 0 || p->column < 0 || p->row + p->m > p->ld ||
        p->column + p->n > d->columns)
        return false;
    int64_t first = p->column / p->wide, last = (p->column + p->n - 1) / p->wide;
    for (int64_t b = first; p->n && p->m && b <= last && b < first + p->devices; b++)
        if (!p->at[b % p->devices])
            return false;
    return true;
}

/* What of a column is touched. */
static LibrarySpan column(const Part *p, int64_t c, Triangle t, LibraryUse use)
{
    int64_t at = p->column + c, block = at / p->wide, mine = block / p->devices * p->wide + at % p->wide;
    int64_t first = t == LOWER ? c : 0, last = t == UPPER ? c + 1 : p->m;
    char   *base = p->at[block % p->devices];
    return (LibrarySpan){.at     = base + (size_t)(mine * p->ld + p->row + first) * p->element,
                         .width  = (size_t)(last - first) * p->element,
                         .height = 1,
                         .use    = use};
}

static char *mine(const Part *p, char *own, int64_t c, Triangle t)
{
    return own + (size_t)(c * p->m + (t == LOWER ? c : 0)) * p->element;
}

/* Is it memory of a device? */
static bool holds(const char *call, const Part *p)
{
    for (int64_t c = 0; c < p->n && p->m; c++) {
        LibrarySpan s = column(p, c, WHOLE, LIBRARY_HOLDS);
        if (!ww_cuda_library_uses(call, &s))
            return false;
    }
    return true;
}

static char *gather(const char *call, const Part *p, Triangle t)
{
    char *own = ww_cuda_library_memory(size_mul(size_mul((size_t)p->m + 1, (size_t)p->n + 1), p->element));
    for (int64_t c = 0; c < p->n && p->m; c++) {
        LibrarySpan s = column(p, c, t, LIBRARY_READS);
        ww_cuda_library_uses(call, &s);
        memcpy(mine(p, own, c, t), s.at, s.width);
    }
    return own;
}

static void scatter(const Part *p, char *own, Triangle t)
{
    for (int64_t c = 0; c < p->n && p->m; c++) {
        LibrarySpan s = column(p, c, t, LIBRARY_WRITES);
        memcpy((void *)(uintptr_t)s.at, mine(p, own, c, t), s.width);
        ww_cuda_library_wrote(&s);
    }
}

/* ---- what is done ---- */

typedef enum Task { POTRF, POTRS, POTRI, GETRF, GETRS, SYEVD } Task;

typedef struct Job {
    const char *call; /* static */
    Task        task;
    Desc        a, b;   /* as they were told */
    Part        pa, pb; /* b: right sides */
    Part        pivots; /* at NULL: none are exchanged */
    int         fill, trans;
    bool        vectors;
    void       *values; /* eigenvalues, the host's */
    int        *info;   /* the host's */
    Routine     routine;
    bool        done;
} Job;

static const char *const routines[][2] =
    {/* of real and complex types */
     [POTRF] = {"potrf", "potrf"}, [POTRS] = {"potrs", "potrs"}, [POTRI] = {"potri", "potri"},
     [GETRF] = {"getrf", "getrf"}, [GETRS] = {"getrs", "getrs"}, [SYEVD] = {"syevd", "heevd"}};

typedef void (*Call)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                     void *, uintptr_t, uintptr_t, uintptr_t);

/* Behind the arguments Fortran wants the lengths of texts, which are all 1: also in place of those that a routine does not have. */
static void call(Routine r, void *const *x, size_t n)
{
    void *a[13];
    for (size_t i = 0; i < 13; i++)
        a[i] = i < n ? x[i] : (void *)(uintptr_t)1;
    ((Call)r)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], 1, 1, 1);
}
#define CALL(...) call(j->routine, (void *const[]){__VA_ARGS__}, sizeof((void *const[]){__VA_ARGS__}) / sizeof(void *))

static void eigenvalues(const Job *j, void *a, int n, char fill, int *info)
{
    int   lda = n > 1 ? n : 1, work = 2 * n * n + 66 * n + 64, reals = 2 * n * n + 5 * n + 16, integers = 5 * n + 16;
    char  jobz  = j->vectors ? 'V' : 'N';
    void *space = ww_cuda_library_memory(size_mul((size_t)work, j->pa.element)),
         *real  = ww_cuda_library_memory(size_mul((size_t)reals, 8)),
         *whole = ww_cuda_library_memory(size_mul((size_t)integers, sizeof(int)));
    if (number_is_complex(j->a.type))
        CALL(&jobz, &fill, &n, a, &lda, j->values, space, &work, real, &reals, whole, &integers, info);
    else
        CALL(&jobz, &fill, &n, a, &lda, j->values, space, &work, whole, &integers, info);
    free(space);
    free(real);
    free(whole);
}

static bool pivots_fit(const int *pivot, int n)
{
    for (int i = 0; i < n; i++)
        if (pivot[i] < 1 || pivot[i] > n)
            return false;
    return true;
}

static void run(const Job *j, char *a, char *b, int *pivot)
{
    int  m = (int)j->pa.m, n = (int)j->pa.n, k = (int)j->pb.n, lda = m > 1 ? m : 1, ldb = n > 1 ? n : 1, info = 0;
    char fill = j->fill ? 'U' : 'L', trans = "NTC"[j->trans];
    switch (j->task) {
    case POTRF:
    case POTRI: CALL(&fill, &n, a, &lda, &info); break;
    case POTRS: CALL(&fill, &n, &k, a, &lda, b, &ldb, &info); break;
    case GETRF:
        if (j->pivots.at)
            CALL(&m, &n, a, &lda, pivot, &info);
        else
            info = host_lu(j->a.type, a, m, n, lda);
        break;
    case GETRS:
        if (pivots_fit(pivot, n))
            CALL(&trans, &n, &k, a, &lda, pivot, b, &ldb, &info);
        else
            info = -8;
        break;
    default: eigenvalues(j, a, n, fill, &info);
    }
    *j->info = info;
}

static int *pivots_of(const Job *j)
{
    if (j->task == GETRS && j->pivots.at)
        return (int *)(void *)gather(j->call, &j->pivots, WHOLE);
    int *own = ww_cuda_library_memory(((size_t)j->pivots.n + 1) * sizeof *own);
    for (int64_t i = 0; i < j->pivots.n; i++)
        own[i] = (int)i + 1;
    return own;
}

/* The job waits on its caller's stack. */
static void compute(const void *args)
{
    Job     *j     = *(Job *const *)args;
    Triangle t     = j->task == GETRF || j->task == GETRS ? WHOLE : j->fill ? UPPER : LOWER;
    bool     sides = j->task == POTRS || j->task == GETRS;
    if (!holds(j->call, &j->pa) || (sides && !holds(j->call, &j->pb)) || (j->pivots.at && !holds(j->call, &j->pivots)))
        return;
    char *a = gather(j->call, &j->pa, t), *b = sides ? gather(j->call, &j->pb, WHOLE) : NULL;
    int  *pivot = pivots_of(j);
    run(j, a, b, pivot);
    if (sides)
        scatter(&j->pb, b, WHOLE);
    else
        scatter(&j->pa, a, j->task == SYEVD && j->vectors ? WHOLE : t);
    if (j->task == GETRF && j->pivots.at)
        scatter(&j->pivots, (char *)pivot, WHOLE);
    j->done = true;
    free(a);
    free(b);
    free(pivot);
}

/* What the devices were given before has ended. */
static bool settle(const Grid *g)
{
    int  before = ww_cuda_library_device(-1);
    bool ok     = true;
    for (int i = 0; i < g->n; i++)
        ok = ww_cuda_library_device(g->device[i]) >= 0 && !ww_cuda_library_settle() && ok;
    ww_cuda_library_device(before);
    return ok;
}

static Sol check(void *handle, const void *a, Job *j)
{
    const Grid *h = known(&handles, handle);
    const Desc *d = known(&descriptors, a);
    if (!h)
        return SOL_NOT_INITIALIZED;
    if (!d || !h->n || j->fill < 0 || j->fill > 1 || j->trans < 0 || j->trans > 2)
        return SOL_INVALID_VALUE;
    j->a = *d;
    return SOL_SUCCESS;
}

static Sol size(void *handle, const void *a, int compute_type, int64_t *elements)
{
    Job j = {0};
    Sol e = check(handle, a, &j);
    if (e)
        return e;
    if (!elements)
        return SOL_INVALID_VALUE;
    if (compute_type != j.a.type)
        return SOL_NOT_SUPPORTED;
    *elements = 1;
    return SOL_SUCCESS;
}

/* Of a from (ia, ja) on m x n, and of b as many rows. */
typedef struct Place {
    void *const *a;
    int          ia, ja;
    const void  *da;
    int          m, n;
    void *const *b;
    int          ib, jb;
    const void  *db;
    int          columns;
    void *const *pivots;
} Place;

static Sol submit(void *handle, Job *j, const Place *p, int compute_type)
{
    Sol e = check(handle, p->da, j);
    if (e)
        return e;
    j->pa            = part(&j->a, p->a, p->ia, p->ja, p->m, p->n);
    const Desc *b    = known(&descriptors, p->db);
    bool        side = j->task == POTRS || j->task == GETRS;
    if (!j->info || !fits(&j->a, &j->pa) || (side && !b) || (j->task == SYEVD && p->n && !j->values))
        return SOL_INVALID_VALUE;
    if (side) {
        j->b  = *b;
        j->pb = part(b, p->b, p->ib, p->jb, p->n, p->columns);
        if (!fits(b, &j->pb))
            return SOL_INVALID_VALUE;
    }
    if (j->task == GETRF || j->task == GETRS) { /* dealt out as a's columns are */
        j->pivots =
            (Part){p->pivots, j->a.grid.n, j->a.wide, 1, 0, p->ja - 1, 1, p->m < p->n ? p->m : p->n, sizeof(int)};
        if (p->pivots && !fits(&j->a, &j->pivots))
            return SOL_INVALID_VALUE;
    }
    if (compute_type != j->a.type || (side && b->type != j->a.type) ||
        (j->task == SYEVD && p->n > 30000)) /* LAPACK counts in 32 bits */
        return SOL_NOT_SUPPORTED;
    char letter = number_letter(j->a.type), name[16];
    snprintf(name, sizeof name, "%c%s_", letter, routines[j->task][number_is_complex(j->a.type)]);
    j->routine = host_routine(name);
    if (!j->routine) {
        ww_cuda_library_missing(j->call);
        return SOL_NOT_SUPPORTED;
    }
    LibraryWork w = {
        .library = "cusolverMg", .call = j->call, .by = host_file(), .compute = compute, .args = &j, .bytes = sizeof j};
    if (!settle(&j->a.grid) || (side && !settle(&j->b.grid)) || !ww_cuda_library_do(NULL, &w) ||
        !ww_cuda_library_wait(NULL))
        return SOL_EXECUTION_FAILED;
    return j->done ? SOL_SUCCESS : SOL_EXECUTION_FAILED;
}

#define WORK void *const *work, int64_t elements, int *info

Sol cusolverMgPotrf_bufferSize(void *h, int fill, int n, void *const *a, int ia, int ja, const void *da, int type,
                               int64_t *elements)
{
    (void)fill, (void)n, (void)a, (void)ia, (void)ja;
    return size(h, da, type, elements);
}

Sol cusolverMgPotrf(void *h, int fill, int n, void *const *a, int ia, int ja, const void *da, int type, WORK)
{
    (void)work, (void)elements;
    return submit(h, &(Job){.call = "cusolverMgPotrf", .task = POTRF, .fill = fill, .info = info},
                  &(Place){.a = a, .ia = ia, .ja = ja, .da = da, .m = n, .n = n}, type);
}

Sol cusolverMgPotri_bufferSize(void *h, int fill, int n, void *const *a, int ia, int ja, const void *da, int type,
                               int64_t *elements)
{
    (void)fill, (void)n, (void)a, (void)ia, (void)ja;
    return size(h, da, type, elements);
}

Sol cusolverMgPotri(void *h, int fill, int n, void *const *a, int ia, int ja, const void *da, int type, WORK)
{
    (void)work, (void)elements;
    return submit(h, &(Job){.call = "cusolverMgPotri", .task = POTRI, .fill = fill, .info = info},
                  &(Place){.a = a, .ia = ia, .ja = ja, .da = da, .m = n, .n = n}, type);
}

Sol cusolverMgPotrs_bufferSize(void *h, int fill, int n, int columns, void *const *a, int ia, int ja, const void *da,
                               void *const *b, int ib, int jb, const void *db, int type, int64_t *elements)
{
    (void)fill, (void)n, (void)columns, (void)a, (void)ia, (void)ja, (void)b, (void)ib, (void)jb, (void)db;
    return size(h, da, type, elements);
}

Sol cusolverMgPotrs(void *h, int fill, int n, int columns, void *const *a, int ia, int ja, const void *da,
                    void *const *b, int ib, int jb, const void *db, int type, WORK)
{
    (void)work, (void)elements;
    return submit(h, &(Job){.call = "cusolverMgPotrs", .task = POTRS, .fill = fill, .info = info},
                  &(Place){a, ia, ja, da, n, n, b, ib, jb, db, columns, NULL}, type);
}

Sol cusolverMgGetrf_bufferSize(void *h, int m, int n, void *const *a, int ia, int ja, const void *da,
                               void *const *pivots, int type, int64_t *elements)
{
    (void)m, (void)n, (void)a, (void)ia, (void)ja, (void)pivots;
    return size(h, da, type, elements);
}

Sol cusolverMgGetrf(void *h, int m, int n, void *const *a, int ia, int ja, const void *da, void *const *pivots,
                    int type, WORK)
{
    (void)work, (void)elements;
    return submit(h, &(Job){.call = "cusolverMgGetrf", .task = GETRF, .info = info},
                  &(Place){.a = a, .ia = ia, .ja = ja, .da = da, .m = m, .n = n, .pivots = pivots}, type);
}

Sol cusolverMgGetrs_bufferSize(void *h, int trans, int n, int columns, void *const *a, int ia, int ja, const void *da,
                               void *const *pivots, void *const *b, int ib, int jb, const void *db, int type,
                               int64_t *elements)
{
    (void)trans, (void)n, (void)columns, (void)a, (void)ia, (void)ja, (void)pivots, (void)b, (void)ib, (void)jb;
    (void)db;
    return size(h, da, type, elements);
}

Sol cusolverMgGetrs(void *h, int trans, int n, int columns, void *const *a, int ia, int ja, const void *da,
                    void *const *pivots, void *const *b, int ib, int jb, const void *db, int type, WORK)
{
    (void)work, (void)elements;
    return submit(h, &(Job){.call = "cusolverMgGetrs", .task = GETRS, .trans = trans, .info = info},
                  &(Place){a, ia, ja, da, n, n, b, ib, jb, db, columns, pivots}, type);
}

Sol cusolverMgSyevd_bufferSize(void *h, int jobz, int fill, int n, void *const *a, int ia, int ja, const void *da,
                               void *w, int wtype, int type, int64_t *elements)
{
    (void)jobz, (void)fill, (void)n, (void)a, (void)ia, (void)ja, (void)w, (void)wtype;
    return size(h, da, type, elements);
}

Sol cusolverMgSyevd(void *h, int jobz, int fill, int n, void *const *a, int ia, int ja, const void *da, void *w,
                    int wtype, int type, WORK)
{
    (void)work, (void)elements;
    if (known(&handles, h) && wtype != (type == R_32F || type == C_32F ? R_32F : R_64F))
        return SOL_NOT_SUPPORTED;
    return submit(
        h,
        &(Job){.call = "cusolverMgSyevd", .task = SYEVD, .fill = fill, .vectors = jobz == 1, .values = w, .info = info},
        &(Place){.a = a, .ia = ia, .ja = ja, .da = da, .m = n, .n = n}, type);
}
