/* SPDX-License-Identifier: Apache-2.0
 *
 * Solutions that a card finds in a lower precision and refines: gesv and gels of two types, and cusolverDnIRSX... with its parameters.  Here they are
 * computed in the main precision at once: no iteration is needed, and the operands stay.  Parameters are kept and answered; a lowest precision only
 * has to be one that there is. */
#include <stdlib.h>
#include <string.h>

#include "cuda/libraries/cusolver/cusolver.h"

static const char parameters, informations;

typedef struct Parameters {
    int    main, lowest, solver, iterations, inner, fallback; /* of cusolverPrecType_t, cusolverIRSRefinement_t */
    double tolerance, inner_tolerance;
} Parameters;

typedef struct Informations {
    int  iterations, most;
    bool residual;
} Informations;

typedef struct Solve {
    Plain   plain;
    bool    least;
    int     m, n, columns;
    void   *a, *b, *x;
    int64_t lda, ldb, ldx;
    int    *pivots;
} Solve;

static char *copy(const Plain *p, const void *from, int64_t ld, int64_t rows, int64_t columns, int64_t high)
{
    size_t e  = plain_element(p, false);
    char  *to = ww_cuda_library_memory((size_t)(high * columns) * e + 16);
    for (int64_t c = 0; c < columns; c++)
        memcpy(to + (size_t)(c * high) * e, (const char *)from + (size_t)(c * ld) * e, (size_t)rows * e);
    return to;
}

static void compute(const void *args)
{
    typedef void (*Gesv)(int *, int *, void *, int *, int *, void *, int *, int *);
    typedef void (*Gels)(char *, int *, int *, int *, void *, int *, void *, int *, void *, int *, int *, size_t);
    Solve  s    = *(const Solve *)args;
    int    high = s.m > s.n ? s.m : s.n, info = 0, work = 64 * (high + s.columns) + 64;
    char   none = 'N';
    size_t e    = plain_element(&s.plain, false);
    char  *a = copy(&s.plain, s.a, s.lda, s.m, s.n, s.m), *b = copy(&s.plain, s.b, s.ldb, s.m, s.columns, high);
    int   *own   = ww_cuda_library_memory(((size_t)s.n + 1) * sizeof *own);
    void  *space = ww_cuda_library_memory((size_t)work * e);
    if (s.least)
        ((Gels)s.plain.routine)(&none, &s.m, &s.n, &s.columns, a, &s.m, b, &high, space, &work, &info, 1);
    else
        ((Gesv)s.plain.routine)(&s.n, &s.columns, a, &s.n, s.pivots ? s.pivots : own, b, &high, &info);
    for (int64_t c = 0; !info && c < s.columns; c++)
        memcpy((char *)s.x + (size_t)(c * s.ldx) * e, b + (size_t)(c * high) * e, (size_t)s.n * e);
    *s.plain.info = info;
    free(a);
    free(b);
    free(own);
    free(space);
}

static Sol solve(void *handle, const char *call, char letter, bool least, int m, int n, int columns, void *a, int lda,
                 int *pivots, void *b, int ldb, void *x, int ldx, int *iterations, int *info)
{
    if (handle_of(handle) && (!info || !iterations || (least && m < n)))
        return SOL_INVALID_VALUE;
    const char *routine = least ? "gels" : "gesv";
    Solve       s       = {plain_begin(handle, call, letter, routine, routine, info),
                           least,
                           m,
                           n,
                           columns,
                           a,
                           b,
                           x,
                           lda,
                           ldb,
                           ldx,
                           pivots};
    Plain      *p       = &s.plain;
    plain_int(p, n, 0);
    plain_int(p, columns, 0);
    plain_matrix(p, a, lda, m, n, LIBRARY_READS);
    plain_matrix(p, b, ldb, m, columns, LIBRARY_READS);
    plain_matrix(p, x, ldx, n, columns, LIBRARY_WRITES);
    if (!p->status && pivots)
        p->work.span[p->work.nspans++] =
            (LibrarySpan){.at = pivots, .width = (size_t)n * sizeof *pivots, .height = 1, .use = LIBRARY_WRITES};
    p->work.compute    = compute;
    p->work.args       = &s;
    p->work.bytes      = sizeof s;
    p->work.operations = 2.0 / 3 * (double)n * (double)n * (double)n + 2.0 * (double)n * (double)n * (double)columns;
    if (!p->status)
        *iterations = 0;
    return plain_do(p, !n || !columns);
}

