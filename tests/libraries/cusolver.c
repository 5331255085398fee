/* SPDX-License-Identifier: Apache-2.0
 *
 * cuSOLVER's dense functions: each result is held against what it means (A x = b, Q R = A, A v = w v, U S V' = A); batches, 64-bit sizes, statuses. */
#include <cusolverDn.h>

#include "common.h"

enum { M = 7, N = 5, BATCH = 3, SPACE = 1 << 16 }; /* SPACE: elements of work space, enough for a card too */

static cusolverDnHandle_t h;
static void              *work;
static int               *dinfo;

static void fill(double *p, int n)
{
    for (int i = 0; i < n; i++)
        p[i] = random_number();
}

/* Symmetric, with a heavy diagonal. */
static void positive(double *a)
{
    for (int j = 0; j < N; j++)
        for (int i = 0; i <= j; i++)
            a[j * N + i] = a[i * N + j] = random_number() + (i == j ? N : 0);
}

static int info(void)
{
    int i = -99;
    fetch(&i, dinfo, sizeof i);
    return i;
}

/* c = a b, of rows x inner and inner x columns. */
static void multiply(const double *a, const double *b, double *c, int rows, int inner, int columns)
{
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++) {
            c[j * rows + i] = 0;
            for (int k = 0; k < inner; k++)
                c[j * rows + i] += a[k * rows + i] * b[j * inner + k];
        }
}

static void same(const double *a, const double *b, int n, int line)
{
    for (int i = 0; i < n; i++)
        expect_at(near(a[i], b[i], 1e-10), "the same numbers", line);
}
#define SAME(a, b, n) same(a, b, n, __LINE__)

static void solves(void)
{
    double a[N * N], b[N * 2], x[N * 2], back[N * 2];
    int    size;
    positive(a), fill(b, N * 2);
    double *da = device(a, sizeof a), *db = device(b, sizeof b);
    GOOD(cusolverDnDpotrf_bufferSize(h, CUBLAS_FILL_MODE_LOWER, N, da, N, &size));
    EXPECT(size >= 1);
    GOOD(cusolverDnDpotrf(h, CUBLAS_FILL_MODE_LOWER, N, da, N, work, size, dinfo));
    EXPECT(info() == 0);
    GOOD(cusolverDnDpotrs(h, CUBLAS_FILL_MODE_LOWER, N, 2, da, N, db, N, dinfo));
    fetch(x, db, sizeof x);
    multiply(a, x, back, N, N, 2);
    SAME(back, b, N * 2);
    cudaFree(da), cudaFree(db);
    int     *pivots = device(NULL, N * 4);
    int64_t *wide   = device(NULL, N * 8);
    for (int how = 0; how < 3; how++) { /* pivots, none, 64 bits */
        size_t bytes, host_bytes;
        fill(a, N * N);
        for (int i = 0; i < N; i++)
            a[i * N + i] += how == 1 ? N : 0;
        da = device(a, sizeof a), db = device(b, sizeof b);
        if (how == 2) {
            GOOD(cusolverDnXgetrf_bufferSize(h, NULL, N, N, CUDA_R_64F, da, N, CUDA_R_64F, &bytes, &host_bytes));
            GOOD(cusolverDnXgetrf(h, NULL, N, N, CUDA_R_64F, da, N, wide, CUDA_R_64F, work, bytes, NULL, host_bytes,
                                  dinfo));
            GOOD(cusolverDnXgetrs(h, NULL, CUBLAS_OP_N, N, 2, CUDA_R_64F, da, N, wide, CUDA_R_64F, db, N, dinfo));
        } else {
            GOOD(cusolverDnDgetrf(h, N, N, da, N, work, how ? NULL : pivots, dinfo));
            GOOD(cusolverDnDgetrs(h, CUBLAS_OP_N, N, 2, da, N, how ? NULL : pivots, db, N, dinfo));
        }
        EXPECT(info() == 0);
        fetch(x, db, sizeof x);
        multiply(a, x, back, N, N, 2);
        SAME(back, b, N * 2);
        cudaFree(da), cudaFree(db);
    }
    double zeros[N * N] = {0};
    da                  = device(zeros, sizeof zeros);
    GOOD(cusolverDnDgetrf(h, N, N, da, N, work, pivots, dinfo));
    EXPECT(info() == 1); /* singular */
    cudaFree(da), cudaFree(pivots), cudaFree(wide);
}

