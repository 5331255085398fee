/* SPDX-License-Identifier: Apache-2.0
 *
 * cuSPARSE's generic interface on a random matrix that is also kept dense: products, solutions and conversions in all formats, index types and
 * orders; what stands outside of a matrix; statuses. */
#include <cusparse.h>

#include "common.h"

enum { M = 9, N = 7, K = 3, MOST = M * M };

static cusparseHandle_t h;
static void            *buffer;
static double           dense[MOST]; /* by columns, rows x columns as made last */
static int              nonzeros;

typedef struct Made {
    cusparseSpMatDescr_t m;
    void                *p[3];
} Made;

/* A random matrix, or a triangular one with a heavy diagonal. */
static void make_dense(int rows, int columns, int triangle)
{
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++) {
            double x            = random_number();
            dense[j * rows + i] = triangle ? (i == j ? 4 + x : i > j && x > 0 ? x : 0) : x > 0.1 ? x : 0;
        }
}

/* It in a format (1 rows, 2 columns, 3 coordinates) with indices of 32 or 64 bits from `base` on. */
static Made make(int format, int wide, int base, int rows, int columns)
{
    int64_t line[MOST + 1], other[MOST], offsets[M + 1];
    double  value[MOST];
    int     n = 0, lines = format == 2 ? columns : rows, inner = format == 2 ? rows : columns;
    for (int i = 0; i < lines; i++) {
        offsets[i] = n + base;
        for (int k = 0; k < inner; k++) {
            double x = format == 2 ? dense[i * rows + k] : dense[k * rows + i];
            if (x == 0)
                continue;
            line[n] = i + base, other[n] = k + base, value[n++] = x;
        }
    }
    offsets[lines] = n + base;
    nonzeros       = n;
    int32_t narrow[3][MOST + 1];
    for (int i = 0; i < n; i++)
        narrow[0][i] = (int32_t)line[i], narrow[1][i] = (int32_t)other[i];
    for (int i = 0; i <= lines; i++)
        narrow[2][i] = (int32_t)offsets[i];
    size_t count = format == 3 ? (size_t)n : (size_t)lines + 1;
    void  *first = wide ? (void *)(format == 3 ? line : offsets) : (void *)(format == 3 ? narrow[0] : narrow[2]);
    Made   a     = {NULL,
                    {device(first, count * (wide ? 8 : 4)),
                     device(wide ? (void *)other : narrow[1], (size_t)n * (wide ? 8 : 4)), device(value, (size_t)n * 8)}};
    cusparseIndexType_t type = wide ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
    cusparseIndexBase_t from = base ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO;
    if (format == 1)
        GOOD(cusparseCreateCsr(&a.m, rows, columns, n, a.p[0], a.p[1], a.p[2], type, type, from, CUDA_R_64F));
    else if (format == 2)
        GOOD(cusparseCreateCsc(&a.m, rows, columns, n, a.p[0], a.p[1], a.p[2], type, type, from, CUDA_R_64F));
    else
        GOOD(cusparseCreateCoo(&a.m, rows, columns, n, a.p[0], a.p[1], a.p[2], type, from, CUDA_R_64F));
    return a;
}

static void forget(Made *a)
{
    GOOD(cusparseDestroySpMat(a->m));
    for (int i = 0; i < 3; i++)
        cudaFree(a->p[i]);
}

static void products(void)
{
    for (int how = 0; how < 24; how++) {
        int    format = how % 3 + 1, wide = how / 3 & 1, trans = how / 6 & 1, order = how / 12;
        int    rows = trans ? N : M, inner = trans ? M : N;
        double b[M * K], c[M * K], got[M * K], two = 2, minus = -1;
        make_dense(M, N, 0);
        Made a = make(format, wide, how & 1, M, N);
        for (int i = 0; i < M * K; i++)
            b[i] = random_number(), c[i] = random_number();
        double              *db = device(b, sizeof b), *dc = device(c, sizeof c);
        cusparseDnMatDescr_t mb, mc;
        cusparseDnVecDescr_t x, y;
        cusparseOrder_t      o  = order ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
        cusparseOperation_t  op = trans ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
        size_t               bytes;
        GOOD(cusparseCreateDnMat(&mb, inner, K, order ? K : inner, db, CUDA_R_64F, o));
        GOOD(cusparseCreateDnMat(&mc, rows, K, order ? K : rows, dc, CUDA_R_64F, o));
        GOOD(cusparseSpMM_bufferSize(h, op, CUSPARSE_OPERATION_NON_TRANSPOSE, &two, a.m, mb, &minus, mc, CUDA_R_64F,
                                     CUSPARSE_SPMM_ALG_DEFAULT, &bytes));
        GOOD(cusparseSpMM(h, op, CUSPARSE_OPERATION_NON_TRANSPOSE, &two, a.m, mb, &minus, mc, CUDA_R_64F,
                          CUSPARSE_SPMM_ALG_DEFAULT, buffer));
        fetch(got, dc, sizeof got);
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < K; j++) {
                double sum = 0;
                for (int k = 0; k < inner; k++)
                    sum += (trans ? dense[i * M + k] : dense[k * M + i]) * b[order ? k * K + j : j * inner + k];
                int at = order ? i * K + j : j * rows + i;
                EXPECT(near(got[at], 2 * sum - c[at], 1e-12));
            }
        double zero = 0; /* a vector; y need not hold anything */
        cudaFree(dc), dc = device(NULL, sizeof c);
        GOOD(cusparseCreateDnVec(&x, inner, db, CUDA_R_64F)), GOOD(cusparseCreateDnVec(&y, rows, dc, CUDA_R_64F));
        GOOD(cusparseSpMV(h, op, &two, a.m, x, &zero, y, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, buffer));
        fetch(got, dc, (size_t)rows * 8);
        for (int i = 0; i < rows; i++) {
            double sum = 0;
            for (int k = 0; k < inner; k++)
                sum += (trans ? dense[i * M + k] : dense[k * M + i]) * b[k];
            EXPECT(near(got[i], 2 * sum, 1e-12));
        }
        GOOD(cusparseDestroyDnVec(x)), GOOD(cusparseDestroyDnVec(y)), GOOD(cusparseDestroyDnMat(mb)),
            GOOD(cusparseDestroyDnMat(mc));
        cudaFree(db), cudaFree(dc);
        forget(&a);
    }
}

