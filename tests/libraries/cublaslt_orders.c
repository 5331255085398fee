/* SPDX-License-Identifier: Apache-2.0
 *
 * cublasLt's tiled orders (places as cublasLt.h gives them, there and back, products of bytes), complex numbers in planes, scales of 8-bit
 * floats. */
#include <cublasLt.h>

#include "common.h"

enum { M = 35, N = 21, K = 40, MOST = 64 * 64 * 2 };

static cublasLtHandle_t handle;

static cublasLtMatrixLayout_t layout(cudaDataType type, uint64_t rows, uint64_t columns, int64_t ld, int order,
                                     int64_t plane)
{
    cublasLtMatrixLayout_t l;
    int32_t                o = order;
    GOOD(cublasLtMatrixLayoutCreate(&l, type, rows, columns, ld));
    GOOD(cublasLtMatrixLayoutSetAttribute(l, CUBLASLT_MATRIX_LAYOUT_ORDER, &o, sizeof o));
    GOOD(cublasLtMatrixLayoutSetAttribute(l, CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, &plane, sizeof plane));
    return l;
}

/* The least leading dimension. */
static int64_t least(int order, int rows)
{
    int tile = order == CUBLASLT_ORDER_COL32 ? 1 : order == CUBLASLT_ORDER_COL4_4R2_8C ? 8 : 32;
    return order == CUBLASLT_ORDER_COL ? rows : (rows + tile - 1) / tile * tile * 32;
}

static void convert(cudaDataType scale, const void *from, cublasLtMatrixLayout_t lf, void *to,
                    cublasLtMatrixLayout_t lt)
{
    float                         one[2] = {1, 0}, zero[2] = {0, 0};
    int32_t                       whole = 1, none = 0;
    cublasLtMatrixTransformDesc_t t;
    const void *alpha = scale == CUDA_R_32I ? (void *)&whole : one, *beta = scale == CUDA_R_32I ? (void *)&none : zero;
    GOOD(cublasLtMatrixTransformDescCreate(&t, scale));
    GOOD(cublasLtMatrixTransform(handle, t, alpha, from, lf, beta, NULL, NULL, to, lt, NULL));
    GOOD(cublasLtMatrixTransformDescDestroy(t));
}

static void *room(size_t bytes)
{
    void *p = device(NULL, bytes);
    GOOD(cudaMemset(p, 0x55, bytes));
    return p;
}

/* Where an element must be: the first elements of what cublasLt.h describes, and its formula for the last order. */
static int64_t place(int order, int64_t ld, int row, int column)
{
    int r = row % 32, c = column % 32;
    if (order == CUBLASLT_ORDER_COL32)
        return column / 32 * ld + row * 32 + c;
    if (order == CUBLASLT_ORDER_COL32_2R_4R4)
        return column / 32 * ld + row / 32 * 1024 + (((r % 8) / 2 * 4 + r / 8) * 2 + r % 2) * 32 + c;
    /* four columns of rows 0, 2, 4, 6, then the next four, ... then all of the odd rows */
    int at = 0;
    for (int odd = 0; odd < 2; odd++)
        for (int four = 0; four < 8; four++)
            for (int even = 0; even < 8; even += 2)
                for (int i = 0; i < 4; i++, at++)
                    if (row % 8 == even + odd && c == four * 4 + i)
                        return column / 32 * ld + row / 8 * 256 + at;
    return -1;
}

