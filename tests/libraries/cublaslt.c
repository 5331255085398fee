/* SPDX-License-Identifier: Apache-2.0
 *
 * cublasLt as frameworks call it, beside sums in double: types, orders, batches, epilogues; statuses of calls that are wrong. */
#include <cublasLt.h>

#include "common.h"

enum { M = 8, N = 5, K = 7 };

static cublasLtHandle_t handle;

static cublasLtMatrixLayout_t layout(cudaDataType type, uint64_t rows, uint64_t columns, int64_t ld, int order,
                                     int count, int64_t stride)
{
    cublasLtMatrixLayout_t l;
    int32_t                o = order, c = count;
    GOOD(cublasLtMatrixLayoutCreate(&l, type, rows, columns, ld));
    GOOD(cublasLtMatrixLayoutSetAttribute(l, CUBLASLT_MATRIX_LAYOUT_ORDER, &o, sizeof o));
    GOOD(cublasLtMatrixLayoutSetAttribute(l, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &c, sizeof c));
    GOOD(cublasLtMatrixLayoutSetAttribute(l, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride));
    return l;
}

static cublasLtMatmulDesc_t describe(cublasComputeType_t compute, cudaDataType scale, int ta, int tb, int epilogue)
{
    cublasLtMatmulDesc_t d;
    int32_t              a = ta, b = tb;
    uint32_t             e = (uint32_t)epilogue;
    GOOD(cublasLtMatmulDescCreate(&d, compute, scale));
    GOOD(cublasLtMatmulDescSetAttribute(d, CUBLASLT_MATMUL_DESC_TRANSA, &a, sizeof a));
    GOOD(cublasLtMatmulDescSetAttribute(d, CUBLASLT_MATMUL_DESC_TRANSB, &b, sizeof b));
    GOOD(cublasLtMatmulDescSetAttribute(d, CUBLASLT_MATMUL_DESC_EPILOGUE, &e, sizeof e));
    return d;
}

static float of_half(uint16_t h)
{
    int e = h >> 10 & 31, m = h & 1023;
    return (float)ldexp(e ? m + 1024 : m, (e ? e : 1) - 25) * (h >> 15 ? -1.0F : 1.0F);
}

static double element(cudaDataType type, const void *p, int64_t i)
{
    switch (type) {
    case CUDA_R_64F: return ((const double *)p)[i];
    case CUDA_R_16F: return of_half(((const uint16_t *)p)[i]);
    case CUDA_R_16BF: {
        uint32_t bits = (uint32_t)((const uint16_t *)p)[i] << 16;
        float    f;
        memcpy(&f, &bits, sizeof f);
        return f;
    }
    case CUDA_R_8I: return ((const int8_t *)p)[i];
    case CUDA_R_32I: return ((const int32_t *)p)[i];
    default: return ((const float *)p)[i];
    }
}

static size_t size_of(cudaDataType type)
{
    return type == CUDA_R_64F ? 8 : type == CUDA_R_16F || type == CUDA_R_16BF ? 2 : type == CUDA_R_8I ? 1 : 4;
}

/* Small multiples of a quarter, which every type but bytes has. */
static void fill(cudaDataType type, void *p, int n)
{
    for (int i = 0; i < n; i++) {
        int      q = (int)(random_number() * 16);
        double   x = type == CUDA_R_8I || type == CUDA_R_32I ? q : q / 4.0;
        float    f = (float)x;
        uint32_t bits;
        memcpy(&bits, &f, sizeof bits);
        switch (type) {
        case CUDA_R_64F: ((double *)p)[i] = x; break;
        case CUDA_R_16F:
            ((uint16_t *)p)[i] = q ? (uint16_t)((bits >> 16 & 0x8000) | ((bits >> 13 & 0x3ffff) - (112U << 10))) : 0;
            break;
        case CUDA_R_16BF: ((uint16_t *)p)[i] = (uint16_t)(bits >> 16); break;
        case CUDA_R_8I: ((int8_t *)p)[i] = (int8_t)q; break;
        case CUDA_R_32I: ((int32_t *)p)[i] = q; break;
        default: ((float *)p)[i] = f;
        }
    }
}