static void solutions(void)
{
    for (int how = 0; how < 6; how++) {
        int    format = how % 3 + 1, trans = how / 3;
        double x[M], y[M], one = 1;
        make_dense(M, M, 1);
        Made                 a = make(format, 0, 0, M, M);
        double              *dx, *dy = device(NULL, sizeof y);
        cusparseFillMode_t   lower = CUSPARSE_FILL_MODE_LOWER;
        cusparseSpSVDescr_t  d;
        cusparseDnVecDescr_t vx, vy;
        cusparseOperation_t  op = trans ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
        for (int i = 0; i < M; i++)
            x[i] = random_number();
        dx = device(x, sizeof x);
        GOOD(cusparseSpMatSetAttribute(a.m, CUSPARSE_SPMAT_FILL_MODE, &lower, sizeof lower));
        GOOD(cusparseCreateDnVec(&vx, M, dx, CUDA_R_64F)), GOOD(cusparseCreateDnVec(&vy, M, dy, CUDA_R_64F));
        GOOD(cusparseSpSV_createDescr(&d));
        GOOD(cusparseSpSV_analysis(h, op, &one, a.m, vx, vy, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, d, buffer));
        GOOD(cusparseSpSV_solve(h, op, &one, a.m, vx, vy, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, d));
        fetch(y, dy, sizeof y);
        for (int i = 0; i < M; i++) {
            double sum = 0;
            for (int k = 0; k < M; k++)
                sum += (trans ? dense[i * M + k] : dense[k * M + i]) * y[k];
            EXPECT(near(sum, x[i], 1e-12));
        }
        GOOD(cusparseSpSV_destroyDescr(d)), GOOD(cusparseDestroyDnVec(vx)), GOOD(cusparseDestroyDnVec(vy));
        cudaFree(dx), cudaFree(dy);
        forget(&a);
    }
}

static void conversions(void)
{
    double back[M * N];
    for (int format = 1; format <= 3; format++) { /* there and back */
        make_dense(M, N, 0);
        Made                 a = make(format, 0, 0, M, N);
        void                *d = device(NULL, sizeof back);
        cusparseDnMatDescr_t full;
        GOOD(cusparseCreateDnMat(&full, M, N, M, d, CUDA_R_64F, CUSPARSE_ORDER_COL));
        GOOD(cusparseSparseToDense(h, a.m, full, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, buffer));
        fetch(back, d, sizeof back);
        for (int i = 0; i < M * N; i++)
            EXPECT(back[i] == dense[i]);
        int64_t rows, columns, found;
        double  values[MOST], again[MOST];
        int     wanted = nonzeros;
        fetch(values, a.p[2], (size_t)nonzeros * 8);
        GOOD(cudaMemset(a.p[2], 0, (size_t)nonzeros * 8));
        GOOD(cusparseDenseToSparse_analysis(h, full, a.m, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer));
        GOOD(cusparseSpMatGetSize(a.m, &rows, &columns, &found));
        EXPECT(found == wanted && rows == M && columns == N);
        GOOD(cusparseDenseToSparse_convert(h, full, a.m, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer));
        fetch(again, a.p[2], (size_t)wanted * 8);
        EXPECT(!memcmp(values, again, (size_t)wanted * 8));
        GOOD(cusparseDestroyDnMat(full));
        cudaFree(d);
        forget(&a);
    }
    Made    a = make(1, 0, 1, M, N), c = make(3, 0, 1, M, N), t = make(2, 0, 1, M, N);
    int     one[MOST + 1], two[MOST + 1], *places = device(NULL, sizeof one), *other = device(NULL, sizeof one);
    double *values = device(NULL, MOST * 8), x[MOST], y[MOST];
    GOOD(cusparseXcsr2coo(h, a.p[0], nonzeros, M, places, CUSPARSE_INDEX_BASE_ONE));
    fetch(one, places, (size_t)nonzeros * 4), fetch(two, c.p[0], (size_t)nonzeros * 4);
    EXPECT(!memcmp(one, two, (size_t)nonzeros * 4));
    GOOD(cusparseXcoo2csr(h, c.p[0], nonzeros, M, places, CUSPARSE_INDEX_BASE_ONE));
    fetch(one, places, (M + 1) * 4), fetch(two, a.p[0], (M + 1) * 4);
    EXPECT(!memcmp(one, two, (M + 1) * 4));
    GOOD(cusparseCsr2cscEx2(h, M, N, nonzeros, a.p[2], a.p[0], a.p[1], values, places, other, CUDA_R_64F,
                            CUSPARSE_ACTION_NUMERIC, CUSPARSE_INDEX_BASE_ONE, CUSPARSE_CSR2CSC_ALG_DEFAULT, buffer));
    fetch(x, values, (size_t)nonzeros * 8), fetch(y, t.p[2], (size_t)nonzeros * 8);
    EXPECT(!memcmp(x, y, (size_t)nonzeros * 8));
    fetch(one, other, (size_t)nonzeros * 4), fetch(two, t.p[1], (size_t)nonzeros * 4);
    EXPECT(!memcmp(one, two, (size_t)nonzeros * 4));
    cudaFree(places), cudaFree(other), cudaFree(values);
    forget(&a), forget(&c), forget(&t);
}

