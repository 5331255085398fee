/* SPDX-License-Identifier: Apache-2.0
 *
 * cuBLAS beyond the usual: 64-bit sizes, banded and packed matrices, batches of factorisations and of vectors, operands of the host (cublasXt),
 * rotations, vectors of mixed types, triangles, groups.  Every
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

/* ---- rotations ---- */

static void rotations(void)
{
    double a = 3, b = -4, c, s, r = a, z = b, *dx = device(&a, 8), *dy = device(&b, 8);
    GOOD(cublasDrotg(h, &r, &z, &c, &s));
    EXPECT(near(c * c + s * s, 1, 1e-12) && near(r, -5, 1e-12)); /* the sign of the larger */
    GOOD(cublasDrot(h, 1, dx, 1, dy, 1, &c, &s));
    fetch(got, dx, 8), fetch(got + 1, dy, 8);
    EXPECT(near(got[0], r, 1e-12) && near(got[1], 0, 1e-12));
    cuDoubleComplex ca = {1, 2}, cb = {-3, 0.5}, cs, given[2] = {ca, cb}, turned[2], *dc = device(given, sizeof given);
    GOOD(cublasZrotg(h, &ca, &cb, &c, &cs));
    GOOD(cublasZrot(h, 1, dc, 1, dc + 1, 1, &c, &cs));
    fetch(turned, dc, sizeof turned);
    EXPECT(near(turned[0].x, ca.x, 1e-12) && near(turned[0].y, ca.y, 1e-12));
    EXPECT(near(hypot(turned[1].x, turned[1].y), 0, 1e-12));
    static const double cases[][4] = {{0.7, 1.3, 2, 3}, {1.3, 0.2, 4, 1}, {1e-12, 2, 3, 1e-3}, {3e9, 2e-9, 1, 2}};
    for (int i = 0; i < 4; i++) { /* d1 x1^2 + d2 y1^2 stays, and the second number becomes 0 */
        double d1 = cases[i][0], d2 = cases[i][1], x1 = cases[i][2], y1 = cases[i][3], param[5] = {0};
        double all = d1 * x1 * x1 + d2 * y1 * y1;
        GOOD(cudaMemcpy(dx, &x1, 8, cudaMemcpyHostToDevice));
        GOOD(cudaMemcpy(dy, &y1, 8, cudaMemcpyHostToDevice));
        GOOD(cublasDrotmg(h, &d1, &d2, &x1, &y1, param));
        GOOD(cublasDrotm(h, 1, dx, 1, dy, 1, param));
        fetch(got, dx, 8), fetch(got + 1, dy, 8);
        EXPECT(near(got[0], x1, 1e-12) && near(got[1], 0, 1e-12) && near(d1 * x1 * x1 / all, 1, 1e-12));
        EXPECT(d1 > 5e-8 && d1 < 2e7 && fabs(d2) > 5e-8 && fabs(d2) < 2e7);
    }
    double *dp = device(NULL, 5 * 8), d[4] = {0.7, 1.3, 2, 3}, *dd = device(d, sizeof d), one[5];
    GOOD(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE));
    GOOD(cublasDrotmg(h, dd, dd + 1, dd + 2, dd + 3, dp));
    GOOD(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
    fetch(one, dp, 8);
    EXPECT(one[0] == 1);
    cudaFree(dx), cudaFree(dy), cudaFree(dc), cudaFree(dp), cudaFree(dd);
}

/* ---- vectors of mixed types ---- */