/* One product of two batches: op(A) M x K, op(B) K x N. */
static void product(cudaDataType in, cudaDataType out, cublasComputeType_t compute, cudaDataType scale, int ta, int tb,
                    int order)
{
    enum { CELLS = 2 * 10 * 10 };
    int64_t       ar = ta ? K : M, ac = ta ? M : K, br = tb ? N : K, bc = tb ? K : N;
    int64_t       lda = (order ? ac : ar) + 1, ldb = (order ? bc : br) + 1, ldd = (order ? N : M) + 1;
    unsigned char a[CELLS * 8], b[CELLS * 8], c[CELLS * 8], d[CELLS * 8];
    fill(in, a, CELLS), fill(in, b, CELLS), fill(out, c, CELLS);
    void *da = device(a, sizeof a), *db = device(b, sizeof b), *dc = device(c, sizeof c), *dd = device(c, sizeof c);
    cublasLtMatrixLayout_t la            = layout(in, (uint64_t)ar, (uint64_t)ac, lda, order, 2, 100),
                           lb            = layout(in, (uint64_t)br, (uint64_t)bc, ldb, order, 2, 100),
                           ld            = layout(out, M, N, ldd, order, 2, 100);
    cublasLtMatmulDesc_t            desc = describe(compute, scale, ta, tb, CUBLASLT_EPILOGUE_DEFAULT);
    cublasLtMatmulPreference_t      preference;
    cublasLtMatmulHeuristicResult_t found[3];
    int                             got       = 0;
    size_t                          workspace = 1 << 20;
    GOOD(cublasLtMatmulPreferenceCreate(&preference));
    GOOD(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace,
                                              sizeof workspace));
    GOOD(cublasLtMatmulAlgoGetHeuristic(handle, desc, la, lb, ld, ld, preference, 3, found, &got));
    EXPECT(got == 1 && found[0].state == CUBLAS_STATUS_SUCCESS && found[0].workspaceSize == 0);
    float       f[2]   = {2, -1};
    double      g[2]   = {2, -1};
    int32_t     h[2]   = {2, -1};
    const char *factor = scale == CUDA_R_64F ? (char *)g : scale == CUDA_R_32I ? (char *)h : (char *)f;
    size_t      bytes  = scale == CUDA_R_64F ? 8 : 4;
    GOOD(cublasLtMatmul(handle, desc, factor, da, la, db, lb, factor + bytes, dc, ld, dd, ld, &found[0].algo, NULL, 0,
                        NULL));
    fetch(d, dd, sizeof d);
    for (int batch = 0; batch < 2; batch++)
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                double  sum = 0;
                int64_t at  = batch * 100 + (order ? i * ldd + j : j * ldd + i);
                for (int k = 0; k < K; k++) {
                    int64_t y = ta ? k : i, x = ta ? i : k, v = tb ? j : k, u = tb ? k : j;
                    sum += element(in, a, batch * 100 + (order ? y * lda + x : x * lda + y)) *
                           element(in, b, batch * 100 + (order ? v * ldb + u : u * ldb + v));
                }
                EXPECT(near(element(out, d, at), 2 * sum - element(out, c, at),
                            out == CUDA_R_16BF  ? 8e-3
                            : out == CUDA_R_16F ? 1e-3
                                                : 1e-6));
            }
    GOOD(cublasLtMatmulPreferenceDestroy(preference));
    GOOD(cublasLtMatmulDescDestroy(desc));
    GOOD(cublasLtMatrixLayoutDestroy(la)), GOOD(cublasLtMatrixLayoutDestroy(lb)), GOOD(cublasLtMatrixLayoutDestroy(ld));
    cudaFree(da), cudaFree(db), cudaFree(dc), cudaFree(dd);
}

static void products(void)
{
    for (int how = 0; how < 8; how++) {
        int ta = how & 1, tb = how >> 1 & 1, order = how >> 2;
        product(CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F, ta, tb, order);
        product(CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, CUDA_R_64F, ta, tb, order);
        product(CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F, ta, tb, order);
        product(CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F, ta, tb, order);
        product(CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F_FAST_16BF, CUDA_R_32F, ta, tb, order);
        product(CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, CUDA_R_32I, ta, tb, order);
    }
}

/* ---- epilogues ---- */

static float a[M * K], b[K * N], bias[M], want[M * N], got[M * N];