static void factors(void)
{
    double  a[M * N], q[M * N], r[N * N] = {0}, back[M * N];
    double *da = (fill(a, M * N), device(a, sizeof a)), *tau = device(NULL, N * 8), *dc = device(a, sizeof a);
    int     size;
    GOOD(cusolverDnDgeqrf_bufferSize(h, M, N, da, M, &size));
    GOOD(cusolverDnDgeqrf(h, M, N, da, M, tau, work, size, dinfo));
    fetch(q, da, sizeof q);
    for (int j = 0; j < N; j++)
        for (int i = 0; i <= j; i++)
            r[j * N + i] = q[j * M + i];
    GOOD(cusolverDnDormqr(h, CUBLAS_SIDE_LEFT, CUBLAS_OP_T, M, N, N, da, M, tau, dc, M, work, size,
                          dinfo)); /* Q' A = R */
    fetch(back, dc, sizeof back);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++)
            EXPECT(near(back[j * M + i], i <= j ? r[j * N + i] : 0, 1e-12));
    GOOD(cusolverDnDorgqr(h, M, N, N, da, M, tau, work, size, dinfo));
    fetch(q, da, sizeof q);
    multiply(q, r, back, M, N, N);
    SAME(back, a, M * N);
    cudaFree(da), cudaFree(tau), cudaFree(dc);
}

static void values(void)
{
    double a[N * N], v[N * N], w[N], left[N * N];
    positive(a);
    for (int how = 0; how < 2; how++) {
        double *da = device(a, sizeof a), *dw = device(NULL, sizeof w);
        if (how) {
            size_t bytes, host_bytes;
            GOOD(cusolverDnXsyevd_bufferSize(h, NULL, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, N, CUDA_R_64F,
                                             da, N, CUDA_R_64F, dw, CUDA_R_64F, &bytes, &host_bytes));
            GOOD(cusolverDnXsyevd(h, NULL, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, N, CUDA_R_64F, da, N,
                                  CUDA_R_64F, dw, CUDA_R_64F, work, bytes, NULL, 0, dinfo));
        } else {
            GOOD(cusolverDnDsyevd(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, N, da, N, dw, work, SPACE,
                                  dinfo));
        }
        EXPECT(info() == 0);
        fetch(v, da, sizeof v), fetch(w, dw, sizeof w);
        multiply(a, v, left, N, N, N);
        for (int i = 0; i < N * N; i++)
            EXPECT(near(left[i], w[i / N] * v[i], 1e-10));
        cudaFree(da), cudaFree(dw);
    }
    cuDoubleComplex z[N * N], y[N * N];
    double         *dw = device(NULL, sizeof w), sum = 0;
    for (int j = 0; j < N; j++) /* Hermitian: the sum of values is the diagonal's */
        for (int i = 0; i <= j; i++) {
            z[j * N + i] = make_cuDoubleComplex(random_number(), i == j ? 0 : random_number());
            z[i * N + j] = cuConj(z[j * N + i]);
            sum += i == j ? cuCreal(z[j * N + i]) : 0;
        }
    cuDoubleComplex *dz = device(z, sizeof z);
    GOOD(cusolverDnZheevd(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, N, dz, N, dw, work, SPACE, dinfo));
    fetch(w, dw, sizeof w), fetch(y, dz, sizeof y);
    for (int i = 0; i < N; i++)
        sum -= w[i];
    EXPECT(fabs(sum) < 1e-12 && info() == 0);
    cudaFree(dz), cudaFree(dw);
}