static void tiles(void)
{
    for (int order = CUBLASLT_ORDER_COL32; order <= CUBLASLT_ORDER_COL32_2R_4R4; order++) {
        static int8_t from[M * K], there[MOST], back[M * K];
        int64_t       ld = least(order, M) + 32;
        for (int i = 0; i < M * K; i++)
            from[i] = (int8_t)(random_number() * 200);
        void                  *df = device(from, sizeof from), *dt = room(MOST), *db = room(sizeof back);
        cublasLtMatrixLayout_t lf     = layout(CUDA_R_8I, M, K, M, CUBLASLT_ORDER_COL, 0),
                               lt     = layout(CUDA_R_8I, M, K, ld, order, 0),
                               narrow = layout(CUDA_R_8I, M, K, least(order, M) - 1, order, 0);
        convert(CUDA_R_32I, df, lf, dt, lt);
        fetch(there, dt, MOST);
        for (int i = 0; i < M; i++)
            for (int j = 0; j < K; j++)
                EXPECT(there[place(order, ld, i, j)] == from[j * M + i]);
        convert(CUDA_R_32I, dt, lt, db, lf);
        fetch(back, db, sizeof back);
        EXPECT(!memcmp(from, back, sizeof back));
        float                         one = 1;
        cublasLtMatrixTransformDesc_t t;
        GOOD(cublasLtMatrixTransformDescCreate(&t, CUDA_R_32F));
        EXPECT(cublasLtMatrixTransform(handle, t, &one, df, lf, &one, NULL, NULL, dt, narrow, NULL) ==
               CUBLAS_STATUS_INVALID_VALUE);
        GOOD(cublasLtMatrixTransformDescDestroy(t));
        GOOD(cublasLtMatrixLayoutDestroy(lf)), GOOD(cublasLtMatrixLayoutDestroy(lt)),
            GOOD(cublasLtMatrixLayoutDestroy(narrow));
        cudaFree(df), cudaFree(dt), cudaFree(db);
    }
}

/* D = 2 A B' - C of bytes, all of it in tiles. */
static void bytes(void)
{
    for (int order = CUBLASLT_ORDER_COL4_4R2_8C; order <= CUBLASLT_ORDER_COL32_2R_4R4; order++) {
        static int8_t  a[M * K], b[N * K];
        static int32_t c[M * N], d[M * N];
        int32_t        factor[] = {2, -1}, transposed = CUBLAS_OP_T;
        for (int i = 0; i < M * K; i++)
            a[i] = (int8_t)(random_number() * 255);
        for (int i = 0; i < N * K; i++)
            b[i] = (int8_t)(random_number() * 255);
        for (int i = 0; i < M * N; i++)
            c[i] = (int32_t)(random_number() * 1e6);
        void *da = device(a, sizeof a), *db = device(b, sizeof b), *dc = device(c, sizeof c), *ta = room(MOST),
             *tb = room(MOST), *tc = room(MOST * 4), *td = room(MOST * 4);
        cublasLtMatrixLayout_t la = layout(CUDA_R_8I, M, K, M, 0, 0), lb = layout(CUDA_R_8I, N, K, N, 0, 0),
                               lc = layout(CUDA_R_32I, M, N, M, 0, 0),
                               xa = layout(CUDA_R_8I, M, K, least(2, M), CUBLASLT_ORDER_COL32, 0),
                               xb = layout(CUDA_R_8I, N, K, least(order, N), order, 0),
                               xc = layout(CUDA_R_32I, M, N, least(2, M), CUBLASLT_ORDER_COL32, 0);
        cublasLtMatmulDesc_t desc;
        convert(CUDA_R_32I, da, la, ta, xa), convert(CUDA_R_32I, db, lb, tb, xb), convert(CUDA_R_32I, dc, lc, tc, xc);
        GOOD(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32I, CUDA_R_32I));
        EXPECT(cublasLtMatmul(handle, desc, factor, ta, xa, tb, xb, factor + 1, tc, xc, td, xc, NULL, NULL, 0, NULL) ==
               CUBLAS_STATUS_NOT_SUPPORTED); /* B is not transposed */
        GOOD(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSB, &transposed, sizeof transposed));
        GOOD(cublasLtMatmul(handle, desc, factor, ta, xa, tb, xb, factor + 1, tc, xc, td, xc, NULL, NULL, 0, NULL));
        EXPECT(cublasLtMatmul(handle, desc, factor, da, la, tb, xb, factor + 1, tc, xc, td, xc, NULL, NULL, 0, NULL) ==
               CUBLAS_STATUS_NOT_SUPPORTED); /* not all in tiles */
        convert(CUDA_R_32I, td, xc, dc, lc);
        fetch(d, dc, sizeof d);
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                int32_t sum = -c[j * M + i];
                for (int k = 0; k < K; k++)
                    sum += 2 * a[k * M + i] * b[k * N + j];
                EXPECT(d[j * M + i] == sum);
            }
        GOOD(cublasLtMatmulDescDestroy(desc));
        GOOD(cublasLtMatrixLayoutDestroy(la)), GOOD(cublasLtMatrixLayoutDestroy(lb)),
            GOOD(cublasLtMatrixLayoutDestroy(lc));
        GOOD(cublasLtMatrixLayoutDestroy(xa)), GOOD(cublasLtMatrixLayoutDestroy(xb)),
            GOOD(cublasLtMatrixLayoutDestroy(xc));
        cudaFree(da), cudaFree(db), cudaFree(dc), cudaFree(ta), cudaFree(tb), cudaFree(tc), cudaFree(td);
    }
}

