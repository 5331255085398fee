/* SPDX-License-Identifier: Apache-2.0
 *
 * cusolverRf: factors whose structure cusolverSp's LU has found are made anew for other values, in every format and with the unit diagonal on either
 * side; the solutions are put into their systems and the factors multiplied.  Batches, pivots that are zero or replaced, statuses.  Besides:
 * cusolverSp's count of eigenvalues in a rectangle, and the diagonal of Cholesky's factor, in four types. */
#include <cusolverRf.h>
#include <cusolverSp.h>
#include <cusolverSp_LOWLEVEL_PREVIEW.h>
#include <cusparse.h>

#include "common.h"

enum { N = 12, MOST = N * N, BATCH = 3 };

static cusolverSpHandle_t h;
static cusparseMatDescr_t d;

typedef struct Format { /* by rows, or by columns */
    int    nonzeros, offset[N + 1], index[MOST];
    double value[MOST];
} Format;

static double dense[MOST];
static int    lower[MOST], upper[MOST], p[N], q[N]; /* what the factors have, diagonals included */

static void make(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            dense[i * N + j] = i == j ? 5 + random_number() : random_number() > 0.25 ? random_number() : 0;
    dense[0] = 0, dense[1] = 3, dense[N] = 2; /* it has to choose */
}

/* The same places, other numbers. */
static void change(void)
{
    for (int i = 0; i < MOST; i++)
        if (dense[i] != 0)
            dense[i] += random_number() / 4;
}

/* Of A, or of what a factor has; less: without its diagonal. */
static Format part(const int *has, int columns, int less)
{
    Format a = {0};
    for (int line = 0; line < N; line++) {
        for (int k = 0; k < N; k++) {
            int at = columns ? k * N + line : line * N + k;
            if ((has ? !has[at] : dense[at] == 0) || (less && k == line))
                continue;
            a.value[a.nonzeros]   = has ? 0.5 : dense[at];
            a.index[a.nonzeros++] = k;
        }
        a.offset[line + 1] = a.nonzeros;
    }
    return a;
}

static void find_structure(void)
{
    csrluInfoHost_t lu;
    Format          a = part(NULL, 0, 0), l, u;
    GOOD(cusolverSpCreateCsrluInfoHost(&lu));
    GOOD(cusolverSpXcsrluAnalysisHost(h, N, a.nonzeros, d, a.offset, a.index, lu));
    GOOD(cusolverSpDcsrluFactorHost(h, N, a.nonzeros, d, a.value, a.offset, a.index, lu, 1, NULL));
    GOOD(cusolverSpDcsrluExtractHost(h, p, q, d, l.value, l.offset, l.index, d, u.value, u.offset, u.index, lu, NULL));
    GOOD(cusolverSpDestroyCsrluInfoHost(lu));
    memset(lower, 0, sizeof lower), memset(upper, 0, sizeof upper);
    for (int i = 0; i < N; i++) {
        for (int k = l.offset[i]; k < l.offset[i + 1]; k++)
            lower[i * N + l.index[k]] = 1;
        for (int k = u.offset[i]; k < u.offset[i + 1]; k++)
            upper[i * N + u.index[k]] = 1;
    }
}

static int solved(const double *x, const double *b)
{
    int good = 1;
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int j = 0; j < N; j++)
            sum += dense[i * N + j] * x[j];
        good = good && near(sum, b[i], 1e-9);
    }
    return good;
}

typedef struct Device {
    int    *offset, *index, *p, *q;
    double *value, *x, *room;
} Device;

static Device upload(const Format *a, const double *b)
{
    return (Device){device(a->offset, sizeof a->offset),
                    device(a->index, (size_t)a->nonzeros * 4),
                    device(p, sizeof p),
                    device(q, sizeof q),
                    device(a->value, (size_t)a->nonzeros * 8),
                    device(b, N * 8),
                    device(NULL, N * 8 * 2 * BATCH)};
}

static void release(Device *v)
{
    cudaFree(v->offset), cudaFree(v->index), cudaFree(v->p), cudaFree(v->q), cudaFree(v->value), cudaFree(v->x),
        cudaFree(v->room);
}

/* A matrix in that format, added to what is at its places; the diagonal is 1 where it is assumed. */
static void spread(double *to, int columns, const int *offset, const int *index, const double *value, int assumed)
{
    memset(to, 0, MOST * sizeof *to);
    for (int line = 0; line < N; line++) {
        for (int k = offset[line]; k < offset[line + 1]; k++)
            to[columns ? index[k] * N + line : line * N + index[k]] += value[k];
        to[line * N + line] += assumed;
    }
}

