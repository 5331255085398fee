/* SPDX-License-Identifier: Apache-2.0
 *
 * cuBLAS beyond the usual: 64-bit sizes, banded and packed matrices, batches of factorisations and of vectors, operands of the host (cublasXt).  Every
 * one is compared with the plain function on the same numbers, or with what a factorisation is. */
#include <cublasXt.h>
#include <cublas_v2.h>

#include "common.h"

enum { N = 6, KL = 2, KU = 1, BATCH = 3 };

static cublasHandle_t h;
static double         full[N * N], x[N], y[N], got[N], want[N];

static void fill(double *p, int n)
{
    for (int i = 0; i < n; i++)
        p[i] = random_number();
}

static void same(const double *a, const double *b, int n, int line)
{
    for (int i = 0; i < n; i++)
        expect_at(near(a[i], b[i], 1e-12), "the same numbers", line);
}
#define SAME(a, b, n) same(a, b, n, __LINE__)

/* y of the plain function, on a matrix that is stored in full. */
static void plain(int symmetric)
{
    double one = 1, two = 2, *da = device(full, sizeof full), *dx = device(x, sizeof x), *dy = device(y, sizeof y);
    if (symmetric)
        GOOD(cublasDsymv(h, CUBLAS_FILL_MODE_LOWER, N, &one, da, N, dx, 1, &two, dy, 1));
    else
        GOOD(cublasDgemv(h, CUBLAS_OP_N, N, N, &one, da, N, dx, 1, &two, dy, 1));
    fetch(want, dy, sizeof want);
    cudaFree(da), cudaFree(dx), cudaFree(dy);
}

static void wide(void)
{
    double one = 1, two = 2, dot, dot64;
    fill(full, N * N), fill(x, N), fill(y, N);
    plain(0);
    double *da = device(full, sizeof full), *dx = device(x, sizeof x), *dy = device(y, sizeof y),
           *dc = device(NULL, sizeof full), *dd = device(NULL, sizeof full);
    GOOD(cublasDgemv_64(h, CUBLAS_OP_N, N, N, &one, da, N, dx, 1, &two, dy, 1));
    fetch(got, dy, sizeof got);
    SAME(got, want, N);
    double zero = 0, c[N * N], d[N * N];
    GOOD(cublasDgemm(h, CUBLAS_OP_T, CUBLAS_OP_N, N, N, N, &one, da, N, da, N, &zero, dc, N));
    GOOD(cublasDgemm_64(h, CUBLAS_OP_T, CUBLAS_OP_N, N, N, N, &one, da, N, da, N, &zero, dd, N));
    fetch(c, dc, sizeof c), fetch(d, dd, sizeof d);
    SAME(d, c, N * N);
    int     at;
    int64_t at64;
    GOOD(cublasIdamax(h, N, dx, 1, &at));
    GOOD(cublasIdamax_64(h, N, dx, 1, &at64));
    EXPECT(at64 == at);
    GOOD(cublasDdot(h, N, dx, 1, dy, 1, &dot));
    GOOD(cublasDdot_64(h, N, dx, 1, dy, 1, &dot64));
    EXPECT(dot == dot64);
    EXPECT(cublasDgemm_64(h, CUBLAS_OP_N, CUBLAS_OP_N, INT64_C(1) << 33, 1, 1, &one, da, INT64_C(1) << 33, da, 1, &zero,
                          dc, INT64_C(1) << 33) == CUBLAS_STATUS_NOT_SUPPORTED); /* sizes beyond the host's routines */
    cudaFree(da), cudaFree(dx), cudaFree(dy), cudaFree(dc), cudaFree(dd);
}

static void banded(void)
{
    double one = 1, two = 2, band[N * N] = {0}, packed[N * N];
    fill(full, N * N), fill(x, N), fill(y, N);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            if (i - j > KL || j - i > KU)
                full[j * N + i] = 0;
            else
                band[j * N + KU + i - j] = full[j * N + i];
    plain(0);
    double *db = device(band, sizeof band), *dx = device(x, sizeof x), *dy = device(y, sizeof y);
    GOOD(cublasDgbmv(h, CUBLAS_OP_N, N, N, KL, KU, &one, db, N, dx, 1, &two, dy, 1));
    fetch(got, dy, sizeof got);
    SAME(got, want, N);
    cudaFree(db), cudaFree(dy);
    fill(full, N * N);
    int n = 0;
    for (int j = 0; j < N; j++)
        for (int i = j; i < N; i++)
            packed[n++] = full[j * N + i];
    plain(1);
    double *dp = device(packed, (size_t)n * 8);
    dy         = device(y, sizeof y);
    GOOD(cublasDspmv(h, CUBLAS_FILL_MODE_LOWER, N, &one, dp, dx, 1, &two, dy, 1));
    fetch(got, dy, sizeof got);
    SAME(got, want, N);
    GOOD(cublasDtpmv(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, N, dp, dx, 1)); /* there and back */
    GOOD(cublasDtpsv(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, N, dp, dx, 1));
    fetch(got, dx, sizeof got);
    for (int i = 0; i < N; i++)
        EXPECT(near(got[i], x[i], 1e-6));
    cudaFree(dp), cudaFree(dx), cudaFree(dy);
}

static void multiply(const double *a, const double *b, double *c)
{
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            c[j * N + i] = 0;
            for (int k = 0; k < N; k++)
                c[j * N + i] += a[k * N + i] * b[j * N + k];
        }
}