/* The first letter is the main type, the second the lowest. */
#define PAIR(LL, l)                                                                                                    \
    Sol cusolverDn##LL##gesv_bufferSize(void *h, int n, int columns, void *a, int lda, int *pivots, void *b, int ldb,  \
                                        void *x, int ldx, void *work, size_t *bytes)                                   \
    {                                                                                                                  \
        (void)n, (void)columns, (void)a, (void)lda, (void)pivots, (void)b, (void)ldb, (void)x, (void)ldx, (void)work;  \
        return size_bytes(h, bytes, &(size_t){0});                                                                     \
    }                                                                                                                  \
    Sol cusolverDn##LL##gesv(void *h, int n, int columns, void *a, int lda, int *pivots, void *b, int ldb, void *x,    \
                             int ldx, void *work, size_t bytes, int *iterations, int *info)                            \
    {                                                                                                                  \
        (void)work, (void)bytes;                                                                                       \
        return solve(h, "cusolverDn" #LL "gesv", l, false, n, n, columns, a, lda, pivots, b, ldb, x, ldx, iterations,  \
                     info);                                                                                            \
    }                                                                                                                  \
    Sol cusolverDn##LL##gels_bufferSize(void *h, int m, int n, int columns, void *a, int lda, void *b, int ldb,        \
                                        void *x, int ldx, void *work, size_t *bytes)                                   \
    {                                                                                                                  \
        (void)m, (void)n, (void)columns, (void)a, (void)lda, (void)b, (void)ldb, (void)x, (void)ldx, (void)work;       \
        return size_bytes(h, bytes, &(size_t){0});                                                                     \
    }                                                                                                                  \
    Sol cusolverDn##LL##gels(void *h, int m, int n, int columns, void *a, int lda, void *b, int ldb, void *x, int ldx, \
                             void *work, size_t bytes, int *iterations, int *info)                                     \
    {                                                                                                                  \
        (void)work, (void)bytes;                                                                                       \
        return solve(h, "cusolverDn" #LL "gels", l, true, m, n, columns, a, lda, NULL, b, ldb, x, ldx, iterations,     \
                     info);                                                                                            \
    }
PAIR(SS, 's')
PAIR(SH, 's')
PAIR(SB, 's')
PAIR(SX, 's')
PAIR(DD, 'd')
PAIR(DS, 'd')
PAIR(DH, 'd')
PAIR(DB, 'd')
PAIR(DX, 'd')
PAIR(CC, 'c')
PAIR(CK, 'c')
PAIR(CE, 'c')
PAIR(CY, 'c')
PAIR(ZZ, 'z')
PAIR(ZC, 'z')
PAIR(ZK, 'z')
PAIR(ZE, 'z')
PAIR(ZY, 'z')

/* ---- parameters ---- */

/* cusolverPrecType_t, those that a main precision may have */
enum { PRECISION_R_64F = 1203, PRECISION_R_32F = 1204, PRECISION_C_64F = 1213, PRECISION_C_32F = 1214 };

static char letter_of(int precision)
{
    switch (precision) {
    case PRECISION_R_32F: return 's';
    case PRECISION_R_64F: return 'd';
    case PRECISION_C_32F: return 'c';
    case PRECISION_C_64F: return 'z';
    default: return 0;
    }
}

static Parameters *parameters_of(const void *p)
{
    return ww_cuda_library_has(&parameters, p) ? (void *)(uintptr_t)p : NULL;
}

static Informations *informations_of(const void *p)
{
    return ww_cuda_library_has(&informations, p) ? (void *)(uintptr_t)p : NULL;
}

Sol cusolverDnIRSParamsCreate(void **out)
{
    return object_new(&parameters, out, &(Parameters){.iterations = 50, .inner = 50, .fallback = 1},
                      sizeof(Parameters));
}

Sol cusolverDnIRSParamsDestroy(void *p)
{
    return parameters_of(p) ? object_drop(&parameters, p) : SOL_NO_PARAMETERS;
}

Sol cusolverDnIRSInfosCreate(void **out)
{
    return object_new(&informations, out, &(Informations){.most = 50}, sizeof(Informations));
}

Sol cusolverDnIRSInfosDestroy(void *p)
{
    return informations_of(p) ? object_drop(&informations, p) : SOL_NO_INFORMATIONS;
}

#define SET(name, type, member)                                                                                        \
    Sol cusolverDnIRSParamsSet##name(void *p, type value)                                                              \
    {                                                                                                                  \
        if (!parameters_of(p))                                                                                         \
            return SOL_NO_PARAMETERS;                                                                                  \
        parameters_of(p)->member = value;                                                                              \
        return SOL_SUCCESS;                                                                                            \
    }