/* Complex numbers of half precision in planes, made from interleaved ones of single; the result is interleaved again. */
static void planes(void)
{
    enum { P = 6, Q = 5, R = 7 }; /* P x R by R x Q */
    for (int how = 0; how < 4; how++) {
        int                  ta = how & 1 ? CUBLAS_OP_C : CUBLAS_OP_N, type = how & 2 ? CUDA_C_32F : CUDA_C_16F;
        float                a[P * R * 2], b[R * Q * 2], got[P * Q * 2], factor[] = {0.5F, -1, 0, 0};
        int                  rows = how & 1 ? R : P, columns = how & 1 ? P : R;
        cublasLtMatmulDesc_t desc;
        for (int i = 0; i < P * R * 2; i++)
            a[i] = (float)(int)(random_number() * 16) / 4;
        for (int i = 0; i < R * Q * 2; i++)
            b[i] = (float)(int)(random_number() * 16) / 4;
        void *da = device(a, sizeof a), *db = device(b, sizeof b), *pa = room(512), *pb = room(512), *pd = room(1024),
             *dd                  = room(sizeof got);
        cublasLtMatrixLayout_t la = layout(CUDA_C_32F, rows, columns, rows, 0, 0),
                               lb = layout(CUDA_C_32F, R, Q, R, 0, 0), ld = layout(CUDA_C_32F, P, Q, P, 0, 0),
                               xa = layout(CUDA_C_16F, rows, columns, rows + 1, 0, 256),
                               xb = layout(CUDA_C_16F, R, Q, R + 2, 0, 256), xd = layout(type, P, Q, P + 1, 0, 512);
        convert(CUDA_C_32F, da, la, pa, xa), convert(CUDA_C_32F, db, lb, pb, xb);
        GOOD(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_C_32F));
        GOOD(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &ta, sizeof ta));
        GOOD(cublasLtMatmul(handle, desc, factor, pa, xa, pb, xb, factor + 2, pd, xd, pd, xd, NULL, NULL, 0, NULL));
        convert(CUDA_C_32F, pd, xd, dd, ld);
        fetch(got, dd, sizeof got);
        for (int i = 0; i < P; i++)
            for (int j = 0; j < Q; j++) {
                double re = 0, im = 0;
                for (int k = 0; k < R; k++) {
                    const float *x = a + 2 * (how & 1 ? i * R + k : k * P + i), *y = b + 2 * (j * R + k);
                    double       xi = how & 1 ? -x[1] : x[1];
                    re += x[0] * y[0] - xi * y[1];
                    im += x[0] * y[1] + xi * y[0];
                }
                EXPECT(near(got[2 * (j * P + i)], 0.5 * re + im, how & 2 ? 1e-6 : 1e-3));
                EXPECT(near(got[2 * (j * P + i) + 1], 0.5 * im - re, how & 2 ? 1e-6 : 1e-3));
            }
        GOOD(cublasLtMatmulDescDestroy(desc));
        GOOD(cublasLtMatrixLayoutDestroy(la)), GOOD(cublasLtMatrixLayoutDestroy(lb)),
            GOOD(cublasLtMatrixLayoutDestroy(ld));
        GOOD(cublasLtMatrixLayoutDestroy(xa)), GOOD(cublasLtMatrixLayoutDestroy(xb)),
            GOOD(cublasLtMatrixLayoutDestroy(xd));
        cudaFree(da), cudaFree(db), cudaFree(pa), cudaFree(pb), cudaFree(pd), cudaFree(dd);
    }
}