static void batches(void)
{
    static double a[BATCH][N * N], inverse[BATCH][N * N], product[N * N];
    double       *da[BATCH], *db[BATCH], *dt[BATCH];
    int           info[BATCH], host;
    for (int b = 0; b < BATCH; b++) {
        fill(a[b], N * N);
        for (int i = 0; i < N; i++)
            a[b][i * N + i] += 4;
        da[b] = device(a[b], sizeof a[b]), db[b] = device(NULL, sizeof a[b]), dt[b] = device(NULL, N * 8);
    }
    double **la = device(da, sizeof da), **lb = device(db, sizeof db), **lt = device(dt, sizeof dt);
    int     *pivots = device(NULL, BATCH * N * 4), *di = device(NULL, sizeof info);
    GOOD(cublasDmatinvBatched(h, N, (const double *const *)la, N, lb, N, di, BATCH));
    fetch(info, di, sizeof info);
    for (int b = 0; b < BATCH; b++) {
        fetch(inverse[b], db[b], sizeof inverse[b]);
        multiply(a[b], inverse[b], product);
        for (int i = 0; i < N * N; i++)
            EXPECT(!info[b] && near(product[i], i % (N + 1) == 0, 1e-12));
    }
    GOOD(cublasDgetrfBatched(h, N, la, N, pivots, di, BATCH));
    GOOD(cublasDgetriBatched(h, N, (const double *const *)la, N, pivots, lb, N, di, BATCH));
    for (int b = 0; b < BATCH; b++) {
        double again[N * N];
        fetch(again, db[b], sizeof again);
        SAME(again, inverse[b], N * N);
        GOOD(cudaMemcpy(db[b], a[b], sizeof a[b], cudaMemcpyHostToDevice));
    }
    GOOD(cublasDgetrsBatched(h, CUBLAS_OP_N, N, N, (const double *const *)la, N, pivots, lb, N, &host,
                             BATCH)); /* a's own columns: the identity */
    for (int b = 0; b < BATCH; b++) {
        fetch(product, db[b], sizeof product);
        for (int i = 0; i < N * N; i++)
            EXPECT(!host && near(product[i], i % (N + 1) == 0, 1e-12));
        GOOD(cudaMemcpy(da[b], a[b], sizeof a[b], cudaMemcpyHostToDevice));
        GOOD(cudaMemcpy(db[b], a[b], sizeof a[b], cudaMemcpyHostToDevice));
    }
    double one = 1;
    GOOD(cublasDgetrfBatched(h, N, la, N, NULL, di, BATCH)); /* without pivots: L U = A */
    GOOD(cublasDtrsmBatched(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, N, N, &one,
                            (const double *const *)la, N, lb, N, BATCH));
    fetch(product, db[0], sizeof product);
    double factors[N * N];
    fetch(factors, da[0], sizeof factors);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            EXPECT(near(product[j * N + i], i <= j ? factors[j * N + i] : 0, 1e-12));
    GOOD(cudaMemcpy(da[0], a[0], sizeof a[0], cudaMemcpyHostToDevice));
    GOOD(cublasDgeqrfBatched(h, N, N, la, N, lt, &host, BATCH));
    fetch(factors, da[0], sizeof factors);
    for (int j = 0; j < N; j++) { /* R' R = A' A: lengths of columns */
        double r = 0, s = 0;
        for (int i = 0; i < N; i++) {
            r += i <= j ? factors[j * N + i] * factors[j * N + i] : 0;
            s += a[0][j * N + i] * a[0][j * N + i];
        }
        EXPECT(near(r, s, 1e-12));
    }
    EXPECT(cublasDgetrfBatched(h, N, la, N - 1, pivots, di, BATCH) == CUBLAS_STATUS_INVALID_VALUE);
    for (int b = 0; b < BATCH; b++)
        cudaFree(da[b]), cudaFree(db[b]), cudaFree(dt[b]);
    cudaFree(la), cudaFree(lb), cudaFree(lt), cudaFree(pivots), cudaFree(di);
}

static void vectors(void)
{
    double one = 1, two = 2;
    fill(full, N * N), fill(x, N), fill(y, N);
    plain(0);
    double *da = device(full, sizeof full), *dx = device(x, sizeof x), *dy = device(y, sizeof y);
    GOOD(cublasDgemvStridedBatched(h, CUBLAS_OP_N, N, N, &one, da, N, 0, dx, 1, 0, &two, dy, 1, N, 1));
    fetch(got, dy, sizeof got);
    SAME(got, want, N);
    cudaFree(da), cudaFree(dx), cudaFree(dy);
}

static void host(void)
{
    cublasXtHandle_t t;
    double           one = 1, zero = 0, c[N * N], product[N * N];
    int              devices[] = {0};
    fill(full, N * N);
    multiply(full, full, product);
    GOOD(cublasXtCreate(&t));
    GOOD(cublasXtDeviceSelect(t, 1, devices));
    GOOD(cublasXtDgemm(t, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &one, full, N, full, N, &zero, c, N));
    SAME(c, product, N * N);
    EXPECT(cublasXtDgemm(t, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &one, full, N - 1, full, N, &zero, c, N) ==
           CUBLAS_STATUS_INVALID_VALUE);
    EXPECT(cublasXtDgemm((cublasXtHandle_t)(void *)h, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &one, full, N, full, N, &zero,
                         c, N) == CUBLAS_STATUS_NOT_INITIALIZED);
    GOOD(cublasXtDestroy(t));
}

int main(int argc, char **argv)
{
    static const Part parts[] = {
        {"wide", wide}, {"banded", banded}, {"batches", batches}, {"vectors", vectors}, {"host", host}};
    GOOD(cublasCreate(&h));
    int r = run_parts(parts, sizeof parts / sizeof *parts, argc, argv);
    return cublasDestroy(h) || r;
}