static void mixed(void)
{
    static const unsigned short halves[]  = {0x3c00, 0x4000, 0xc200, 0x4400}; /* 1 2 -3 4 */
    float                       floats[4] = {1, 2, 3, 4}, to = 0, two = 2;
    void                       *dh = device(halves, sizeof halves), *df = device(floats, sizeof floats);
    int                         at;
    int64_t                     at64;
    unsigned short              half = 0, after[4];
    void                       *dg   = device(halves, sizeof halves);
    GOOD(cublasDotEx(h, 4, dh, CUDA_R_16F, 1, dh, CUDA_R_16F, 1, &half, CUDA_R_16F, CUDA_R_32F));
    EXPECT(half == 0x4f80); /* 30 */
    GOOD(cublasAxpyEx(h, 4, &two, CUDA_R_32F, dh, CUDA_R_16F, 1, dg, CUDA_R_16F, -1, CUDA_R_32F));
    fetch(after, dg, sizeof after);
    EXPECT(after[0] == 0x4880 && after[3] == 0x4600); /* 1 + 2 * 4, 4 + 2 * 1 */
    GOOD(cublasIamaxEx(h, 4, dh, CUDA_R_16F, 1, &at));
    GOOD(cublasIaminEx_64(h, 4, dh, CUDA_R_16F, 1, &at64));
    EXPECT(at == 4 && at64 == 1);
    GOOD(cublasRotEx(h, 4, dh, CUDA_R_16F, 1, dg, CUDA_R_16F, 1, halves + 0, halves + 1, CUDA_R_16F, CUDA_R_32F));
    /* types that an H100 refuses */
    EXPECT(cublasAxpyEx(h, 4, &two, CUDA_R_32F, dh, CUDA_R_16F, 1, df, CUDA_R_32F, 1, CUDA_R_32F) ==
           CUBLAS_STATUS_NOT_SUPPORTED);
    EXPECT(cublasDotEx(h, 4, dh, CUDA_R_16F, 1, dh, CUDA_R_16F, 1, &to, CUDA_R_32F, CUDA_R_32F) ==
           CUBLAS_STATUS_NOT_SUPPORTED);
    EXPECT(cublasScalEx(h, 4, &two, CUDA_R_32F, dh, CUDA_R_16F, 1, CUDA_R_16F) == CUBLAS_STATUS_NOT_SUPPORTED);
    EXPECT(cublasCopyEx(h, 4, dh, CUDA_R_16F, 1, df, CUDA_R_32F, 1) == CUBLAS_STATUS_NOT_SUPPORTED);
    GOOD(cudaMemcpy(dh, halves, sizeof halves, cudaMemcpyHostToDevice));
    GOOD(cublasAsumEx(h, 2, dh, CUDA_R_16F, 2, &to, CUDA_R_32F, CUDA_R_32F));
    EXPECT(to == 4);
    GOOD(cublasNrm2Ex(h, 0, df, CUDA_R_32F, 1, &to, CUDA_R_32F, CUDA_R_32F));
    EXPECT(to == 0);
    GOOD(cublasNrm2Ex(h, 4, df, CUDA_R_32F, 1, &to, CUDA_R_32F, CUDA_R_32F));
    EXPECT(near(to, sqrt(30), 1e-6));
    EXPECT(cublasScalEx(h, 4, NULL, CUDA_R_32F, dh, CUDA_R_16F, 1, CUDA_R_32F) == CUBLAS_STATUS_INVALID_VALUE);
    cudaFree(dh), cudaFree(df), cudaFree(dg);
}

/* ---- triangles ---- */

typedef cuDoubleComplex Z;

static void fill_z(Z *p, int n)
{
    for (int i = 0; i < n; i++)
        p[i] = (Z){random_number(), random_number()};
}

static void same_z(const Z *a, const Z *b, int fill_mode, int line) /* the other triangle of a still holds 77 */
{
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            int in     = fill_mode == CUBLAS_FILL_MODE_LOWER ? i >= j : i <= j;
            Z   want_z = in ? b[j * N + i] : (Z){77, 0};
            expect_at(near(a[j * N + i].x, want_z.x, 1e-12) && near(a[j * N + i].y, want_z.y, 1e-12), "the triangle",
                      line);
        }
}

