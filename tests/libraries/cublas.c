/* SPDX-License-Identifier: Apache-2.0
 *
 * cuBLAS's functions as a program calls them, on random matrices, beside sums in double; statuses of calls that are wrong.
 * cublas WHAT: products, vectors, mixed, order, statuses; beyond: a product of more than is allocated, which must be found. */
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cudaMalloc(void **p, size_t bytes), cudaFree(void *p),
    cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream),
    cudaMemsetAsync(void *p, int v, size_t bytes, void *stream);
int cudaStreamCreate(void **s), cudaStreamSynchronize(void *s), cudaDeviceSynchronize(void), cudaGetLastError(void);
int cudaStreamBeginCapture(void *s, int mode), cudaStreamEndCapture(void *s, void **graph),
    cudaGraphLaunch(void *exec, void *s);
int cudaGraphInstantiate(void **exec, void *graph, unsigned long long flags);
int cublasCreate_v2(void **h), cublasDestroy_v2(void *h), cublasSetStream_v2(void *h, void *s),
    cublasSetPointerMode_v2(void *h, int mode);
int cublasSetMathMode(void *h, int mode), cublasGetMathMode(void *h, int *mode),
    cublasGetVersion_v2(void *h, int *version);
const char *cublasGetStatusString(int status);
typedef int Gemm(void *, int, int, int, int, int, const void *, const void *, int, const void *, int, const void *,
                 void *, int);
Gemm        cublasSgemm_v2, cublasDgemm_v2, cublasCgemm_v2, cublasZgemm_v2;
typedef int Syrk(void *, int, int, int, int, const void *, const void *, int, const void *, void *, int);
Syrk        cublasSsyrk_v2, cublasDsyrk_v2, cublasCherk_v2;
int         cublasDtrsm_v2(void *, int, int, int, int, int, int, const void *, const void *, int, void *, int);
int cublasDtrmm_v2(void *, int, int, int, int, int, int, const void *, const void *, int, const void *, int, void *,
                   int);
int cublasDgeam(void *, int, int, int, int, const void *, const void *, int, const void *, const void *, int, void *,
                int);
int cublasSgemv_v2(void *, int, int, int, const void *, const void *, int, const void *, int, const void *, void *,
                   int);
int cublasSdot_v2(void *, int, const void *, int, const void *, int, void *),
    cublasZdotc_v2(void *, int, const void *, int, const void *, int, void *);
int cublasDnrm2_v2(void *, int, const void *, int, void *), cublasSasum_v2(void *, int, const void *, int, void *);
int cublasIsamax_v2(void *, int, const void *, int, int *), cublasIdamin_v2(void *, int, const void *, int, int *);
int cublasSaxpy_v2(void *, int, const void *, const void *, int, void *, int),
    cublasSscal_v2(void *, int, const void *, void *, int);
int cublasGemmEx(void *, int, int, int, int, int, const void *, const void *, int, int, const void *, int, int,
                 const void *, void *, int, int, int, int);
int cublasSgemmBatched(void *, int, int, int, int, int, const void *, const void *, int, const void *, int,
                       const void *, const void *, int, int);
int cublasDgemmStridedBatched(void *, int, int, int, int, int, const void *, const void *, int, long long, const void *,
                              int, long long, const void *, void *, int, long long, int);

enum { TO_DEVICE = 1, TO_HOST = 2, MOST = 64 };

static void    *h;
static unsigned failures;

static void expect(int ok, const char *what)
{
    if (!ok)
        printf("wrong: %s\n", what);
    failures += !ok;
}

static double random_number(void)
{
    static uint64_t x = 88172645463325252u;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return (double)(x >> 11) / (double)(UINT64_C(1) << 53) - 0.5;
}

/* An array of the type 's' 'd' 'c' 'z' from complex doubles, on the device; and back. */
static size_t bytes_of(char type)
{
    return type == 's' ? 4 : type == 'z' ? 16 : 8;
}