/* U S V' of what was asked for is A. */
static void singular(void)
{
    double       a[M * N], u[M * M], s[N], vt[N * N], us[M * N], back[M * N];
    gesvdjInfo_t parameters;
    fill(a, M * N);
    GOOD(cusolverDnCreateGesvdjInfo(&parameters));
    GOOD(cusolverDnXgesvdjSetTolerance(parameters, 1e-12));
    for (int how = 0; how < 2; how++) {
        double *da = device(a, sizeof a), *du = device(NULL, sizeof u), *ds = device(NULL, sizeof s),
               *dv = device(NULL, sizeof vt), t[N * N];
        if (how) {
            GOOD(cusolverDnDgesvdj(h, CUSOLVER_EIG_MODE_VECTOR, 1, M, N, da, M, ds, du, M, dv, N, work, SPACE, dinfo,
                                   parameters));
            fetch(u, du, M * N * 8), fetch(t, dv, sizeof t);
            for (int i = 0; i < N * N; i++)
                vt[i] = t[i % N * N + i / N];
        } else {
            GOOD(cusolverDnDgesvd(h, 'A', 'A', M, N, da, M, ds, du, M, dv, N, work, SPACE, NULL, dinfo));
            fetch(u, du, sizeof u), fetch(vt, dv, sizeof vt);
        }
        EXPECT(info() == 0);
        fetch(s, ds, sizeof s);
        for (int i = 0; i < M * N; i++)
            us[i] = u[i] * s[i / M];
        multiply(us, vt, back, M, N, N);
        SAME(back, a, M * N);
        cudaFree(da), cudaFree(du), cudaFree(ds), cudaFree(dv);
    }
    GOOD(cusolverDnDestroyGesvdjInfo(parameters));
}

static void batches(void)
{
    double a[BATCH][N * N], b[BATCH][N], x[N], back[N], *da[BATCH], *db[BATCH];
    int    codes[BATCH];
    for (int i = 0; i < BATCH; i++)
        positive(a[i]), fill(b[i], N), da[i] = device(a[i], sizeof a[i]), db[i] = device(b[i], sizeof b[i]);
    double **la = device(da, sizeof da), **lb = device(db, sizeof db);
    int     *di = device(NULL, sizeof codes);
    GOOD(cusolverDnDpotrfBatched(h, CUBLAS_FILL_MODE_UPPER, N, la, N, di, BATCH));
    fetch(codes, di, sizeof codes);
    GOOD(cusolverDnDpotrsBatched(h, CUBLAS_FILL_MODE_UPPER, N, 1, la, N, lb, N, di, BATCH));
    for (int i = 0; i < BATCH; i++) {
        fetch(x, db[i], sizeof x);
        multiply(a[i], x, back, N, N, 1);
        SAME(back, b[i], N);
        EXPECT(!codes[i]);
        cudaFree(da[i]), cudaFree(db[i]);
    }
    cudaFree(la), cudaFree(lb), cudaFree(di);
}

static void statuses(void)
{
    double *da = device(NULL, N * N * 8);
    EXPECT(cusolverDnDpotrf(h, CUBLAS_FILL_MODE_LOWER, N, da, N - 1, work, SPACE, dinfo) ==
           CUSOLVER_STATUS_INVALID_VALUE);
    EXPECT(cusolverDnDpotrf(h, CUBLAS_FILL_MODE_LOWER, -1, da, N, work, SPACE, dinfo) == CUSOLVER_STATUS_INVALID_VALUE);
    EXPECT(cusolverDnDpotrf(h, CUBLAS_FILL_MODE_LOWER, N, NULL, N, work, SPACE, dinfo) ==
           CUSOLVER_STATUS_INVALID_VALUE);
    EXPECT(cusolverDnDpotrf((cusolverDnHandle_t)(void *)da, CUBLAS_FILL_MODE_LOWER, N, da, N, work, SPACE, dinfo) ==
           CUSOLVER_STATUS_NOT_INITIALIZED);
    EXPECT(cusolverDnDgesvd(h, 'N', 'N', 3, 5, da, 3, da, NULL, 1, NULL, 1, work, SPACE, NULL, dinfo) ==
           CUSOLVER_STATUS_INVALID_VALUE);
    EXPECT(cusolverDnXpotrf(h, NULL, CUBLAS_FILL_MODE_LOWER, N, CUDA_R_16F, da, N, CUDA_R_16F, work, SPACE, NULL, 0,
                            dinfo) == CUSOLVER_STATUS_NOT_SUPPORTED);
    cudaEmulationStrategy_t strategy = CUDA_EMULATION_STRATEGY_DEFAULT;
    GOOD(cusolverDnSetEmulationStrategy(h, CUDA_EMULATION_STRATEGY_EAGER));
    GOOD(cusolverDnGetEmulationStrategy(h, &strategy));
    EXPECT(strategy == CUDA_EMULATION_STRATEGY_EAGER);
    EXPECT(cusolverDnGetEmulationStrategy(h, NULL) == CUSOLVER_STATUS_INVALID_VALUE);
    EXPECT(cusolverDnSetEmulationStrategy(NULL, CUDA_EMULATION_STRATEGY_EAGER) == CUSOLVER_STATUS_NOT_INITIALIZED);
    GOOD(cusolverDnLoggerSetLevel(5));
    GOOD(cusolverDnLoggerForceDisable());
    cudaFree(da);
}