static void vectors(void)
{
    double               x[3] = {10, 20, 30}, y[N] = {1, 2, 3, 4, 5, 6, 7}, got[N], three = 3, two = 2;
    int                  at[3] = {5, 0, 2};
    void                *dx = device(x, sizeof x), *di = device(at, sizeof at), *dy = device(y, sizeof y);
    cusparseSpVecDescr_t s;
    cusparseDnVecDescr_t d;
    GOOD(cusparseCreateSpVec(&s, N, 3, di, dx, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    GOOD(cusparseCreateDnVec(&d, N, dy, CUDA_R_64F));
    GOOD(cusparseAxpby(h, &three, s, &two, d));
    fetch(got, dy, sizeof got);
    EXPECT(got[0] == 62 && got[1] == 4 && got[2] == 96 && got[5] == 42);
    GOOD(cusparseGather(h, d, s));
    fetch(got, dx, sizeof x);
    EXPECT(got[0] == 42 && got[1] == 62 && got[2] == 96);
    GOOD(cusparseDestroySpVec(s)), GOOD(cusparseDestroyDnVec(d));
    cudaFree(dx), cudaFree(di), cudaFree(dy);
}

static void statuses(void)
{
    make_dense(M, N, 0);
    Made                 a   = make(1, 0, 0, M, N);
    double               one = 1, zero = 0, x[M] = {0}, y[M];
    int                  far = 1000;
    void                *dx = device(x, sizeof x), *dy = device(x, sizeof x);
    cusparseDnVecDescr_t vx, vy, small;
    GOOD(cusparseCreateDnVec(&vx, N, dx, CUDA_R_64F)), GOOD(cusparseCreateDnVec(&vy, M, dy, CUDA_R_64F)),
        GOOD(cusparseCreateDnVec(&small, 2, dx, CUDA_R_64F));
#define MULTIPLY(handle, m, from)                                                                                      \
    cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, m, from, &zero, vy, CUDA_R_64F,                       \
                 CUSPARSE_SPMV_ALG_DEFAULT, buffer)
    EXPECT(MULTIPLY(h, a.m, small) == CUSPARSE_STATUS_INVALID_VALUE);
    EXPECT(MULTIPLY(h, (cusparseSpMatDescr_t)(void *)vx, vx) == CUSPARSE_STATUS_INVALID_VALUE);
    EXPECT(MULTIPLY((cusparseHandle_t)(void *)vx, a.m, vx) == CUSPARSE_STATUS_NOT_INITIALIZED);
    EXPECT(cusparseCreateCsr(&a.m, -1, 1, 0, NULL, NULL, NULL, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                             CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F) == CUSPARSE_STATUS_INVALID_VALUE);
    GOOD(cudaMemcpy(a.p[1], &far, sizeof far, cudaMemcpyHostToDevice)); /* an index outside: told, not followed */
    GOOD(MULTIPLY(h, a.m, vx));
    fetch(y, dy, sizeof y);
    GOOD(cusparseDestroyDnVec(vx)), GOOD(cusparseDestroyDnVec(vy)), GOOD(cusparseDestroyDnVec(small));
    cudaFree(dx), cudaFree(dy);
    forget(&a);
}

int main(int argc, char **argv)
{
    static const Part parts[] = {{"products", products},
                                 {"solutions", solutions},
                                 {"conversions", conversions},
                                 {"vectors", vectors},
                                 {"statuses", statuses}};
    GOOD(cusparseCreate(&h));
    buffer = device(NULL, 4096);
    int r  = run_parts(parts, sizeof parts / sizeof *parts, argc, argv);
    cudaFree(buffer);
    return cusparseDestroy(h) || r;
}