static void *device(char type, const double complex *x, size_t n)
{
    void *p, *host = malloc(n * 16);
    for (size_t i = 0; i < n; i++)
        switch (type) {
        case 's': ((float *)host)[i] = (float)creal(x[i]); break;
        case 'd': ((double *)host)[i] = creal(x[i]); break;
        case 'c': ((float complex *)host)[i] = (float complex)x[i]; break;
        default: ((double complex *)host)[i] = x[i];
        }
    expect(!cudaMalloc(&p, n * bytes_of(type)) && !cudaMemcpy(p, host, n * bytes_of(type), TO_DEVICE), "allocation");
    free(host);
    return p;
}

static void fetch(char type, const void *p, double complex *x, size_t n)
{
    void *host = malloc(n * 16);
    expect(!cudaMemcpy(host, p, n * bytes_of(type), TO_HOST), "copy to the host");
    for (size_t i = 0; i < n; i++)
        switch (type) {
        case 's': x[i] = ((float *)host)[i]; break;
        case 'd': x[i] = ((double *)host)[i]; break;
        case 'c': x[i] = ((float complex *)host)[i]; break;
        default: x[i] = ((double complex *)host)[i];
        }
    free(host);
}

static void fill(char type, double complex *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double re = random_number(), im = random_number();
        x[i] = type == 's' || type == 'd' ? re : re + im * I;
        if (type == 's' || type == 'c')
            x[i] = (float complex)x[i];
    }
}

static double complex at(const double complex *a, int ld, int op, int i, int j)
{
    double complex x = op ? a[i * ld + j] : a[j * ld + i];
    return op == 2 ? conj(x) : x;
}

static double tolerance(char type)
{
    return type == 's' || type == 'c' ? 1e-5 : 1e-13;
}

/* ---- products ---- */

static void product(char type, Gemm *gemm, int ta, int tb, int m, int n, int k)
{
    double complex a[MOST * MOST], b[MOST * MOST], c[MOST * MOST], got[MOST * MOST], factor[2];
    int            lda = (ta ? k : m) + 3, ldb = (tb ? n : k) + 1, ldc = m + 2;
    fill(type, a, MOST * MOST);
    fill(type, b, MOST * MOST);
    fill(type, c, MOST * MOST);
    fill(type, factor, 2);
    void *da = device(type, a, MOST * MOST), *db = device(type, b, MOST * MOST), *dc = device(type, c, MOST * MOST),
         *df = device(type, factor, 2);
    expect(!cublasSetPointerMode_v2(h, 1), "pointer mode");
    expect(!gemm(h, ta, tb, m, n, k, df, da, lda, db, ldb, (char *)df + bytes_of(type), dc, ldc), "gemm");
    expect(!cublasSetPointerMode_v2(h, 0), "pointer mode");
    fetch(type, dc, got, MOST * MOST);
    double worst = 0;
    for (int j = 0; j < MOST * MOST / ldc; j++)
        for (int i = 0; i < ldc; i++) {
            double complex sum = 0, want = c[j * ldc + i];
            for (int p = 0; p < k && i < m && j < n; p++)
                sum += at(a, lda, ta, i, p) * at(b, ldb, tb, p, j);
            if (i < m && j < n)
                want = factor[0] * sum + factor[1] * want;
            worst = fmax(worst, cabs(got[j * ldc + i] - want));
        }
    expect(worst < tolerance(type), "a product's values");
    cudaFree(da), cudaFree(db), cudaFree(dc), cudaFree(df);
}