static void check_factors(cusolverRfHandle_t rf, int columns, int diagonal)
{
    int    *pl, *il, *pu, *iu, nl, nu, nm, *pm, *im;
    double *vl, *vu, *vm, l[MOST], u[MOST], m[MOST], back[MOST];
    GOOD(cusolverRfExtractSplitFactorsHost(rf, &nl, &pl, &il, &vl, &nu, &pu, &iu, &vu));
    GOOD(cusolverRfExtractBundledFactorsHost(rf, &nm, &pm, &im, &vm));
    EXPECT(pl[N] == nl && pu[N] == nu && pm[N] == nm && nm == nl + nu - (diagonal < 2 ? N : 0));
    spread(l, columns, pl, il, vl, diagonal == CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L);
    spread(u, columns, pu, iu, vu, diagonal == CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_U);
    spread(m, columns, pm, im, vm, 0);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += l[i * N + k] * u[k * N + j];
            EXPECT(near(sum, dense[p[i] * N + q[j]], 1e-9));
            EXPECT(near(m[i * N + j], l[i * N + j] + u[i * N + j] - (i == j), 1e-12));
        }
    EXPECT((diagonal & 1 ? u : l)[N + 1] == 1);
    int    *dp, *di, index[MOST];
    double *dv, value[MOST];
    int     offset[N + 1], n;
    GOOD(cusolverRfAccessBundledFactorsDevice(rf, &n, &dp, &di, &dv));
    fetch(offset, dp, sizeof offset), fetch(index, di, (size_t)n * 4), fetch(value, dv, (size_t)n * 8);
    spread(back, columns, offset, index, value, 0);
    EXPECT(n == nm && !memcmp(back, m, sizeof back));
    free(pl), free(il), free(vl), free(pu), free(iu), free(vu), free(pm), free(im), free(vm);
}

static void refactors(void)
{
    for (int how = 0; how < 16; how++) {
        int                columns = how & 1, diagonal = how >> 1 & 3, on_device = how >> 3;
        double             b[N], x[N];
        cusolverRfHandle_t rf;
        make(), find_structure();
        for (int i = 0; i < N; i++)
            b[i] = random_number();
        Format a = part(NULL, columns, 0), l = part(lower, columns, diagonal == CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L),
               u = part(upper, columns, diagonal == CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_U);
        GOOD(cusolverRfCreate(&rf));
        GOOD(cusolverRfSetMatrixFormat(rf, columns, diagonal));
        Device v = upload(&a, b);
        if (on_device) {
            Device dl = upload(&l, b), du = upload(&u, b);
            GOOD(cusolverRfSetupDevice(N, a.nonzeros, v.offset, v.index, v.value, l.nonzeros, dl.offset, dl.index,
                                       dl.value, u.nonzeros, du.offset, du.index, du.value, v.p, v.q, rf));
            release(&dl), release(&du);
        } else {
            GOOD(cusolverRfSetupHost(N, a.nonzeros, a.offset, a.index, a.value, l.nonzeros, l.offset, l.index, l.value,
                                     u.nonzeros, u.offset, u.index, u.value, p, q, rf));
        }
        EXPECT(cusolverRfRefactor(rf) == CUSOLVER_STATUS_INVALID_VALUE); /* not analysed */
        GOOD(cusolverRfAnalyze(rf));
        EXPECT(cusolverRfSolve(rf, v.p, v.q, 1, v.room, N, v.x, N) == CUSOLVER_STATUS_INVALID_VALUE);
        for (int times = 0; times < 3; times++) { /* the values it was set up with, then others */
            if (times) {
                change();
                a = part(NULL, columns, 0);
                GOOD(cudaMemcpy(v.value, a.value, (size_t)a.nonzeros * 8, cudaMemcpyHostToDevice));
                GOOD(cudaMemcpy(v.x, b, sizeof b, cudaMemcpyHostToDevice));
                GOOD(cusolverRfResetValues(N, a.nonzeros, v.offset, v.index, v.value, v.p, v.q, rf));
            }
            GOOD(cusolverRfRefactor(rf));
            GOOD(cusolverRfSolve(rf, v.p, v.q, 1, v.room, N, v.x, N));
            fetch(x, v.x, sizeof x);
            EXPECT(solved(x, b));
            check_factors(rf, columns, diagonal);
        }
        EXPECT(cusolverRfSolve(rf, v.p, v.q, 2, v.room, N, v.x, N) == CUSOLVER_STATUS_INVALID_VALUE);
        EXPECT(cusolverRfSolve(NULL, v.p, v.q, 1, v.room, N, v.x, N) == CUSOLVER_STATUS_NOT_INITIALIZED);
        EXPECT(cusolverRfResetValues(N, a.nonzeros - 1, v.offset, v.index, v.value, v.p, v.q, rf) ==
               CUSOLVER_STATUS_INVALID_VALUE);
        GOOD(cusolverRfDestroy(rf));
        release(&v);
    }
}