static double gelu(double x)
{
    return 0.5 * x * (1 + tanh(sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
}

/* The product, with this epilogue and these arrays of the device. */
static void epilogue(int which, void *dbias, void *aux, int64_t aux_ld)
{
    float                  one = 1, zero = 0;
    void                  *da = device(a, sizeof a), *db = device(b, sizeof b), *dd = device(NULL, sizeof got);
    cublasLtMatmulDesc_t   d  = describe(CUBLAS_COMPUTE_32F, CUDA_R_32F, 0, 0, which);
    cublasLtMatrixLayout_t la = layout(CUDA_R_32F, M, K, M, 0, 1, 0), lb = layout(CUDA_R_32F, K, N, K, 0, 1, 0),
                           ld = layout(CUDA_R_32F, M, N, M, 0, 1, 0);
    GOOD(cublasLtMatmulDescSetAttribute(d, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &dbias, sizeof dbias));
    GOOD(cublasLtMatmulDescSetAttribute(d, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &aux, sizeof aux));
    GOOD(cublasLtMatmulDescSetAttribute(d, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, &aux_ld, sizeof aux_ld));
    GOOD(cublasLtMatmul(handle, d, &one, da, la, db, lb, &zero, dd, ld, dd, ld, NULL, NULL, 0, NULL));
    fetch(got, dd, sizeof got);
    GOOD(cublasLtMatmulDescDestroy(d));
    GOOD(cublasLtMatrixLayoutDestroy(la)), GOOD(cublasLtMatrixLayoutDestroy(lb)), GOOD(cublasLtMatrixLayoutDestroy(ld));
    cudaFree(da), cudaFree(db), cudaFree(dd);
}

static void epilogues(void)
{
    fill(CUDA_R_32F, a, M * K), fill(CUDA_R_32F, b, K * N), fill(CUDA_R_32F, bias, M);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++) {
            want[j * M + i] = bias[i];
            for (int k = 0; k < K; k++)
                want[j * M + i] += a[k * M + i] * b[j * K + k];
        }
    void *db = device(bias, sizeof bias), *bits = device(NULL, 128 / 8 * N), *numbers = device(NULL, sizeof got),
         *sums = device(NULL, sizeof bias);
    epilogue(CUBLASLT_EPILOGUE_BIAS, db, NULL, 0);
    for (int i = 0; i < M * N; i++)
        EXPECT(got[i] == want[i]);
    epilogue(CUBLASLT_EPILOGUE_RELU_AUX_BIAS, db, bits, 128);
    for (int i = 0; i < M * N; i++)
        EXPECT(got[i] == (want[i] > 0 ? want[i] : 0));
    epilogue(CUBLASLT_EPILOGUE_GELU_AUX_BIAS, db, numbers, M);
    for (int i = 0; i < M * N; i++)
        EXPECT(near(got[i], gelu(want[i]), 1e-6));
    epilogue(CUBLASLT_EPILOGUE_DRELU_BGRAD, sums, bits, 128); /* the other product's mask */
    float sum[M] = {0}, told[M];
    for (int i = 0; i < M * N; i++) {
        EXPECT(got[i] == (want[i] > 0 ? want[i] - bias[i % M] : 0));
        sum[i % M] += got[i];
    }
    fetch(told, sums, sizeof told);
    for (int i = 0; i < M; i++)
        EXPECT(near(told[i], sum[i], 1e-6));
    epilogue(CUBLASLT_EPILOGUE_DGELU, NULL, numbers, M);
    for (int i = 0; i < M * N; i++) {
        double x = want[i], slope = (gelu(x + 1e-5) - gelu(x - 1e-5)) / 2e-5;
        EXPECT(near(got[i], (want[i] - bias[i % M]) * slope, 1e-4));
    }
    epilogue(CUBLASLT_EPILOGUE_BGRADA, sums, NULL, 0);
    fetch(told, sums, sizeof told);
    for (int i = 0; i < M; i++) {
        double s = 0;
        for (int k = 0; k < K; k++)
            s += a[k * M + i];
        EXPECT(near(told[i], s, 1e-6));
    }
    cudaFree(db), cudaFree(bits), cudaFree(numbers), cudaFree(sums);
}

/* ---- transforms, statuses ---- */

static void transforms(void)
{
    float                         from[6] = {1, 2, 3, 4, 5, 6}, factor = 2, zero = 0;
    uint16_t                      to[6];
    void                         *in = device(from, sizeof from), *out = device(NULL, sizeof to);
    cublasLtMatrixTransformDesc_t t;
    cublasLtMatrixLayout_t        l = layout(CUDA_R_32F, 2, 3, 2, 0, 1, 0), r = layout(CUDA_R_16F, 2, 3, 3, 1, 1, 0);
    GOOD(cublasLtMatrixTransformDescCreate(&t, CUDA_R_32F));
    GOOD(cublasLtMatrixTransform(handle, t, &factor, in, l, &zero, NULL, NULL, out, r, NULL));
    fetch(to, out, sizeof to);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            EXPECT(of_half(to[i * 3 + j]) == 2 * from[j * 2 + i]);
    GOOD(cublasLtMatrixTransformDescDestroy(t));
    GOOD(cublasLtMatrixLayoutDestroy(l)), GOOD(cublasLtMatrixLayoutDestroy(r));
    cudaFree(in), cudaFree(out);
}

static void statuses(void)
{
    float                  one = 1;
    void                  *p   = device(NULL, 256 * 4);
    cublasLtMatmulDesc_t   d   = describe(CUBLAS_COMPUTE_32F, CUDA_R_32F, 0, 0, CUBLASLT_EPILOGUE_DEFAULT);
    cublasLtMatrixLayout_t l = layout(CUDA_R_32F, 4, 4, 4, 0, 1, 0), narrow = layout(CUDA_R_32F, 4, 4, 2, 0, 1, 0),
                           wide = layout(CUDA_R_32F, 5, 4, 5, 0, 1, 0);
    cublasLtMatmulDescOpaque_t own;
    size_t                     written;
    GOOD(cublasLtMatmulDescInit(&own, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    EXPECT(cublasLtMatmul(handle, d, &one, p, narrow, p, l, &one, p, l, p, l, NULL, NULL, 0, NULL) ==
           CUBLAS_STATUS_INVALID_VALUE);
    EXPECT(cublasLtMatmul(handle, d, &one, p, wide, p, l, &one, p, l, p, l, NULL, NULL, 0, NULL) ==
           CUBLAS_STATUS_INVALID_VALUE);
    EXPECT(cublasLtMatmul(handle, d, NULL, p, l, p, l, &one, p, l, p, l, NULL, NULL, 0, NULL) ==
           CUBLAS_STATUS_INVALID_VALUE);
    EXPECT(cublasLtMatmul(handle, d, &one, NULL, l, p, l, &one, p, l, p, l, NULL, NULL, 0, NULL) ==
           CUBLAS_STATUS_INVALID_VALUE);
    EXPECT(cublasLtMatmul(handle, (cublasLtMatmulDesc_t)(void *)l, &one, p, l, p, l, &one, p, l, p, l, NULL, NULL, 0,
                          NULL) == CUBLAS_STATUS_INVALID_VALUE);
    EXPECT(cublasLtMatmul((cublasLtHandle_t)p, d, &one, p, l, p, l, &one, p, l, p, l, NULL, NULL, 0, NULL) ==
           CUBLAS_STATUS_NOT_INITIALIZED);
    EXPECT(cublasLtMatmulDescSetAttribute(d, (cublasLtMatmulDescAttributes_t)99, &one, 4) ==
           CUBLAS_STATUS_INVALID_VALUE);
    EXPECT(cublasLtMatmulDescSetAttribute(d, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &one, 4) ==
           CUBLAS_STATUS_INVALID_VALUE);
    GOOD(cublasLtMatrixLayoutGetAttribute(l, CUBLASLT_MATRIX_LAYOUT_ROWS, NULL, 0, &written));
    EXPECT(written == 8);
    GOOD(cublasLtMatmulDescDestroy(d));
    GOOD(cublasLtMatrixLayoutDestroy(l)), GOOD(cublasLtMatrixLayoutDestroy(narrow)),
        GOOD(cublasLtMatrixLayoutDestroy(wide));
    cudaFree(p);
}

int main(int argc, char **argv)
{
    static const Part parts[] = {
        {"products", products}, {"epilogues", epilogues}, {"transforms", transforms}, {"statuses", statuses}};
    GOOD(cublasLtCreate(&handle));
    EXPECT(cublasLtGetVersion() >= 130000);
    cublasLtMatmulAlgo_t preset; /* another's choice, kept in a program */
    int                  id = -1;
    GOOD(cublasLtMatmulAlgoInit(handle, CUBLAS_COMPUTE_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F,
                                10, &preset));
    EXPECT(cublasLtMatmulAlgoInit(handle, CUBLAS_COMPUTE_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F,
                                  CUDA_R_64F, id, &preset) == CUBLAS_STATUS_INVALID_VALUE);
    int r = run_parts(parts, sizeof parts / sizeof *parts, argc, argv);
    return cublasLtDestroy(handle) || r;
}