static void others(void)
{
    enum { N = 20, K = 13 };
    double complex a[N * N], b[N * N], c[N * N], got[N * N], t[N * N];
    double         one = 1, two = 2, zero = 0;
    fill('d', a, N * N);
    fill('d', b, N * N);
    fill('d', c, N * N);
    for (int i = 0; i < N; i++)
        a[i * N + i] += 4;
    void *da = device('d', a, N * N), *db = device('d', b, N * N), *dc = device('d', c, N * N);
    expect(!cublasDsyrk_v2(h, 0, 0, N, K, &two, db, N, &one, dc, N), "syrk");
    fetch('d', dc, got, N * N);
    double worst = 0;
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            double complex want = c[j * N + i];
            for (int p = 0; p < K && i >= j; p++)
                want += 2 * b[p * N + i] * b[p * N + j];
            worst = fmax(worst, cabs(got[j * N + i] - want));
        }
    expect(worst < 1e-13, "syrk's values, and its other triangle");
    /* trmm into another matrix, then trsm back */
    expect(!cublasDtrmm_v2(h, 0, 1, 0, 0, N, N, &two, da, N, db, N, dc, N), "trmm");
    expect(!cublasDtrsm_v2(h, 0, 1, 0, 0, N, N, &one, da, N, dc, N), "trsm");
    fetch('d', dc, got, N * N);
    fetch('d', db, t, N * N);
    worst = 0;
    for (int i = 0; i < N * N; i++)
        worst = fmax(worst, fmax(cabs(got[i] - 2 * b[i]), cabs(t[i] - b[i])));
    expect(worst < 1e-12, "trsm takes trmm back, whose operand stays");
    expect(!cublasDgeam(h, 1, 0, N, N, &two, da, N, &zero, NULL, N, dc, N), "geam");
    fetch('d', dc, got, N * N);
    expect(got[3 * N + 5] == 2 * a[5 * N + 3], "geam's values");
    cudaFree(da), cudaFree(db), cudaFree(dc);
}

static void products(void)
{
    static const struct {
        char  type;
        Gemm *gemm;
    } types[] = {{'s', cublasSgemm_v2}, {'d', cublasDgemm_v2}, {'c', cublasCgemm_v2}, {'z', cublasZgemm_v2}};
    for (int t = 0; t < 4; t++)
        for (int ops = 0; ops < 9; ops++)
            product(types[t].type, types[t].gemm, ops / 3, ops % 3, 17 + ops, 23, 31 - ops);
    others();
}

/* ---- vectors ---- */

static void vectors(void)
{
    enum { N = 50 };
    double complex x[2 * N], y[2 * N], got[2 * N], z;
    float          f, half = 0.5f;
    double         d;
    int            i;
    fill('s', x, 2 * N);
    fill('s', y, 2 * N);
    void *sx = device('s', x, 2 * N), *sy = device('s', y, 2 * N), *dx = device('d', x, 2 * N),
         *zx = device('z', x, 2 * N), *zy = device('z', y, 2 * N);
    double dot = 0, norm = 0, sum = 0;
    int    most = 0, least = 0;
    for (int k = 0; k < N; k++) {
        dot += creal(x[2 * k]) * creal(y[k]);
        norm += creal(x[k]) * creal(x[k]);
        sum += fabs(creal(x[k]));
        most  = fabs(creal(x[k])) > fabs(creal(x[most])) ? k : most;
        least = fabs(creal(x[k])) < fabs(creal(x[least])) ? k : least;
    }
    expect(!cublasSdot_v2(h, N, sx, 2, sy, 1, &f) && fabs(f - dot) < 1e-5, "dot");
    expect(!cublasZdotc_v2(h, N, zx, 2, zy, 1, &z) && cabs(z - dot) < 1e-12, "dotc");
    expect(!cublasDnrm2_v2(h, N, dx, 1, &d) && fabs(d - sqrt(norm)) < 1e-12, "nrm2");
    expect(!cublasSasum_v2(h, N, sx, 1, &f) && fabs(f - sum) < 1e-4, "asum");
    expect(!cublasIsamax_v2(h, N, sx, 1, &i) && i == most + 1, "amax");
    expect(!cublasIdamin_v2(h, N, dx, 1, &i) && i == least + 1, "amin");
    expect(!cublasSaxpy_v2(h, N, &half, sx, 2, sy, -1) && !cublasSscal_v2(h, N, &half, sx, 1), "axpy, scal");
    fetch('s', sy, got, 2 * N);
    expect(fabs(creal(got[N - 1 - 7]) - creal(y[N - 1 - 7]) - 0.5 * creal(x[14])) < 1e-6, "axpy's values, backwards");
    fetch('s', sx, got, 2 * N);
    expect(cabs(got[N - 1] - x[N - 1] / 2) < 1e-7 && cabs(got[N] - x[N]) < 1e-7, "scal's values");
    cudaFree(sx), cudaFree(sy), cudaFree(dx), cudaFree(zx), cudaFree(zy);
}

