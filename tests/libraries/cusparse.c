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

/* Other values, then another diagonal, after the analysis. */
static void new_values(void)
{
    enum { SIDE = 3 };
    const int    offsets[] = {0, 1, 3, 6}, columns[] = {0, 0, 1, 0, 1, 2};
    const double old[] = {1, 1, 1, 1, 1, 1}, other[] = {2, 1, 4, 3, -1, 5}, diagonal[] = {1, 2, 4}, x[] = {2, 9, 10};
    const double expected[3][SIDE] = {{2, 7, 1}, {1, 2, 9.0 / 5}, {2, 3.5, 7.5 / 4}};
    double       y[SIDE], one = 1;
    int         *rows = device(offsets, sizeof offsets), *where = device(columns, sizeof columns);
    double      *was = device(old, sizeof old), *is = device(other, sizeof other),
           *across          = device(diagonal, sizeof diagonal);
    double              *dx = device(x, sizeof x), *dy = device(NULL, sizeof y);
    cusparseFillMode_t   lower = CUSPARSE_FILL_MODE_LOWER;
    cusparseSpMatDescr_t m;
    cusparseDnVecDescr_t vx, vy;
    cusparseSpSVDescr_t  d;
    GOOD(cusparseCreateCsr(&m, SIDE, SIDE, 6, rows, where, was, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                           CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    GOOD(cusparseSpMatSetAttribute(m, CUSPARSE_SPMAT_FILL_MODE, &lower, sizeof lower));
    GOOD(cusparseCreateDnVec(&vx, SIDE, dx, CUDA_R_64F)), GOOD(cusparseCreateDnVec(&vy, SIDE, dy, CUDA_R_64F));
    GOOD(cusparseSpSV_createDescr(&d));
    GOOD(cusparseSpSV_analysis(h, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, m, vx, vy, CUDA_R_64F,
                               CUSPARSE_SPSV_ALG_DEFAULT, d, buffer));
    for (int step = 0; step < 3; step++) {
        if (step == 1)
            GOOD(cusparseSpSV_updateMatrix(h, d, is, CUSPARSE_SPSV_UPDATE_GENERAL));
        if (step == 2)
            GOOD(cusparseSpSV_updateMatrix(h, d, across, CUSPARSE_SPSV_UPDATE_DIAGONAL));
        GOOD(cusparseSpSV_solve(h, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, m, vx, vy, CUDA_R_64F,
                                CUSPARSE_SPSV_ALG_DEFAULT, d));
        fetch(y, dy, sizeof y);
        for (int i = 0; i < SIDE; i++)
            EXPECT(near(y[i], expected[step][i], 1e-14));
    }
    EXPECT(cusparseSpSV_updateMatrix(h, d, NULL, CUSPARSE_SPSV_UPDATE_GENERAL) == CUSPARSE_STATUS_INVALID_VALUE);
    EXPECT(cusparseSpSV_updateMatrix(h, d, is, (cusparseSpSVUpdate_t)7) == CUSPARSE_STATUS_INVALID_VALUE);
    GOOD(cusparseSpSV_destroyDescr(d)), GOOD(cusparseDestroyDnVec(vx)), GOOD(cusparseDestroyDnVec(vy)),
        GOOD(cusparseDestroySpMat(m));
    cudaFree(rows), cudaFree(where), cudaFree(was), cudaFree(is), cudaFree(across), cudaFree(dx), cudaFree(dy);
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
    EXPECT(MULTIPLY(NULL, a.m, vx) ==
           CUSPARSE_STATUS_INVALID_VALUE); /* as NVIDIA's of CUDA 13.0, which says so without a card */
    EXPECT(cusparseSetStream(NULL, NULL) == CUSPARSE_STATUS_INVALID_VALUE);
    EXPECT(cusparseDestroy(NULL) == CUSPARSE_STATUS_SUCCESS);
    EXPECT(cusparseGetMatType(NULL) == (cusparseMatrixType_t)-1);
    EXPECT(cusparseSetMatType(NULL, CUSPARSE_MATRIX_TYPE_GENERAL) == CUSPARSE_STATUS_NOT_INITIALIZED);
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

/* y = A x of the dense matrix, M x N, against a descriptor of another format. */
static void times(cusparseSpMatDescr_t m)
{
    double               x[N], y[M], one = 1, zero = 0;
    cusparseDnVecDescr_t vx, vy;
    for (int i = 0; i < N; i++)
        x[i] = random_number();
    double *dx = device(x, sizeof x), *dy = device(NULL, sizeof y);
    GOOD(cusparseCreateDnVec(&vx, N, dx, CUDA_R_64F)), GOOD(cusparseCreateDnVec(&vy, M, dy, CUDA_R_64F));
    GOOD(cusparseSpMV(h, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, m, vx, &zero, vy, CUDA_R_64F,
                      CUSPARSE_SPMV_ALG_DEFAULT, buffer));
    fetch(y, dy, sizeof y);
    for (int i = 0; i < M; i++) {
        double sum = 0;
        for (int k = 0; k < N; k++)
            sum += dense[k * M + i] * x[k];
        EXPECT(near(y[i], sum, 1e-12));
    }
    GOOD(cusparseDestroyDnVec(vx)), GOOD(cusparseDestroyDnVec(vy));
    cudaFree(dx), cudaFree(dy);
}

/* M x N in slices of 2 rows and, with the last row and column left zero or not, in blocks. */
static void formats(void)
{
    make_dense(M, N, 0);
    enum { SLICE = 2, SLICES = (M + 1) / 2 };
    int    offsets[SLICES + 1] = {0}, columns[M * N * 2], n = 0, all = 0;
    double values[M * N * 2];
    for (int s = 0; s < SLICES; s++) {
        int width = 0;
        for (int i = s * SLICE; i < M && i < (s + 1) * SLICE; i++) {
            int here = 0;
            for (int k = 0; k < N; k++)
                here += dense[k * M + i] != 0;
            width = here > width ? here : width;
        }
        for (int i = 0; i < width * SLICE; i++)
            columns[all + i] = -1, values[all + i] = 1e9; /* what fills up is not looked at */
        for (int r = 0; r < SLICE && s * SLICE + r < M; r++)
            for (int k = 0, at = 0; k < N; k++)
                if (dense[k * M + s * SLICE + r] != 0) {
                    columns[all + at * SLICE + r]  = k;
                    values[all + at++ * SLICE + r] = dense[k * M + s * SLICE + r];
                    n++;
                }
        offsets[s + 1] = all += width * SLICE;
    }
    void *p[3] = {device(offsets, sizeof offsets), device(columns, (size_t)all * 4), device(values, (size_t)all * 8)};
    cusparseSpMatDescr_t m;
    GOOD(cusparseCreateSlicedEll(&m, M, N, n, all, SLICE, p[0], p[1], p[2], CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                 CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    times(m);
    GOOD(cusparseDestroySpMat(m));
    for (int i = 0; i < 3; i++)
        cudaFree(p[i]);
    /* blocks of 3 x 7, all of them there, in either order */
    for (int by = 0; by < 2; by++) {
        enum { ROWS = 3, BLOCKS = M / ROWS };
        int    start[BLOCKS + 1], block[BLOCKS];
        double v[M * N];
        for (int b = 0; b <= BLOCKS; b++)
            start[b] = b + 1;
        for (int b = 0; b < BLOCKS; b++)
            for (int i = 0; i < ROWS; i++)
                for (int k = 0; k < N; k++)
                    block[b] = 1, v[b * ROWS * N + (by ? i * N + k : k * ROWS + i)] = dense[k * M + b * ROWS + i];
        void *q[3] = {device(start, sizeof start), device(block, sizeof block), device(v, sizeof v)};
        GOOD(cusparseCreateBsr(&m, BLOCKS, 1, BLOCKS, ROWS, N, q[0], q[1], q[2], CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                               CUSPARSE_INDEX_BASE_ONE, CUDA_R_64F, by ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL));
        times(m);
        GOOD(cusparseDestroySpMat(m));
        for (int i = 0; i < 3; i++)
            cudaFree(q[i]);
    }
    /* blocked ELL from a dense matrix: 4 x 6, blocks of 2, two of three kept in a row; one place fills up */
    double d[24], w[16], back[24];
    int    which[4] = {2, 0, 1, -1};
    for (int i = 0; i < 24; i++)
        d[i] = random_number();
    void *dd = device(d, sizeof d), *di = device(which, sizeof which), *dw = device(NULL, sizeof w),
         *db = device(NULL, sizeof d);
    cusparseDnMatDescr_t from, to;
    GOOD(cusparseCreateDnMat(&from, 4, 6, 6, dd, CUDA_R_64F, CUSPARSE_ORDER_ROW));
    GOOD(cusparseCreateDnMat(&to, 4, 6, 6, db, CUDA_R_64F, CUSPARSE_ORDER_ROW));
    GOOD(cusparseCreateBlockedEll(&m, 4, 6, 2, 4, di, dw, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    GOOD(cusparseDenseToSparse_analysis(h, from, m, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer));
    GOOD(cusparseDenseToSparse_convert(h, from, m, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer));
    GOOD(cusparseSparseToDense(h, m, to, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, buffer));
    fetch(w, dw, sizeof w), fetch(back, db, sizeof back);
    EXPECT(w[0] == d[4] && w[2] == d[0] && w[5] == d[11] && w[8] == d[14] && w[10] == 0 && w[15] == 0);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 6; k++) {
            int kept = i < 2 ? k / 2 != 1 : k / 2 == 1;
            EXPECT(back[i * 6 + k] == (kept ? d[i * 6 + k] : 0));
        }
    GOOD(cusparseDestroyDnMat(from)), GOOD(cusparseDestroyDnMat(to)), GOOD(cusparseDestroySpMat(m));
    EXPECT(cusparseCreateBlockedEll(&m, 4, 6, 2, 3, di, dw, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F) ==
           CUSPARSE_STATUS_INVALID_VALUE);
    cudaFree(dd), cudaFree(di), cudaFree(dw), cudaFree(db);
}

/* Two right sides with gaps between their columns, one matrix; then a second one outside of its allocation. */
static void batched(void)
{
    enum { LD = N + 2, STRIDE = LD * K + 3, LDC = M + 1, STRIDEC = LDC * K, BATCH = 5 };
    static double b[BATCH * STRIDE], c[BATCH * STRIDEC];
    double        one = 1, zero = 0;
    make_dense(M, N, 0);
    Made a = make(1, 0, 0, M, N);
    for (int i = 0; i < BATCH * STRIDE; i++)
        b[i] = random_number();
    double              *db = device(b, sizeof b), *dc = device(NULL, sizeof c);
    cusparseDnMatDescr_t mb, mc;
    GOOD(cudaMemset(dc, 0, sizeof c));
    GOOD(cusparseCreateDnMat(&mb, N, K, LD, db, CUDA_R_64F, CUSPARSE_ORDER_COL));
    GOOD(cusparseCreateDnMat(&mc, M, K, LDC, dc, CUDA_R_64F, CUSPARSE_ORDER_COL));
    GOOD(cusparseDnMatSetStridedBatch(mb, BATCH, STRIDE)), GOOD(cusparseDnMatSetStridedBatch(mc, BATCH, STRIDEC));
#define SPMM                                                                                                           \
    cusparseSpMM(h, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a.m, mb, &zero, mc,      \
                 CUDA_R_64F, CUSPARSE_SPMM_ALG_DEFAULT, buffer)
    GOOD(SPMM);
    fetch(c, dc, sizeof c);
    for (int s = 0; s < BATCH; s++)
        for (int j = 0; j < K; j++)
            for (int i = 0; i < M; i++) {
                double sum = 0;
                for (int k = 0; k < N; k++)
                    sum += dense[k * M + i] * b[s * STRIDE + j * LD + k];
                EXPECT(near(c[s * STRIDEC + j * LDC + i], sum, 1e-12));
            }
    GOOD(cusparseDnMatSetStridedBatch(mb, BATCH - 1, STRIDE)); /* as many as results, or one */
    EXPECT(SPMM == CUSPARSE_STATUS_INVALID_VALUE);
    GOOD(cusparseDestroyDnMat(mb)), GOOD(cusparseDestroyDnMat(mc));
    cudaFree(db), cudaFree(dc);
    forget(&a);
}

/* The last of a batch with gaps lies outside of its allocation. */
static void beyond(void)
{
    double               one = 1, zero = 0, *db, *dc;
    cusparseDnMatDescr_t mb, mc;
    make_dense(M, N, 0);
    Made a = make(1, 0, 0, M, N);
    db = device(NULL, (N + 2) * K * 8), dc = device(NULL, (M + 1) * K * 8);
    GOOD(cudaMemset(db, 0, (N + 2) * K * 8));
    GOOD(cusparseCreateDnMat(&mb, N, K, N + 2, db, CUDA_R_64F, CUSPARSE_ORDER_COL));
    GOOD(cusparseCreateDnMat(&mc, M, K, M + 1, dc, CUDA_R_64F, CUSPARSE_ORDER_COL));
    GOOD(cusparseDnMatSetStridedBatch(mb, 2, 1 << 20)), GOOD(cusparseDnMatSetStridedBatch(mc, 2, 1 << 20));
    SPMM;
    EXPECT(cudaDeviceSynchronize() != cudaSuccess);
}

/* A of M x N times its transpose. */
static void sparse_by_sparse(void)
{
    double      two = 2, zero = 0, full[M * N], got[M * M], *factors = device((double[]){2, 0}, 16);
    const void *alpha, *beta;
    make_dense(M, N, 0);
    memcpy(full, dense, sizeof full);
    Made a = make(1, 0, 0, M, N);
    for (int j = 0; j < M; j++)
        for (int k = 0; k < N; k++)
            dense[j * N + k] = full[k * M + j];
    Made b = make(1, 1, 1, N, M);
    for (int reuse = 0; reuse < 2; reuse++) {
        alpha = reuse ? (void *)factors : &two,
        beta  = reuse ? (void *)(factors + 1) : &zero; /* the host's, the device's */
        GOOD(cusparseSetPointerMode(h, reuse ? CUSPARSE_POINTER_MODE_DEVICE : CUSPARSE_POINTER_MODE_HOST));
        void                 *offsets = device(NULL, (M + 1) * 4), *columns, *values, *dg = device(NULL, sizeof got);
        cusparseSpMatDescr_t  c;
        cusparseSpGEMMDescr_t d;
        cusparseDnMatDescr_t  to;
        size_t                s[4] = {0};
        int64_t               rows, wide, n = -1, multiplications = -1;
        GOOD(cusparseSpGEMM_createDescr(&d));
        GOOD(cusparseCreateCsr(&c, M, M, 0, offsets, NULL, NULL, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                               CUSPARSE_INDEX_BASE_ONE, CUDA_R_64F));
#define PRODUCT                                                                                                        \
    h, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, alpha, a.m, b.m, beta, c, CUDA_R_64F,       \
        CUSPARSE_SPGEMM_DEFAULT, d
#define REUSED                                                                                                         \
    h, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, a.m, b.m, c, CUSPARSE_SPGEMM_DEFAULT, d
        EXPECT(cusparseSpGEMM_getNumProducts(d, &multiplications) == CUSPARSE_STATUS_INVALID_VALUE);
        GOOD(reuse ? cusparseSpGEMMreuse_workEstimation(REUSED, s, buffer)
                   : cusparseSpGEMM_workEstimation(PRODUCT, s, buffer));
        GOOD(reuse ? cusparseSpGEMMreuse_nnz(REUSED, s, buffer, s + 1, buffer, s + 2, buffer)
                   : cusparseSpGEMM_compute(PRODUCT, s, buffer));
        GOOD(cusparseSpGEMM_getNumProducts(d, &multiplications));
        GOOD(cusparseSpMatGetSize(c, &rows, &wide, &n));
        EXPECT(n > 0 && n <= M * M && multiplications >= n);
        columns = device(NULL, (size_t)n * 4), values = device(NULL, (size_t)n * 8);
        GOOD(cusparseCsrSetPointers(c, offsets, columns, values));
        if (reuse) {
            GOOD(cusparseSpGEMMreuse_copy(REUSED, s, buffer));
            GOOD(cusparseSpGEMMreuse_compute(PRODUCT));
        } else {
            GOOD(cusparseSpGEMM_copy(PRODUCT));
        }
        GOOD(cusparseCreateDnMat(&to, M, M, M, dg, CUDA_R_64F, CUSPARSE_ORDER_COL));
        GOOD(cusparseSparseToDense(h, c, to, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, buffer));
        fetch(got, dg, sizeof got);
        for (int i = 0; i < M; i++)
            for (int j = 0; j < M; j++) {
                double sum = 0;
                for (int k = 0; k < N; k++)
                    sum += 2 * full[k * M + i] * full[k * M + j];
                EXPECT(near(got[j * M + i], sum, 1e-12));
            }
        GOOD(cusparseDestroyDnMat(to)), GOOD(cusparseDestroySpMat(c)), GOOD(cusparseSpGEMM_destroyDescr(d));
        cudaFree(offsets), cudaFree(columns), cudaFree(values), cudaFree(dg);
    }
    GOOD(cusparseSetPointerMode(h, CUSPARSE_POINTER_MODE_HOST));
    cudaFree(factors);
    forget(&a), forget(&b);
}

/* Systems of three and five diagonals, with a diagonal that needs pivoting. */
static void bands(void)
{
    enum { COUNT = 3 };
    double d[5][M * COUNT], x[M * COUNT], b[M * COUNT], got[M * COUNT];
    void  *p[5], *dx;
    for (int kind = 0; kind < 3; kind++) { /* one matrix, one behind the other, interleaved with five diagonals */
        int reach = kind == 2 ? 2 : 1;
        for (int i = 0; i < M * COUNT; i++) {
            x[i] = random_number();
            for (int k = 0; k < 5; k++)
                d[k][i] = random_number() + (k == reach && i % 3 ? 0.5 : 1);
        }
        for (int s = 0; s < COUNT; s++)
            for (int i = 0; i < M; i++) {
                double sum = 0;
                for (int k = 0; k <= 2 * reach; k++) {
                    int c = i + k - reach, e = kind == 0 ? i : kind == 1 ? s * M + i : i * COUNT + s;
                    if (c >= 0 && c < M)
                        sum += d[k][e] * x[kind == 2 ? c * COUNT + s : s * M + c];
                }
                b[kind == 2 ? i * COUNT + s : s * M + i] = sum;
            }
        for (int k = 0; k < 5; k++)
            p[k] = device(d[k], sizeof d[k]);
        dx = device(b, sizeof b);
        GOOD(kind == 0   ? cusparseDgtsv2(h, M, COUNT, p[0], p[1], p[2], dx, M, buffer)
             : kind == 1 ? cusparseDgtsv2StridedBatch(h, M, p[0], p[1], p[2], dx, COUNT, M, buffer)
                         : cusparseDgpsvInterleavedBatch(h, 0, M, p[0], p[1], p[2], p[3], p[4], dx, COUNT, buffer));
        fetch(got, dx, sizeof got);
        for (int i = 0; i < M * COUNT; i++)
            EXPECT(near(got[i], x[i], 1e-8));
        for (int k = 0; k < 5; k++)
            cudaFree(p[k]);
        cudaFree(dx);
    }
    EXPECT(cusparseDgtsv2(h, 2, 1, buffer, buffer, buffer, buffer, 2, buffer) == CUSPARSE_STATUS_INVALID_VALUE);
}

static void sorted(void)
{
    int major = 0, minor = -1;
    GOOD(cusparseGetProperty(MAJOR_VERSION, &major)), GOOD(cusparseGetProperty(MINOR_VERSION, &minor));
    EXPECT(major == 12 && minor >= 0 && cusparseGetProperty(MAJOR_VERSION, NULL) == CUSPARSE_STATUS_INVALID_VALUE);
    int row[] = {2, 0, 2, 1, 0}, column[] = {1, 3, 0, 2, 1}, order[5], offsets[] = {0, 2, 3, 5}, c[] = {3, 1, 2, 1, 0};
    void *dr = device(row, sizeof row), *dc = device(column, sizeof column), *dn = device(NULL, sizeof order),
         *df = device(offsets, sizeof offsets), *ds = device(c, sizeof c);
    cusparseMatDescr_t descr;
    GOOD(cusparseCreateMatDescr(&descr));
    GOOD(cusparseCreateIdentityPermutation(h, 5, dn));
    GOOD(cusparseXcoosortByRow(h, 3, 4, 5, dr, dc, dn, buffer));
    fetch(row, dr, sizeof row), fetch(column, dc, sizeof column), fetch(order, dn, sizeof order);
    EXPECT(row[0] == 0 && row[1] == 0 && row[2] == 1 && row[4] == 2 && column[0] == 1 && column[1] == 3);
    EXPECT(order[0] == 4 && order[1] == 1 && order[2] == 3 && order[3] == 2 && order[4] == 0);
    GOOD(cusparseXcsrsort(h, 3, 4, 5, descr, df, ds, NULL, buffer));
    fetch(c, ds, sizeof c);
    EXPECT(c[0] == 1 && c[1] == 3 && c[2] == 2 && c[3] == 0 && c[4] == 1);
    EXPECT(cusparseXcsrsort(h, 3, 4, -5, descr, df, ds, NULL, buffer) == CUSPARSE_STATUS_INVALID_VALUE);
    GOOD(cusparseDestroyMatDescr(descr));
    cudaFree(dr), cudaFree(dc), cudaFree(dn), cudaFree(df), cudaFree(ds);
}

/* With every place kept, the factors are whole: L U = A, and L L' = A of a positive one. */
static void incomplete(void)
{
    enum { F = 4 };
    double a[F * F], f[F * F];
    int    offsets[F + 1], columns[F * F], position = 7, bytes;
    for (int i = 0; i < F * F; i++) {
        a[i] = random_number() + (i % (F + 1) ? 0 : 5), columns[i] = i % F;
        offsets[i / F] = i / F * F;
    }
    offsets[F] = F * F;
    void *dv = device(a, sizeof a), *df = device(offsets, sizeof offsets), *dc = device(columns, sizeof columns);
    cusparseMatDescr_t d;
    csrilu02Info_t     lu;
    csric02Info_t      ic;
    GOOD(cusparseCreateMatDescr(&d)), GOOD(cusparseCreateCsrilu02Info(&lu)), GOOD(cusparseCreateCsric02Info(&ic));
    GOOD(cusparseDcsrilu02_bufferSize(h, F, F * F, d, dv, df, dc, lu, &bytes));
    GOOD(cusparseDcsrilu02_analysis(h, F, F * F, d, dv, df, dc, lu, CUSPARSE_SOLVE_POLICY_NO_LEVEL, buffer));
    GOOD(cusparseDcsrilu02(h, F, F * F, d, dv, df, dc, lu, CUSPARSE_SOLVE_POLICY_NO_LEVEL, buffer));
    GOOD(cusparseXcsrilu02_zeroPivot(h, lu, &position));
    EXPECT(position == -1);
    fetch(f, dv, sizeof f);
    for (int i = 0; i < F; i++)
        for (int j = 0; j < F; j++) {
            double sum = 0;
            for (int k = 0; k <= i && k <= j; k++)
                sum += (k == i ? 1 : f[i * F + k]) * f[k * F + j];
            EXPECT(near(sum, a[i * F + j], 1e-12));
        }
    for (int i = 0; i < F; i++)
        for (int j = 0; j < i; j++)
            a[j * F + i] = a[i * F + j];
    GOOD(cudaMemcpy(dv, a, sizeof a, cudaMemcpyHostToDevice));
    GOOD(cusparseDcsric02(h, F, F * F, d, dv, df, dc, ic, CUSPARSE_SOLVE_POLICY_NO_LEVEL, buffer));
    fetch(f, dv, sizeof f);
    for (int i = 0; i < F; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k <= j; k++)
                sum += f[i * F + k] * f[j * F + k];
            EXPECT(near(sum, a[i * F + j], 1e-12));
        }
    memset(a, 0, sizeof a);
    a[0] = 1;
    GOOD(cudaMemcpy(dv, a, sizeof a, cudaMemcpyHostToDevice));
    GOOD(cusparseDcsrilu02(h, F, F * F, d, dv, df, dc, lu, CUSPARSE_SOLVE_POLICY_NO_LEVEL, buffer));
    EXPECT(cusparseXcsrilu02_zeroPivot(h, lu, &position) == CUSPARSE_STATUS_ZERO_PIVOT && position == 1);
    GOOD(cusparseDestroyMatDescr(d)), GOOD(cusparseDestroyCsrilu02Info(lu)), GOOD(cusparseDestroyCsric02Info(ic));
    cudaFree(dv), cudaFree(df), cudaFree(dc);
}

int main(int argc, char **argv)
{
    static const Part parts[] = {{"products", products},     {"solutions", solutions},
                                 {"new_values", new_values}, {"conversions", conversions},
                                 {"vectors", vectors},       {"statuses", statuses},
                                 {"formats", formats},       {"batched", batched},
                                 {"beyond", beyond},         {"sparse_by_sparse", sparse_by_sparse},
                                 {"bands", bands},           {"sorted", sorted},
                                 {"incomplete", incomplete}};
    GOOD(cusparseCreate(&h));
    buffer = device(NULL, 4096);
    int r  = run_parts(parts, sizeof parts / sizeof *parts, argc, argv);
    cudaFree(buffer);
    return cusparseDestroy(h) || r;
}