static void batches(void)
{
    double             b[N], x[N], kept[BATCH][MOST], *value[BATCH], *on_device[BATCH], *right[BATCH];
    Format             a[BATCH];
    cusolverRfHandle_t rf;
    int                position[BATCH] = {7, 7, 7};
    make(), find_structure();
    Format l = part(lower, 0, 0), u = part(upper, 0, 0);
    for (int i = 0; i < N; i++)
        b[i] = random_number();
    for (int k = 0; k < BATCH; k++) {
        change();
        a[k]     = part(NULL, 0, 0);
        value[k] = a[k].value;
    }
    GOOD(cusolverRfCreate(&rf));
    GOOD(cusolverRfBatchSetupHost(BATCH, N, a[0].nonzeros, a[0].offset, a[0].index, value, l.nonzeros, l.offset,
                                  l.index, l.value, u.nonzeros, u.offset, u.index, u.value, p, q, rf));
    GOOD(cusolverRfBatchAnalyze(rf));
    EXPECT(cusolverRfRefactor(rf) == CUSOLVER_STATUS_INVALID_VALUE); /* it is a batch */
    for (int k = 0; k < BATCH; k++) {
        change();
        memcpy(kept[k], dense, sizeof dense);
        a[k]         = part(NULL, 0, 0);
        on_device[k] = device(a[k].value, (size_t)a[k].nonzeros * 8);
        right[k]     = device(b, sizeof b);
    }
    Device   v  = upload(&a[0], b);
    double **dv = device(on_device, sizeof on_device), **dx = device(right, sizeof right);
    GOOD(cusolverRfBatchResetValues(BATCH, N, a[0].nonzeros, v.offset, v.index, dv, v.p, v.q, rf));
    GOOD(cusolverRfBatchRefactor(rf));
    GOOD(cusolverRfBatchSolve(rf, v.p, v.q, 1, v.room, N, dx, N));
    GOOD(cusolverRfBatchZeroPivot(rf, position));
    for (int k = 0; k < BATCH; k++) {
        memcpy(dense, kept[k], sizeof dense);
        fetch(x, right[k], sizeof x);
        EXPECT(solved(x, b) && position[k] == -1);
    }
    GOOD(cudaMemset(on_device[1], 0, (size_t)a[1].nonzeros * 8)); /* the second is zero */
    GOOD(cusolverRfBatchResetValues(BATCH, N, a[0].nonzeros, v.offset, v.index, dv, v.p, v.q, rf));
    EXPECT(cusolverRfBatchRefactor(rf) == CUSOLVER_STATUS_ZERO_PIVOT);
    GOOD(cusolverRfBatchZeroPivot(rf, position));
    EXPECT(position[0] == -1 && position[1] == 0 && position[2] == -1);
    GOOD(cusolverRfDestroy(rf));
    for (int k = 0; k < BATCH; k++)
        cudaFree(on_device[k]), cudaFree(right[k]);
    cudaFree(dv), cudaFree(dx), release(&v);
}