SET(SolverMainPrecision, int, main)
SET(SolverLowestPrecision, int, lowest)
SET(RefinementSolver, int, solver)
SET(Tol, double, tolerance)
SET(TolInner, double, inner_tolerance)
SET(MaxIters, int, iterations)
SET(MaxItersInner, int, inner)

Sol cusolverDnIRSParamsSetSolverPrecisions(void *p, int main, int lowest)
{
    Sol e = cusolverDnIRSParamsSetSolverMainPrecision(p, main);
    return e ? e : cusolverDnIRSParamsSetSolverLowestPrecision(p, lowest);
}

Sol cusolverDnIRSParamsGetMaxIters(void *p, int *out)
{
    if (!parameters_of(p) || !out)
        return parameters_of(p) ? SOL_INVALID_VALUE : SOL_NO_PARAMETERS;
    *out = parameters_of(p)->iterations;
    return SOL_SUCCESS;
}

#define FALLBACK(name, value)                                                                                          \
    Sol cusolverDnIRSParams##name##Fallback(void *p)                                                                   \
    {                                                                                                                  \
        if (!parameters_of(p))                                                                                         \
            return SOL_NO_PARAMETERS;                                                                                  \
        parameters_of(p)->fallback = value;                                                                            \
        return SOL_SUCCESS;                                                                                            \
    }
FALLBACK(Enable, 1)
FALLBACK(Disable, 0)

#define GET(name, member)                                                                                              \
    Sol cusolverDnIRSInfosGet##name(void *p, int *out)                                                                 \
    {                                                                                                                  \
        if (!informations_of(p) || !out)                                                                               \
            return informations_of(p) ? SOL_INVALID_VALUE : SOL_NO_INFORMATIONS;                                       \
        *out = informations_of(p)->member;                                                                             \
        return SOL_SUCCESS;                                                                                            \
    }
GET(Niters, iterations)
GET(OuterNiters, iterations)
GET(MaxIters, most)

Sol cusolverDnIRSInfosRequestResidual(void *p)
{
    if (!informations_of(p))
        return SOL_NO_INFORMATIONS;
    informations_of(p)->residual = true;
    return SOL_SUCCESS;
}

/* There is no iteration to tell of. */
Sol cusolverDnIRSInfosGetResidualHistory(void *p, void **out)
{
    if (!informations_of(p) || !out)
        return informations_of(p) ? SOL_INVALID_VALUE : SOL_NO_INFORMATIONS;
    *out = NULL;
    return SOL_SUCCESS;
}

static Sol by_parameters(void *h, const char *call, bool least, const void *params, const void *infos, int m, int n,
                         int columns, void *a, int lda, void *b, int ldb, void *x, int ldx, int *iterations, int *info)
{
    const Parameters *q = parameters_of(params);
    if (handle_of(h) && (!q || !informations_of(infos)))
        return SOL_INVALID_VALUE;
    char letter = q ? letter_of(q->main) : 0;
    if (handle_of(h) && !letter)
        return SOL_INVALID_VALUE;
    Sol e = solve(h, call, letter, least, m, n, columns, a, lda, NULL, b, ldb, x, ldx, iterations, info);
    if (!e)
        informations_of(infos)->iterations = 0;
    return e;
}

Sol cusolverDnIRSXgesv_bufferSize(void *h, void *params, int n, int columns, size_t *bytes)
{
    (void)params, (void)n, (void)columns;
    return size_bytes(h, bytes, &(size_t){0});
}

Sol cusolverDnIRSXgesv(void *h, void *params, void *infos, int n, int columns, void *a, int lda, void *b, int ldb,
                       void *x, int ldx, void *work, size_t bytes, int *iterations, int *info)
{
    (void)work, (void)bytes;
    return by_parameters(h, "cusolverDnIRSXgesv", false, params, infos, n, n, columns, a, lda, b, ldb, x, ldx,
                         iterations, info);
}

Sol cusolverDnIRSXgels_bufferSize(void *h, void *params, int m, int n, int columns, size_t *bytes)
{
    (void)params, (void)m, (void)n, (void)columns;
    return size_bytes(h, bytes, &(size_t){0});
}

Sol cusolverDnIRSXgels(void *h, void *params, void *infos, int m, int n, int columns, void *a, int lda, void *b,
                       int ldb, void *x, int ldx, void *work, size_t bytes, int *iterations, int *info)
{
    (void)work, (void)bytes;
    return by_parameters(h, "cusolverDnIRSXgels", true, params, infos, m, n, columns, a, lda, b, ldb, x, ldx,
                         iterations, info);
}