/* ---- mixed types and batches ---- */

static void mixed(void)
{
    enum { R32 = 0, R16 = 2, R8I = 3, R32I = 10, C32F = 68, C32I = 72, N = 8 };
    _Float16 a[N * N], b[N * N];
    float    c[N * N], one = 1, zero = 0;
    int8_t   p[N * N], q[N * N];
    int32_t  r[N * N], ione = 1, izero = 0;
    void    *da, *db, *dc;
    double   worst = 0;
    int      bad   = 0;
    for (int i = 0; i < N * N; i++) {
        a[i] = (_Float16)random_number();
        b[i] = (_Float16)random_number();
        p[i] = (int8_t)(255 * random_number());
        q[i] = (int8_t)(255 * random_number());
    }
    cudaMalloc(&da, sizeof a), cudaMalloc(&db, sizeof b), cudaMalloc(&dc, sizeof c);
    cudaMemcpy(da, a, sizeof a, TO_DEVICE), cudaMemcpy(db, b, sizeof b, TO_DEVICE);
    expect(!cublasGemmEx(h, 0, 1, N, N, N, &one, da, R16, N, db, R16, N, &zero, dc, R32, N, C32F, -1), "gemmEx");
    cudaMemcpy(c, dc, sizeof c, TO_HOST);
    for (int i = 0; i < N * N; i++) {
        double want = 0;
        for (int k = 0; k < N; k++)
            want += (double)a[k * N + i % N] * (double)b[k * N + i / N];
        worst = fmax(worst, fabs(c[i] - want));
    }
    expect(worst < 1e-6, "gemmEx's values, of halves");
    cudaMemcpy(da, p, sizeof p, TO_DEVICE), cudaMemcpy(db, q, sizeof q, TO_DEVICE);
    expect(!cublasGemmEx(h, 1, 0, N, N, N, &ione, da, R8I, N, db, R8I, N, &izero, dc, R32I, N, C32I, -1), "gemmEx");
    cudaMemcpy(r, dc, sizeof r, TO_HOST);
    for (int i = 0; i < N * N; i++) {
        int want = 0;
        for (int k = 0; k < N; k++)
            want += p[i % N * N + k] * q[i / N * N + k];
        bad += r[i] != want;
    }
    expect(!bad, "gemmEx's values, of bytes");
    /* batches: 3 products of 4 x 4 */
    double complex x[48], y[48], got[48];
    double         done = 1, dzero = 0;
    fill('s', x, 48), fill('s', y, 48);
    void *sx = device('s', x, 48), *sy = device('s', y, 48), *dx = device('d', x, 48), *dy = device('d', y, 48), *to,
         *lists;
    cudaMalloc(&to, 48 * 8), cudaMalloc(&lists, 9 * sizeof(void *));
    expect(!cublasDgemmStridedBatched(h, 0, 0, 4, 4, 4, &done, dx, 4, 16, dy, 4, 16, &dzero, to, 4, 16, 3),
           "strided batches");
    fetch('d', to, got, 48);
    void *list[9];
    for (int i = 0; i < 3; i++) {
        list[i]     = (float *)sx + 16 * i;
        list[3 + i] = (float *)sy + 16 * i;
        list[6 + i] = (float *)to + 16 * (2 - i);
    }
    cudaMemcpy(lists, list, sizeof list, TO_DEVICE);
    expect(
        !cublasSgemmBatched(h, 0, 0, 4, 4, 4, &one, lists, 4, (void **)lists + 3, 4, &zero, (void **)lists + 6, 4, 3),
        "batches");
    double complex other[48];
    fetch('s', to, other, 48);
    worst = 0;
    for (int i = 0; i < 48; i++) {
        double complex want = 0;
        for (int k = 0; k < 4; k++)
            want += x[i / 16 * 16 + k * 4 + i % 4] * y[i / 16 * 16 + i % 16 / 4 * 4 + k];
        worst = fmax(worst, fmax(cabs(got[i] - want), cabs(other[(2 - i / 16) * 16 + i % 16] - want)));
    }
    expect(worst < 1e-6, "batches' values");
    cudaFree(da), cudaFree(db), cudaFree(dc), cudaFree(sx), cudaFree(sy), cudaFree(dx), cudaFree(dy), cudaFree(to),
        cudaFree(lists);
}