static void pivots(void)
{
    double                         zero, boost, x[N], b[N];
    cusolverRfHandle_t             rf;
    cusolverRfNumericBoostReport_t report;
    memset(dense, 0, sizeof dense), memset(lower, 0, sizeof lower);
    for (int i = 0; i < N; i++)
        dense[i * N + i] = i + 1, lower[i * N + i] = 1, p[i] = q[i] = i, b[i] = i + 1;
    Format a = part(NULL, 0, 0), l = part(lower, 0, 0);
    a.value[4] = 1e-6;
    GOOD(cusolverRfCreate(&rf));
    GOOD(cusolverRfSetNumericProperties(rf, 1e-3, 0));
    GOOD(cusolverRfGetNumericProperties(rf, &zero, &boost));
    EXPECT(zero == 1e-3 && boost == 0);
    GOOD(cusolverRfSetupHost(N, a.nonzeros, a.offset, a.index, a.value, l.nonzeros, l.offset, l.index, l.value,
                             l.nonzeros, l.offset, l.index, l.value, p, q, rf));
    GOOD(cusolverRfAnalyze(rf));
    EXPECT(cusolverRfRefactor(rf) == CUSOLVER_STATUS_ZERO_PIVOT);
    GOOD(cusolverRfSetNumericProperties(rf, 1e-3, 5));
    GOOD(cusolverRfRefactor(rf));
    GOOD(cusolverRfGetNumericBoostReport(rf, &report));
    EXPECT(report == CUSOLVERRF_NUMERIC_BOOST_USED);
    Device v = upload(&a, b);
    GOOD(cusolverRfSolve(rf, v.p, v.q, 1, v.room, N, v.x, N));
    fetch(x, v.x, sizeof x);
    for (int i = 0; i < N; i++)
        EXPECT(x[i] == 1);
    a.index[3] = 2; /* where no factor has an element, then outside of the matrix, then what is no permutation */
    EXPECT(cusolverRfSetupHost(N, a.nonzeros, a.offset, a.index, a.value, l.nonzeros, l.offset, l.index, l.value,
                               l.nonzeros, l.offset, l.index, l.value, p, q, rf) == CUSOLVER_STATUS_INVALID_VALUE);
    a.index[3] = N;
    EXPECT(cusolverRfSetupHost(N, a.nonzeros, a.offset, a.index, a.value, l.nonzeros, l.offset, l.index, l.value,
                               l.nonzeros, l.offset, l.index, l.value, p, q, rf) == CUSOLVER_STATUS_INVALID_VALUE);
    a.index[3] = 3, p[0] = 1;
    EXPECT(cusolverRfSetupHost(N, a.nonzeros, a.offset, a.index, a.value, l.nonzeros, l.offset, l.index, l.value,
                               l.nonzeros, l.offset, l.index, l.value, p, q, rf) == CUSOLVER_STATUS_INVALID_VALUE);
    EXPECT(cusolverRfSetNumericProperties(rf, -1, 0) == CUSOLVER_STATUS_INVALID_VALUE);
    EXPECT(cusolverRfRefactor(rf) == CUSOLVER_STATUS_INVALID_VALUE); /* nothing is set up now */
    GOOD(cusolverRfDestroy(rf));
    EXPECT(cusolverRfDestroy(rf) == CUSOLVER_STATUS_NOT_INITIALIZED);
    release(&v);
}

/* A matrix of a batch that is no device memory is told, and nothing is computed with it. */
static void beyond(void)
{
    double             b[N] = {0}, *value[1], *wrong[] = {(double *)0x40};
    cusolverRfHandle_t rf;
    make(), find_structure();
    Format a = part(NULL, 0, 0), l = part(lower, 0, 0), u = part(upper, 0, 0);
    value[0] = a.value;
    GOOD(cusolverRfCreate(&rf));
    GOOD(cusolverRfBatchSetupHost(1, N, a.nonzeros, a.offset, a.index, value, l.nonzeros, l.offset, l.index, l.value,
                                  u.nonzeros, u.offset, u.index, u.value, p, q, rf));
    Device   v  = upload(&a, b);
    double **dv = device(wrong, sizeof wrong);
    EXPECT(cusolverRfBatchResetValues(1, N, a.nonzeros, v.offset, v.index, dv, v.p, v.q, rf) !=
           CUSOLVER_STATUS_SUCCESS);
}