static void triangles(void)
{
    Z a[N * N], b[N * N], c[N * N], whole[N * N], poison[N * N], one = {1, 0.5}, zero = {0, 0};
    fill_z(a, N * N), fill_z(b, N * N);
    for (int i = 0; i < N * N; i++)
        poison[i] = (Z){77, 0};
    Z *da = device(a, sizeof a), *db = device(b, sizeof b), *dc = device(poison, sizeof poison),
      *dw = device(NULL, sizeof a);
    GOOD(cublasZgemm(h, CUBLAS_OP_N, CUBLAS_OP_T, N, N, N, &one, da, N, db, N, &zero, dw, N));
    fetch(whole, dw, sizeof whole);
    GOOD(cublasZsyrkx(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, N, N, &one, da, N, db, N, &zero, dc, N));
    fetch(c, dc, sizeof c);
    same_z(c, whole, CUBLAS_FILL_MODE_LOWER, __LINE__);
    GOOD(cudaMemcpy(dc, poison, sizeof poison, cudaMemcpyHostToDevice));
    GOOD(cublasZgemm(h, CUBLAS_OP_C, CUBLAS_OP_N, N, N, N, &one, da, N, da, N, &zero, dw, N));
    double real_zero = 0;
    Z      plain_one = {1, 0};
    GOOD(cublasZgemm(h, CUBLAS_OP_C, CUBLAS_OP_N, N, N, N, &plain_one, da, N, da, N, &zero, dw, N));
    fetch(whole, dw, sizeof whole);
    GOOD(cublasZherkx(h, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_C, N, N, &plain_one, da, N, da, N, &real_zero, dc, N));
    fetch(c, dc, sizeof c);
    same_z(c, whole, CUBLAS_FILL_MODE_UPPER, __LINE__);
    EXPECT(c[0].y == 0);                                                 /* a Hermitian diagonal is real */
    GOOD(cudaMemcpy(dc, poison, sizeof poison, cudaMemcpyHostToDevice)); /* the transpose is the conjugate one */
    GOOD(cublasZherkx(h, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_T, N, N, &plain_one, da, N, da, N, &real_zero, dc, N));
    fetch(c, dc, sizeof c);
    same_z(c, whole, CUBLAS_FILL_MODE_UPPER, __LINE__);
    GOOD(cublasZgemm3m(h, CUBLAS_OP_C, CUBLAS_OP_N, N, N, N, &plain_one, da, N, da, N, &zero, dc, N));
    fetch(c, dc, sizeof c);
    SAME((double *)c, (double *)whole, 2 * N * N);

    /* a symmetric complex matrix: A + alpha (x y' + y x'), then times x */
    Z packed[N * N], x2[2 * N], y2[N], alpha = {0.5, -1}, r[N];
    fill_z(x2, 2 * N), fill_z(y2, N);
    Z *dx = device(x2, sizeof x2), *dy = device(y2, sizeof y2), *dp = device(NULL, sizeof packed);
    GOOD(cublasZsyr2(h, CUBLAS_FILL_MODE_UPPER, N, &alpha, dx, 2, dy, -1, da, N));
    for (int j = 0; j < N; j++)
        for (int i = 0; i <= j; i++) {
            Z xi = x2[2 * i], xj = x2[2 * j], yi = y2[N - 1 - i], yj = y2[N - 1 - j];
            a[j * N + i] = cuCadd(a[j * N + i], cuCmul(alpha, cuCadd(cuCmul(xi, yj), cuCmul(yi, xj))));
        }
    fetch(c, da, sizeof c);
    SAME((double *)c, (double *)a, 2 * N * N);
    GOOD(cublasZsymv(h, CUBLAS_FILL_MODE_UPPER, N, &plain_one, da, N, dx, 1, &zero, dy, 1));
    fetch(r, dy, sizeof r);
    for (int i = 0; i < N; i++) {
        Z sum = {0, 0};
        for (int j = 0; j < N; j++)
            sum = cuCadd(sum, cuCmul(i <= j ? a[j * N + i] : a[i * N + j], x2[j]));
        EXPECT(near(r[i].x, sum.x, 1e-12) && near(r[i].y, sum.y, 1e-12));
    }
    GOOD(cublasZtrttp(h, CUBLAS_FILL_MODE_UPPER, N, da, N, dp));
    GOOD(cudaMemcpy(dc, poison, sizeof poison, cudaMemcpyHostToDevice));
    GOOD(cublasZtpttr(h, CUBLAS_FILL_MODE_UPPER, N, dp, dc, N));
    fetch(c, dc, sizeof c);
    same_z(c, a, CUBLAS_FILL_MODE_UPPER, __LINE__);

    /* of floats, both factors real; of bytes an H100 refuses what the manual has */
    cuComplex f[N * N], g[N * N];
    float     f_one = 1, f_zero = 0;
    for (int i = 0; i < N * N; i++)
        g[i] = (cuComplex){(float)random_number(), (float)random_number()};
    void *dg = device(g, sizeof g), *df = device(NULL, sizeof f);
    GOOD(cublasCherkEx(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, N, N, &f_one, dg, CUDA_C_32F, N, &f_zero, df, CUDA_C_32F,
                       N));
    fetch(f, df, 8); /* the first element: the sum of squares of the first row */
    double squares = 0;
    for (int k = 0; k < N; k++)
        squares += (double)g[k * N].x * g[k * N].x + (double)g[k * N].y * g[k * N].y;
    EXPECT(near(f[0].x, squares, 1e-6) && f[0].y == 0);
    EXPECT(cublasCherkEx(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, N, N, &f_one, dg, CUDA_C_8I, N, &f_zero, df,
                         CUDA_C_32F, N) == CUBLAS_STATUS_NOT_SUPPORTED);
    cudaFree(da), cudaFree(db), cudaFree(dc), cudaFree(dw), cudaFree(dx), cudaFree(dy), cudaFree(dp), cudaFree(dg),
        cudaFree(df);
}

/* ---- groups and least squares ---- */