/* e4m3 numbers of a few bits: the number and its byte. */
static double tiny(uint8_t *byte)
{
    int    exponent = 5 + (int)((random_number() + 0.5) * 4), mantissa = (int)((random_number() + 0.5) * 8);
    double x     = ldexp(8 + mantissa, exponent - 10);
    int    minus = random_number() < 0;
    *byte        = (uint8_t)(minus << 7 | exponent << 3 | mantissa);
    return minus ? -x : x;
}

/* A' B of 8-bit floats with a scale for each line, for each 128 terms, for each square of 128. */
static void scales(void)
{
    enum { P = 140, Q = 20, R = 304, TILES = 3, PADDED = 4 };
    static const struct {
        int a, b, status;
    } modes[] = {{CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F, CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F, 0},
                 {CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F, CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F, 0},
                 {CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F, CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F, 0},
                 {CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F, CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F, 0},
                 {CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F, CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F,
                  CUBLAS_STATUS_NOT_SUPPORTED},
                 {CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0, CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0,
                  CUBLAS_STATUS_NOT_SUPPORTED},
                 {CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F, CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F,
                  CUBLAS_STATUS_NOT_SUPPORTED}};
    static uint8_t a[P * R], b[Q * R];
    static double  x[P * R], y[Q * R];
    static float   sa[P * TILES], sb[P * TILES], got[P * Q];
    float          one = 1, zero = 0;
    for (int i = 0; i < P * R; i++)
        x[i] = tiny(&a[i]);
    for (int i = 0; i < Q * R; i++)
        y[i] = tiny(&b[i]);
    for (int i = 0; i < P * TILES; i++)
        sa[i] = 1.5F + (float)random_number(), sb[i] = 1.5F + (float)random_number();
    void *da = device(a, sizeof a), *db = device(b, sizeof b), *dsa = device(sa, sizeof sa),
         *dsb = device(sb, sizeof sb), *dd = room(sizeof got);
    cublasLtMatrixLayout_t la = layout(CUDA_R_8F_E4M3, R, P, R, 0, 0), lb = layout(CUDA_R_8F_E4M3, R, Q, R, 0, 0),
                           ld = layout(CUDA_R_32F, P, Q, P, 0, 0);
    for (size_t how = 0; how < sizeof modes / sizeof *modes; how++) {
        cublasLtMatmulDesc_t desc;
        int32_t              transposed = CUBLAS_OP_T;
        GOOD(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
        GOOD(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed));
        GOOD(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, &dsa, sizeof dsa));
        GOOD(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, &dsb, sizeof dsb));
        GOOD(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_A_SCALE_MODE, &modes[how].a, 4));
        GOOD(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_B_SCALE_MODE, &modes[how].b, 4));
        EXPECT((int)cublasLtMatmul(handle, desc, &one, da, la, db, lb, &zero, dd, ld, dd, ld, NULL, NULL, 0, NULL) ==
               modes[how].status);
        GOOD(cublasLtMatmulDescDestroy(desc));
        if (modes[how].status)
            continue;
        fetch(got, dd, sizeof got);
        for (int i = 0; i < P; i++)
            for (int j = 0; j < Q; j++) {
                double sum = 0;
                for (int k = 0; k < R; k++) {
                    int t = k / 128, ma = modes[how].a, mb = modes[how].b;
                    sum += x[i * R + k] * y[j * R + k] *
                           (double)sa[ma == 3   ? i
                                      : ma == 4 ? t * P + i
                                                : i / 128 * PADDED + t] *
                           (double)sb[mb == 3   ? j
                                      : mb == 4 ? t * Q + j
                                                : j / 128 * PADDED + t];
                }
                EXPECT(fabs((double)got[j * P + i] - sum) < 1e-3 * (1 + fabs(sum)));
            }
    }
    GOOD(cublasLtMatrixLayoutDestroy(la)), GOOD(cublasLtMatrixLayoutDestroy(lb)), GOOD(cublasLtMatrixLayoutDestroy(ld));
    cudaFree(da), cudaFree(db), cudaFree(dsa), cudaFree(dsb), cudaFree(dd);
}

int main(int argc, char **argv)
{
    static const Part parts[] = {{"tiles", tiles}, {"bytes", bytes}, {"planes", planes}, {"scales", scales}};
    GOOD(cublasLtCreate(&handle));
    int r = run_parts(parts, sizeof parts / sizeof *parts, argc, argv);
    return cublasLtDestroy(handle) || r;
}
