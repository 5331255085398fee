/* SPDX-License-Identifier: Apache-2.0
 *
 * cuSOLVER's dense functions: each result is held against what it means (A x = b, Q R = A, A v = w v, U S V' = A); batches, 64-bit sizes, statuses. */
#include <cusolverDn.h>

#include "common.h"

enum { M = 7, N = 5, BATCH = 3 };

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
            GOOD(cusolverDnDsyevd(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, N, da, N, dw, work, 1, dinfo));
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
    GOOD(cusolverDnZheevd(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, N, dz, N, dw, work, 1, dinfo));
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
            GOOD(cusolverDnDgesvdj(h, CUSOLVER_EIG_MODE_VECTOR, 1, M, N, da, M, ds, du, M, dv, N, work, 1, dinfo,
                                   parameters));
            fetch(u, du, M * N * 8), fetch(t, dv, sizeof t);
            for (int i = 0; i < N * N; i++)
                vt[i] = t[i % N * N + i / N];
        } else {
            GOOD(cusolverDnDgesvd(h, 'A', 'A', M, N, da, M, ds, du, M, dv, N, work, 1, NULL, dinfo));
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
    EXPECT(cusolverDnDpotrf(h, CUBLAS_FILL_MODE_LOWER, N, da, N - 1, work, 1, dinfo) == CUSOLVER_STATUS_INVALID_VALUE);
    EXPECT(cusolverDnDpotrf(h, CUBLAS_FILL_MODE_LOWER, -1, da, N, work, 1, dinfo) == CUSOLVER_STATUS_INVALID_VALUE);
    EXPECT(cusolverDnDpotrf(h, CUBLAS_FILL_MODE_LOWER, N, NULL, N, work, 1, dinfo) == CUSOLVER_STATUS_INVALID_VALUE);
    EXPECT(cusolverDnDpotrf((cusolverDnHandle_t)(void *)da, CUBLAS_FILL_MODE_LOWER, N, da, N, work, 1, dinfo) ==
           CUSOLVER_STATUS_NOT_INITIALIZED);
    EXPECT(cusolverDnDgesvd(h, 'N', 'N', 3, 5, da, 3, da, NULL, 1, NULL, 1, work, 1, NULL, dinfo) ==
           CUSOLVER_STATUS_INVALID_VALUE);
    EXPECT(cusolverDnXpotrf(h, NULL, CUBLAS_FILL_MODE_LOWER, N, CUDA_R_16F, da, N, CUDA_R_16F, work, 1, NULL, 0,
                            dinfo) == CUSOLVER_STATUS_NOT_SUPPORTED);
    cudaFree(da);
}

int main(int argc, char **argv)
{
    static const Part parts[] = {{"solves", solves},     {"factors", factors}, {"values", values},
                                 {"singular", singular}, {"batches", batches}, {"statuses", statuses}};
    GOOD(cusolverDnCreate(&h));
    work  = device(NULL, 4096);
    dinfo = device(NULL, 4);
    int r = run_parts(parts, sizeof parts / sizeof *parts, argc, argv);
    cudaFree(work), cudaFree(dinfo);
    return cusolverDnDestroy(h) || r;
}