/* A part of the eigenvalues is that part of all of them, and its vectors are eigenvectors. */
static void ranges(void)
{
    double a[N * N], all[N], w[N], v[N * N];
    int    found = -1;
    positive(a);
    double *da = device(a, sizeof a), *dw = device(NULL, sizeof w);
    GOOD(cusolverDnDsyevd(h, CUSOLVER_EIG_MODE_NOVECTOR, CUBLAS_FILL_MODE_LOWER, N, da, N, dw, work, SPACE, dinfo));
    fetch(all, dw, sizeof all);
    for (int by = 0; by < 2; by++) {
        double low  = (all[0] + all[1]) / 2,
               high = (all[3] + all[4]) / 2; /* no eigenvalue itself: two ways round it differently */
        GOOD(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
        GOOD(cusolverDnDsyevdx(h, CUSOLVER_EIG_MODE_VECTOR, by ? CUSOLVER_EIG_RANGE_V : CUSOLVER_EIG_RANGE_I,
                               CUBLAS_FILL_MODE_LOWER, N, da, N, low, high, 2, 4, &found, dw, work, SPACE, dinfo));
        EXPECT(found == 3 && info() == 0);
        fetch(w, dw, 3 * 8), fetch(v, da, 3 * N * 8);
        for (int k = 0; k < 3; k++) {
            EXPECT(near(w[k], all[k + 1], 1e-12));
            for (int i = 0; i < N; i++) {
                double sum = 0;
                for (int j = 0; j < N; j++)
                    sum += a[j * N + i] * v[k * N + j];
                EXPECT(near(sum, w[k] * v[k * N + i], 1e-10));
            }
        }
    }
    int64_t found64 = -1;
    GOOD(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
    GOOD(cusolverDnXsyevdx(h, NULL, CUSOLVER_EIG_MODE_NOVECTOR, CUSOLVER_EIG_RANGE_I, CUBLAS_FILL_MODE_LOWER, N,
                           CUDA_R_64F, da, N, NULL, NULL, 1, 2, &found64, CUDA_R_64F, dw, CUDA_R_64F, work, SPACE * 8,
                           NULL, 0, dinfo));
    fetch(w, dw, 2 * 8);
    EXPECT(found64 == 2 && near(w[1], all[1], 1e-12));
    EXPECT(cusolverDnDsyevdx(h, CUSOLVER_EIG_MODE_VECTOR, CUSOLVER_EIG_RANGE_I, CUBLAS_FILL_MODE_LOWER, N, da, N, 0, 0,
                             3, 2, &found, dw, work, SPACE, dinfo) == CUSOLVER_STATUS_INVALID_VALUE);
    cudaFree(da), cudaFree(dw);
}

/* A v = w v of a general matrix, also for pairs of complex eigenvalues; the sum of all is the trace. */
static void general(void)
{
    double a[N * N], w[2 * N], v[N * N], trace = 0, sum = 0;
    for (int i = 0; i < N * N; i++)
        a[i] = random_number();
    double *da = device(a, sizeof a), *dw = device(NULL, sizeof w), *dv = device(NULL, sizeof v);
    GOOD(cusolverDnXgeev(h, NULL, CUSOLVER_EIG_MODE_NOVECTOR, CUSOLVER_EIG_MODE_VECTOR, N, CUDA_R_64F, da, N,
                         CUDA_R_64F, dw, CUDA_R_64F, NULL, N, CUDA_R_64F, dv, N, CUDA_R_64F, work, SPACE * 8, NULL, 0,
                         dinfo));
    EXPECT(info() == 0);
    fetch(w, dw, sizeof w), fetch(v, dv, sizeof v);
    for (int k = 0; k < N; k++) {
        double im = w[N + k];
        trace += a[k * N + k], sum += w[k];
        for (int i = 0; i < N && im >= 0; i++) { /* of a pair the first: v_k + i v_(k+1) */
            double re_product = 0, im_product = 0, re = v[k * N + i], other = im > 0 ? v[(k + 1) * N + i] : 0;
            for (int j = 0; j < N; j++) {
                re_product += a[j * N + i] * v[k * N + j];
                im_product += im > 0 ? a[j * N + i] * v[(k + 1) * N + j] : 0;
            }
            EXPECT(near(re_product, w[k] * re - im * other, 1e-10) && near(im_product, w[k] * other + im * re, 1e-10));
        }
    }
    EXPECT(near(trace, sum, 1e-12));
    cudaFree(da), cudaFree(dw), cudaFree(dv);
}

/* Two types: the operands stay, the answer is that of the main one. */
static void refined(void)
{
    double a[N * N], x[N], b[N], got[N], back[N * N];
    int    iterations = -7;
    for (int i = 0; i < N * N; i++)
        a[i] = random_number() + (i % (N + 1) ? 0 : 4);
    for (int i = 0; i < N; i++)
        x[i] = random_number();
    multiply(a, x, b, N, N, 1);
    double *da = device(a, sizeof a), *db = device(b, sizeof b), *dx = device(NULL, sizeof x);
    int    *pivots = device(NULL, N * 4);
    GOOD(cusolverDnDSgesv(h, N, 1, da, N, pivots, db, N, dx, N, work, SPACE * 8, &iterations, dinfo));
    fetch(got, dx, sizeof got), fetch(back, da, sizeof back);
    EXPECT(info() == 0 && iterations >= 0);
    SAME(got, x, N);
    SAME(back, a, N * N);
    cusolverDnIRSParams_t p;
    cusolverDnIRSInfos_t  i;
    GOOD(cusolverDnIRSParamsCreate(&p)), GOOD(cusolverDnIRSInfosCreate(&i));
    EXPECT(cusolverDnIRSXgesv(h, p, i, N, 1, da, N, db, N, dx, N, work, SPACE * 8, &iterations, dinfo) ==
           CUSOLVER_STATUS_INVALID_VALUE); /* no main precision yet */
    GOOD(cusolverDnIRSParamsSetSolverPrecisions(p, CUSOLVER_R_64F, CUSOLVER_R_16F));
    GOOD(cusolverDnIRSXgels(h, p, i, N, N, 1, da, N, db, N, dx, N, work, SPACE * 8, &iterations, dinfo));
    fetch(got, dx, sizeof got);
    SAME(got, x, N);
    GOOD(cusolverDnIRSParamsDestroy(p)), GOOD(cusolverDnIRSInfosDestroy(i));
    EXPECT(cusolverDnIRSInfosDestroy(i) ==
           CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED); /* NVIDIA's say so of NULL, without a card */
    EXPECT(cusolverDnIRSParamsSetTol(NULL, 1) == CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED);
    cudaFree(da), cudaFree(db), cudaFree(dx), cudaFree(pivots);
}

/* Q T Q' = A of a symmetric matrix; the largest singular values of a general one. */
static void reduced(void)
{
    double a[N * N], q[N * N], d[N], e[N], t[N * N] = {0}, left[N * N], back[N * N];
    positive(a);
    double *da = device(a, sizeof a), *dd = device(NULL, sizeof d), *de = device(NULL, sizeof e),
           *tau = device(NULL, sizeof e), *dt;
    GOOD(cusolverDnDsytrd(h, CUBLAS_FILL_MODE_LOWER, N, da, N, dd, de, tau, work, SPACE, dinfo));
    fetch(d, dd, sizeof d), fetch(e, de, (N - 1) * 8);
    for (int i = 0; i < N; i++) {
        t[i * N + i] = d[i];
        if (i + 1 < N)
            t[i * N + i + 1] = t[(i + 1) * N + i] = e[i];
    }
    dt = device(t, sizeof t); /* Q T, then times Q' from the right */
    GOOD(cusolverDnDormtr(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, N, N, da, N, tau, dt, N, work,
                          SPACE, dinfo));
    GOOD(cusolverDnDormtr(h, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, N, N, da, N, tau, dt, N, work,
                          SPACE, dinfo));
    fetch(back, dt, sizeof back);
    for (int i = 0; i < N * N; i++)
        EXPECT(near(back[i], a[i], 1e-10));
    GOOD(cusolverDnDorgtr(h, CUBLAS_FILL_MODE_LOWER, N, da, N, tau, work, SPACE, dinfo));
    fetch(q, da, sizeof q);
    multiply(q, t, left, N, N, N);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += left[k * N + i] * q[k * N + j];
            EXPECT(near(sum, a[j * N + i], 1e-10));
        }
    double s[N], all[N];
    for (int i = 0; i < N * N; i++)
        a[i] = random_number();
    double *du = device(NULL, sizeof a), *dv = device(NULL, sizeof a), *ds = device(NULL, sizeof s);
    for (int rank = 2; rank <= N; rank += N - 2) {
        GOOD(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
        GOOD(cusolverDnXgesvdr(h, NULL, 'S', 'S', N, N, rank, 1, 2, CUDA_R_64F, da, N, CUDA_R_64F, ds, CUDA_R_64F, du,
                               N, CUDA_R_64F, dv, N, CUDA_R_64F, work, SPACE * 8, NULL, 0, dinfo));
        fetch(rank == N ? all : s, ds, (size_t)rank * 8);
    }
    EXPECT(near(s[0], all[0], 1e-12) && near(s[1], all[1], 1e-12));
    double u[N * N], v[N * N];
    fetch(u, du, sizeof u), fetch(v, dv, sizeof v);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += u[k * N + i] * all[k] * v[k * N + j];
            EXPECT(near(sum, a[j * N + i], 1e-10));
        }
    cudaFree(da), cudaFree(dd), cudaFree(de), cudaFree(tau), cudaFree(dt), cudaFree(du), cudaFree(dv), cudaFree(ds);
}

/* L D L' of a triangle: with pivots of a matrix without a diagonal, which needs them, and without any. */
static void indefinite(void)
{
    double a[N * N], b[N * 2], x[N * 2], back[N * 2], inverse[N * N], one[N * N];
    size_t bytes, host;
    int    size;
    for (int how = 0; how < 4; how++) {
        cublasFillMode_t triangle = how & 1 ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
        positive(a), fill(b, N * 2);
        for (int i = 0; i < N && how < 2; i++)
            a[i * N + i] = 0;
        a[N + 1]   = -3;
        double *da = device(a, sizeof a), *db = device(b, sizeof b);
        int    *pivots = how < 2 ? device(NULL, N * sizeof *pivots) : NULL, own[N];
        int64_t wide[N], *dwide = NULL;
        GOOD(cusolverDnDsytrf_bufferSize(h, N, da, N, &size));
        GOOD(cusolverDnDsytrf(h, triangle, N, da, N, pivots, work, SPACE, dinfo));
        EXPECT(info() == 0);
        if (pivots) {
            fetch(own, pivots, sizeof own);
            for (int i = 0; i < N; i++)
                wide[i] = own[i];
            dwide = device(wide, sizeof wide);
        }
        GOOD(
            cusolverDnXsytrs_bufferSize(h, triangle, N, 2, CUDA_R_64F, da, N, dwide, CUDA_R_64F, db, N, &bytes, &host));
        GOOD(cusolverDnXsytrs(h, triangle, N, 2, CUDA_R_64F, da, N, dwide, CUDA_R_64F, db, N, work, bytes, NULL, 0,
                              dinfo));
        EXPECT(info() == 0);
        fetch(x, db, sizeof x);
        multiply(a, x, back, N, N, 2);
        SAME(back, b, N * 2);
        GOOD(cusolverDnDsytri_bufferSize(h, triangle, N, da, N, pivots, &size));
        GOOD(cusolverDnDsytri(h, triangle, N, da, N, pivots, work, SPACE, dinfo));
        EXPECT(info() == 0);
        fetch(inverse, da, sizeof inverse);
        for (int j = 0; j < N; j++)
            for (int i = 0; i < j; i++)
                if (how & 1)
                    inverse[i * N + j] = inverse[j * N + i];
                else
                    inverse[j * N + i] = inverse[i * N + j];
        multiply(a, inverse, one, N, N, N);
        for (int i = 0; i < N * N; i++)
            EXPECT(near(one[i], i % (N + 1) == 0, 1e-10));
        cudaFree(da), cudaFree(db), cudaFree(pivots), cudaFree(dwide);
    }
}

/* What no factorisation gives, and a pivot that is zero where none may be exchanged. */
static void bad_pivots(void)
{
    double  a[N * N];
    int64_t wide[N] = {1, 2, -3, 4, 5};
    positive(a);
    double  *da = device(a, sizeof a), *db = device(a, sizeof a);
    int     *pivots = device(NULL, N * sizeof *pivots);
    int64_t *dwide  = device(wide, sizeof wide);
    GOOD(cudaMemset(pivots, 0, N * sizeof *pivots));
    GOOD(cusolverDnDgetrs(h, CUBLAS_OP_N, N, 1, da, N, pivots, db, N, dinfo));
    EXPECT(info() == -6);
    GOOD(cusolverDnDsytri(h, CUBLAS_FILL_MODE_LOWER, N, da, N, pivots, work, SPACE, dinfo));
    EXPECT(info() == -5);
    GOOD(cusolverDnXsytrs(h, CUBLAS_FILL_MODE_UPPER, N, 1, CUDA_R_64F, da, N, dwide, CUDA_R_64F, db, N, work, 8, NULL,
                          0, dinfo));
    EXPECT(info() == -6);
    GOOD(cudaMemset(da, 0, sizeof a));
    GOOD(cusolverDnDsytrf(h, CUBLAS_FILL_MODE_LOWER, N, da, N, NULL, work, SPACE, dinfo));
    EXPECT(info() == 1);
    EXPECT(cusolverDnXsytrs(h, CUBLAS_FILL_MODE_UPPER, N, 1, CUDA_R_64F, da, N, dwide, CUDA_R_32F, db, N, work, 8, NULL,
                            0, dinfo) == CUSOLVER_STATUS_NOT_SUPPORTED);
    cudaFree(da), cudaFree(db), cudaFree(pivots), cudaFree(dwide);
}

/* I - V T V' is the product of QR's reflectors. */
static void reflectors(void)
{
    enum { K = 3 };
    double a[M * K], v[M * K], q[M * K], t[K * K];
    size_t bytes, host;
    fill(a, M * K);
    double *da = device(a, sizeof a), *tau = device(NULL, K * 8), *dt = device(NULL, sizeof t);
    GOOD(cudaMemset(dt, 0, sizeof t));
    GOOD(cusolverDnDgeqrf(h, M, K, da, M, tau, work, SPACE, dinfo));
    fetch(v, da, sizeof v);
    GOOD(cusolverDnXlarft_bufferSize(h, NULL, CUBLAS_DIRECT_FORWARD, CUBLAS_STOREV_COLUMNWISE, M, K, CUDA_R_64F, da, M,
                                     CUDA_R_64F, tau, CUDA_R_64F, dt, K, CUDA_R_64F, &bytes, &host));
    GOOD(cusolverDnXlarft(h, NULL, CUBLAS_DIRECT_FORWARD, CUBLAS_STOREV_COLUMNWISE, M, K, CUDA_R_64F, da, M, CUDA_R_64F,
                          tau, CUDA_R_64F, dt, K, CUDA_R_64F, work, bytes, NULL, 0));
    fetch(t, dt, sizeof t);
    GOOD(cusolverDnDorgqr(h, M, K, K, da, M, tau, work, SPACE, dinfo));
    fetch(q, da, sizeof q);
    for (int j = 0; j < K; j++)
        for (int i = 0; i <= j; i++)
            v[j * M + i] = i == j;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < K; j++) {
            double sum = i == j;
            for (int k = 0; k < K; k++)
                for (int l = k; l < K; l++)
                    sum -= v[k * M + i] * t[l * K + k] * v[l * M + j];
            EXPECT(near(sum, q[j * M + i], 1e-12));
        }
    EXPECT(cusolverDnXlarft(h, NULL, CUBLAS_DIRECT_FORWARD, CUBLAS_STOREV_COLUMNWISE, K, M, CUDA_R_64F, da, M,
                            CUDA_R_64F, tau, CUDA_R_64F, dt, M, CUDA_R_64F, work, bytes, NULL,
                            0) == CUSOLVER_STATUS_INVALID_VALUE);
    cudaFree(da), cudaFree(tau), cudaFree(dt);
}

int main(int argc, char **argv)
{
    static const Part parts[] = {{"solves", solves},        {"factors", factors},       {"values", values},
                                 {"singular", singular},    {"batches", batches},       {"statuses", statuses},
                                 {"ranges", ranges},        {"general", general},       {"refined", refined},
                                 {"reduced", reduced},      {"indefinite", indefinite}, {"bad_pivots", bad_pivots},
                                 {"reflectors", reflectors}};
    GOOD(cusolverDnCreate(&h));
    work  = device(NULL, SPACE * 8);
    dinfo = device(NULL, 4);
    int r = run_parts(parts, sizeof parts / sizeof *parts, argc, argv);
    cudaFree(work), cudaFree(dinfo);
    return cusolverDnDestroy(h) || r;
}