/* ---- order of a stream, and graphs ---- */

static void order(void)
{
    enum { N = 16 };
    float ones[N * N], c[N * N], one = 1, zero = 0, two = 2;
    void *s, *a, *b, *graph, *exec;
    for (int i = 0; i < N * N; i++)
        ones[i] = 1;
    cudaStreamCreate(&s), cudaMalloc(&a, sizeof ones), cudaMalloc(&b, sizeof c);
    expect(!cublasSetStream_v2(h, s), "stream");
    cudaMemcpyAsync(a, ones, sizeof ones, TO_DEVICE, s);
    expect(!cublasSgemm_v2(h, 0, 0, N, N, N, &one, a, N, a, N, &zero, b, N), "gemm");
    cudaMemsetAsync(a, 0, sizeof ones, s);
    cudaMemcpyAsync(c, b, sizeof c, TO_HOST, s);
    cudaStreamSynchronize(s);
    expect(c[0] == N && c[N * N - 1] == N, "the product comes behind the copy and before the set");
    cudaMemcpy(a, ones, sizeof ones, TO_DEVICE);
    expect(!cudaStreamBeginCapture(s, 0), "capture");
    expect(!cublasSscal_v2(h, N * N, &two, a, 1), "scal, captured");
    expect(!cudaStreamEndCapture(s, &graph) && !cudaGraphInstantiate(&exec, graph, 0), "graph");
    for (int i = 0; i < 3; i++)
        cudaGraphLaunch(exec, s);
    cudaStreamSynchronize(s);
    cudaMemcpy(c, a, sizeof c, TO_HOST);
    expect(c[0] == 8 && c[N * N - 1] == 8, "a graph's work is done at each launch");
    cublasSetStream_v2(h, NULL);
    cudaFree(a), cudaFree(b);
}

/* ---- statuses ---- */

static void statuses(void)
{
    float one = 1, zero = 0;
    int   mode = -1, version = 0;
    void *a;
    cudaMalloc(&a, 4096);
    expect(cublasSgemm_v2(NULL, 0, 0, 4, 4, 4, &one, a, 4, a, 4, &zero, a, 4) == 1, "no handle: not initialized");
    expect(cublasSgemm_v2(a, 0, 0, 4, 4, 4, &one, a, 4, a, 4, &zero, a, 4) == 1, "what is no handle: not initialized");
    expect(cublasSgemm_v2(h, 0, 0, 4, 4, 4, &one, a, 3, a, 4, &zero, a, 4) == 7,
           "a leading dimension too small: invalid value");
    expect(cublasSgemm_v2(h, 3, 0, 4, 4, 4, &one, a, 4, a, 4, &zero, a, 4) == 7, "no such operation: invalid value");
    expect(cublasSgemm_v2(h, 0, 0, -1, 4, 4, &one, a, 4, a, 4, &zero, a, 4) == 7, "a negative size: invalid value");
    expect(cublasSgemm_v2(h, 0, 0, 4, 4, 4, NULL, a, 4, a, 4, &zero, a, 4) == 7, "no alpha: invalid value");
    expect(cublasCherk_v2(h, 0, 3, 4, 4, &one, a, 4, &zero, a, 4) == 7, "no such transpose: invalid value");
    expect(cublasSgemm_v2(h, 0, 0, 0, 4, 4, &one, a, 4, a, 4, &zero, a, 4) == 0, "nothing to do: success");
    expect(!cublasSetMathMode(h, 1) && !cublasGetMathMode(h, &mode) && mode == 1, "math mode");
    expect(!cublasGetVersion_v2(h, &version) && version >= 110000, "version");
    expect(strstr(cublasGetStatusString(7), "unsupported value") != NULL, "text of a status");
    expect(cublasDestroy_v2(a) == 1 && cublasCreate_v2(NULL) == 7, "handles that are none");
    cudaFree(a);
}