static void grouped(void)
{
    enum { COUNT = 3 };
    double a[COUNT][N * N], c[COUNT][N * N], product[N * N], alpha[2] = {1, -2}, beta[2] = {0, 0};
    void  *da[COUNT], *dc[COUNT];
    int    op[2] = {CUBLAS_OP_N, CUBLAS_OP_N}, m[2] = {N, N - 1}, ld[2] = {N, N}, size[2] = {2, 1};
    for (int i = 0; i < COUNT; i++) {
        fill(a[i], N * N);
        da[i] = device(a[i], sizeof a[i]), dc[i] = device(a[i], sizeof a[i]);
    }
    void                   **la = device(da, sizeof da), **lc = device(dc, sizeof dc);
    const cublasOperation_t *ops = (const cublasOperation_t *)op;
    ld[1]                        = N - 2; /* too small for the second group: nothing is computed */
    EXPECT(cublasDgemmGroupedBatched(h, ops, ops, m, m, m, alpha, (const double *const *)la, ld,
                                     (const double *const *)la, ld, beta, (double *const *)lc, ld, 2,
                                     size) == CUBLAS_STATUS_INVALID_VALUE);
    fetch(c[0], dc[0], sizeof c[0]);
    SAME(c[0], a[0], N * N);
    ld[1] = N;
    GOOD(cublasDgemmGroupedBatched(h, ops, ops, m, m, m, alpha, (const double *const *)la, ld,
                                   (const double *const *)la, ld, beta, (double *const *)lc, ld, 2, size));
    for (int i = 0; i < COUNT; i++) {
        if (i == 2)
            for (int j = 0; j < N; j++)
                a[i][(N - 1) * N + j] = a[i][j * N + N - 1] = 0;
        multiply(a[i], a[i], product);
        fetch(c[i], dc[i], sizeof c[i]);
        for (int j = 0; j < m[i / 2]; j++)
            for (int k = 0; k < m[i / 2]; k++)
                EXPECT(near(c[i][j * N + k], alpha[i / 2] * product[j * N + k], 1e-12));
    }
    /* least squares: what is left is orthogonal to every column */
    enum { ROWS = N, COLUMNS = 3 };
    double tall[ROWS * COLUMNS], right[ROWS], answer[ROWS];
    int    told, info[1];
    fill(tall, ROWS * COLUMNS), fill(right, ROWS);
    double *dt = device(tall, sizeof tall), *dr = device(right, sizeof right), **lt = device(&dt, sizeof dt),
           **lr = device(&dr, sizeof dr);
    int *di     = device(NULL, sizeof info);
    GOOD(cublasDgelsBatched(h, CUBLAS_OP_N, ROWS, COLUMNS, 1, lt, ROWS, lr, ROWS, &told, di, 1));
    fetch(answer, dr, sizeof answer), fetch(info, di, sizeof info);
    EXPECT(!told && !info[0]);
    for (int j = 0; j < COLUMNS; j++) {
        double dot = 0;
        for (int i = 0; i < ROWS; i++) {
            double left = right[i];
            for (int k = 0; k < COLUMNS; k++)
                left -= tall[k * ROWS + i] * answer[k];
            dot += left * tall[j * ROWS + i];
        }
        EXPECT(near(dot, 0, 1e-12));
    }
    enum { MANY = 150 }; /* more right sides than work space for one would serve */
    static double sides[ROWS * MANY];
    fill(sides, ROWS * MANY);
    memcpy(sides + (MANY - 1) * ROWS, right, sizeof right);
    double *dm = device(sides, sizeof sides), **lm = device(&dm, sizeof dm);
    GOOD(cudaMemcpy(dt, tall, sizeof tall, cudaMemcpyHostToDevice));
    GOOD(cublasDgelsBatched(h, CUBLAS_OP_N, ROWS, 1, MANY, lt, ROWS, lm, ROWS, &told, di, 1));
    fetch(info, di, sizeof info);
    EXPECT(!info[0]);
    cudaFree(dm), cudaFree(lm);
    EXPECT(cublasDgelsBatched(h, CUBLAS_OP_T, ROWS, COLUMNS, 1, lt, ROWS, lr, ROWS, &told, di, 1) ==
           CUBLAS_STATUS_NOT_SUPPORTED);
    for (int i = 0; i < COUNT; i++)
        cudaFree(da[i]), cudaFree(dc[i]);
    cudaFree(la), cudaFree(lc), cudaFree(dt), cudaFree(dr), cudaFree(lt), cudaFree(lr), cudaFree(di);
}

int main(int argc, char **argv)
{
    static const Part parts[] = {{"wide", wide},       {"banded", banded},       {"batches", batches},
                                 {"vectors", vectors}, {"host", host},           {"rotations", rotations},
                                 {"mixed", mixed},     {"triangles", triangles}, {"grouped", grouped}};
    GOOD(cublasCreate(&h));
    int r = run_parts(parts, sizeof parts / sizeof *parts, argc, argv);
    return cublasDestroy(h) || r;
}