/* A diagonal of 1 to 12 with something above it, and for complex types 12 times i in the last place. */
#define EIGENVALUES(L, T, Corner, MAKE, is_complex, SET)                                                               \
    static void eigenvalues_##L(void)                                                                                  \
    {                                                                                                                  \
        T   value[2 * N];                                                                                              \
        int offset[N + 1], column[2 * N], found = -1, n = 0;                                                           \
        for (int i = 0; i < N; i++) {                                                                                  \
            offset[i] = n;                                                                                             \
            SET(value[n], is_complex &&i == N - 1 ? 0 : i + 1, is_complex && i == N - 1 ? N : 0);                      \
            column[n++] = i;                                                                                           \
            if (i < N - 1) {                                                                                           \
                SET(value[n], 0.5, 0);                                                                                 \
                column[n++] = i + 1;                                                                                   \
            }                                                                                                          \
        }                                                                                                              \
        offset[N] = n;                                                                                                 \
        GOOD(cusolverSp##L##csreigsHost(h, N, n, d, value, offset, column, MAKE(2.5, -1), MAKE(20, 20), &found));      \
        EXPECT(found == (is_complex ? 9 : 10));                                                                        \
        GOOD(cusolverSp##L##csreigsHost(h, N, n, d, value, offset, column, MAKE(-0.5, 0.5), MAKE(20, 20), &found));    \
        EXPECT(found == is_complex);                                                                                   \
        EXPECT(cusolverSp##L##csreigsHost(h, N, n, d, value, offset, column, MAKE(0, 0), MAKE(1, 1), NULL) ==          \
               CUSOLVER_STATUS_INVALID_VALUE);                                                                         \
    }
#define SET_REAL(to, re, im)    to = (re)
#define SET_COMPLEX(to, re, im) to.x = (re), to.y = (im)
EIGENVALUES(S, float, cuComplex, make_cuComplex, 0, SET_REAL)
EIGENVALUES(D, double, cuDoubleComplex, make_cuDoubleComplex, 0, SET_REAL)
EIGENVALUES(C, cuComplex, cuComplex, make_cuComplex, 1, SET_COMPLEX)
EIGENVALUES(Z, cuDoubleComplex, cuDoubleComplex, make_cuDoubleComplex, 1, SET_COMPLEX)

static void eigenvalues(void)
{
    eigenvalues_S(), eigenvalues_D(), eigenvalues_C(), eigenvalues_Z();
}

/* Of (4 2 0; 2 5 4; 0 4 8), whose factor has 2, 2 and 2 on its diagonal. */
#define DIAGONAL(L, T, Real, SET)                                                                                      \
    static void diagonal_##L(void)                                                                                     \
    {                                                                                                                  \
        static const double of[]     = {4, 2, 2, 5, 4, 4, 8};                                                          \
        int                 offset[] = {0, 2, 5, 7}, column[] = {0, 1, 0, 1, 2, 1, 2};                                 \
        T                   value[7];                                                                                  \
        Real                got[3];                                                                                    \
        csrcholInfo_t       info;                                                                                      \
        for (int i = 0; i < 7; i++)                                                                                    \
            SET(value[i], of[i], 0);                                                                                   \
        T    *v  = device(value, sizeof value);                                                                        \
        int  *po = device(offset, sizeof offset), *pc = device(column, sizeof column);                                 \
        Real *out    = device(NULL, sizeof got);                                                                       \
        void *buffer = device(NULL, 64);                                                                               \
        GOOD(cusolverSpCreateCsrcholInfo(&info));                                                                      \
        EXPECT(cusolverSp##L##csrcholDiag(h, info, out) == CUSOLVER_STATUS_INVALID_VALUE);                             \
        GOOD(cusolverSpXcsrcholAnalysis(h, 3, 7, d, po, pc, info));                                                    \
        GOOD(cusolverSp##L##csrcholFactor(h, 3, 7, d, v, po, pc, info, buffer));                                       \
        GOOD(cusolverSp##L##csrcholDiag(h, info, out));                                                                \
        fetch(got, out, sizeof got);                                                                                   \
        EXPECT(near(got[0], 2, 1e-6) && near(got[1], 2, 1e-6) && near(got[2], 2, 1e-6));                               \
        GOOD(cusolverSpDestroyCsrcholInfo(info));                                                                      \
        cudaFree(v), cudaFree(po), cudaFree(pc), cudaFree(out), cudaFree(buffer);                                      \
    }
DIAGONAL(S, float, float, SET_REAL)
DIAGONAL(D, double, double, SET_REAL)
DIAGONAL(C, cuComplex, float, SET_COMPLEX)
DIAGONAL(Z, cuDoubleComplex, double, SET_COMPLEX)

static void diagonals(void)
{
    diagonal_S(), diagonal_D(), diagonal_C(), diagonal_Z();
}

int main(int argc, char **argv)
{
    static const Part parts[] = {{"refactors", refactors}, {"batches", batches},         {"pivots", pivots},
                                 {"beyond", beyond},       {"eigenvalues", eigenvalues}, {"diagonals", diagonals}};
    GOOD(cusolverSpCreate(&h)), GOOD(cusparseCreateMatDescr(&d));
    int r = run_parts(parts, sizeof parts / sizeof *parts, argc, argv);
    return cusparseDestroyMatDescr(d) || cusolverSpDestroy(h) || r;
}