/* Numbers that should be in device memory and are not: a finding, and no crash. */
static void wild(void)
{
    void *a;
    cudaMalloc(&a, 4096), cudaMemsetAsync(a, 0, 4096, NULL);
    cublasSetPointerMode_v2(h, 1);
    cublasSdot_v2(h, 4, a, 1, a, 1, (void *)64);
    expect(cudaDeviceSynchronize() == 700, "an illegal access");
}

static void beyond(void)
{
    float one = 1, zero = 0;
    void *a, *c;
    cudaMalloc(&a, 64 * 64 * 4), cudaMalloc(&c, 64 * 64 * 4 - 8);
    cudaMemsetAsync(a, 0, 64 * 64 * 4, NULL);
    cublasSgemm_v2(h, 0, 0, 64, 64, 64, &one, a, 64, a, 64, &zero, c, 64);
    expect(cudaDeviceSynchronize() == 700, "an illegal access");
}

/* What is only written, or is not looked at, need not hold anything. */
static void unread(void)
{
    enum { N = 8 };
    double ones[N * N], one = 1, zero = 0, *a, *c, *factor;
    for (int i = 0; i < N * N; i++)
        ones[i] = 1;
    cudaMalloc((void **)&a, sizeof ones), cudaMalloc((void **)&c, sizeof ones), cudaMalloc((void **)&factor, 16);
    for (int i = 0; i < N; i++) /* the lower triangle only */
        cudaMemcpy(a + i * N + i, ones, (size_t)(N - i) * 8, TO_DEVICE);
    expect(!cublasDtrsm_v2(h, 0, 0, 0, 0, N, 1, &one, a, N, a, N), "trsm");
    expect(!cublasDsyrk_v2(h, 0, 0, N, 1, &one, a, N, &zero, c, N), "syrk");
    cudaMemcpy(a, ones, sizeof ones, TO_DEVICE);
    cudaFree(c), cudaMalloc((void **)&c, sizeof ones);
    expect(!cublasDgemm_v2(h, 0, 0, N, N, N, &one, a, N, a, N, &zero, c, N), "gemm");
    cudaFree(c), cudaMalloc((void **)&c, sizeof ones);
    cudaMemcpy(factor, (double[]){1, 0}, 16, TO_DEVICE);
    cublasSetPointerMode_v2(h, 1);
    expect(!cublasDgemm_v2(h, 0, 0, N, N, N, factor, a, N, a, N, factor + 1, c, N), "gemm, factors on the device");
    cublasSetPointerMode_v2(h, 0);
    cudaDeviceSynchronize();
    cudaFree(a), cudaFree(c), cudaFree(factor);
}

/* Results that a call adds to: one of them holds nothing. */
static void unset(void)
{
    enum { N = 8 };
    float ones[N * N], one = 1, *a, *c;
    for (int i = 0; i < N * N; i++)
        ones[i] = 1;
    cudaMalloc((void **)&a, sizeof ones), cudaMalloc((void **)&c, sizeof ones);
    cudaMemcpy(a, ones, sizeof ones, TO_DEVICE);
    cublasSgemm_v2(h, 0, 0, N, N, N, &one, a, N, a, N, &one, c, N); /* beta is 1 */
    cudaFree(c), cudaMalloc((void **)&c, sizeof ones);
    cublasSaxpy_v2(h, N, &one, a, 1, c, 1);
    cudaDeviceSynchronize();
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } all[]     = {{"products", products}, {"vectors", vectors},   {"mixed", mixed},
                   {"order", order},       {"statuses", statuses}, {"beyond", beyond},
                   {"wild", wild},         {"unread", unread},     {"unset", unset}};
    int created = cublasCreate_v2(&h), ran = 0;
    expect(!created, "a handle");
    for (size_t i = 0; i < sizeof all / sizeof *all && argc > 1; i++)
        if (!strcmp(all[i].name, argv[1])) {
            all[i].run();
            ran = 1;
        }
    if (argc < 2 || (strcmp(argv[1], "beyond") && strcmp(argv[1], "wild")))
        expect(!cublasDestroy_v2(h), "the handle's end");
    printf("%s\n", !ran ? "nothing ran" : failures ? "FAILED" : "passed");
    return failures || !ran;
}
