/* SPDX-License-Identifier: Apache-2.0
 *
 * cusolverMg: a matrix whose columns are dealt out to two devices, in blocks of two, is factored, solved, inverted and taken apart into eigenvalues; each
 * result is held against what it means.  Parts of a matrix, statuses. */
#include <cusolverMg.h>

#include "common.h"

enum { N = 7, WIDE = 2, DEVICES = 2, SIDES = 3, ROWS = N + 2 }; /* ROWS: of the matrix that the part is of */

static cusolverMgHandle_t h;
static cudaLibMgGrid_t    grid;

typedef struct Dealt {
    cudaLibMgMatrixDesc_t d;
    int                   rows, columns;
    size_t                element;
    void                 *at[DEVICES];
} Dealt;

static char *place(const Dealt *m, int column)
{
    int block = column / WIDE;
    return (char *)m->at[block % DEVICES] + (size_t)((block / DEVICES * WIDE + column % WIDE) * m->rows) * m->element;
}

static Dealt deal(int rows, int columns, cudaDataType type, size_t element, const void *from)
{
    Dealt m = {.rows = rows, .columns = columns, .element = element};
    if (type != CUDA_R_32I)
        GOOD(cusolverMgCreateMatrixDesc(&m.d, rows, columns, rows, WIDE, type, grid));
    for (int g = 0; g < DEVICES; g++) {
        size_t bytes = (size_t)rows * (columns / DEVICES + 2 * WIDE) * element;
        GOOD(cudaSetDevice(g));
        GOOD(cudaMalloc(&m.at[g], bytes));
        GOOD(cudaMemset(m.at[g], 0, bytes));
        GOOD(cudaDeviceSynchronize());
    }
    for (int c = 0; from && c < columns; c++)
        GOOD(cudaMemcpy(place(&m, c), (const char *)from + (size_t)(c * rows) * element, (size_t)rows * element,
                        cudaMemcpyDefault));
    GOOD(cudaSetDevice(0));
    return m;
}

static void undeal(Dealt *m, void *to)
{
    for (int c = 0; to && c < m->columns; c++)
        GOOD(cudaMemcpy((char *)to + (size_t)(c * m->rows) * m->element, place(m, c), (size_t)m->rows * m->element,
                        cudaMemcpyDefault));
    for (int g = 0; g < DEVICES; g++)
        GOOD(cudaFree(m->at[g]));
    if (m->d)
        GOOD(cusolverMgDestroyMatrixDesc(m->d));
}

/* A part of N x N from row 3, column 2 on, in a larger matrix; symmetric, with a heavy diagonal. */
static void fill(double a[ROWS * (N + 1)])
{
    for (int i = 0; i < ROWS * (N + 1); i++)
        a[i] = 99;
    for (int j = 0; j < N; j++)
        for (int i = 0; i <= j; i++)
            a[(j + 1) * ROWS + i + 2] = a[(i + 1) * ROWS + j + 2] = random_number() + (i == j ? N : 0);
}
#define PART 3, 2
static double *at(double *a, int i, int j)
{
    return &a[(j + 1) * ROWS + i + 2];
}

static void solves(void)
{
    double  a[ROWS * (N + 1)], b[N * SIDES], x[N * SIDES], f[ROWS * (N + 1)];
    int     info = -99, pivot[N];
    int64_t size = 0;
    for (int how = 0; how < 4; how++) { /* Cholesky of both triangles, LU, LU without exchanges */
        fill(a);
        for (int i = 0; i < N * SIDES; i++)
            b[i] = random_number();
        if (how == 2)
            *at(a, 0, 0) = 0, *at(a, 4, 1) += 1;
        Dealt da = deal(ROWS, N + 1, CUDA_R_64F, 8, a), db = deal(N, SIDES, CUDA_R_64F, 8, b),
              dp           = deal(1, N + 1, CUDA_R_32I, 4, NULL);
        cublasFillMode_t t = how ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
        int            **p = how == 3 ? NULL : (int **)dp.at;
        if (how < 2) {
            GOOD(cusolverMgPotrf_bufferSize(h, t, N, da.at, PART, da.d, CUDA_R_64F, &size));
            GOOD(cusolverMgPotrf(h, t, N, da.at, PART, da.d, CUDA_R_64F, NULL, size, &info));
            EXPECT(info == 0 && size > 0);
            GOOD(cusolverMgPotrs_bufferSize(h, t, N, SIDES, da.at, PART, da.d, db.at, 1, 1, db.d, CUDA_R_64F, &size));
            GOOD(cusolverMgPotrs(h, t, N, SIDES, da.at, PART, da.d, db.at, 1, 1, db.d, CUDA_R_64F, NULL, size, &info));
        } else {
            GOOD(cusolverMgGetrf_bufferSize(h, N, N, da.at, PART, da.d, p, CUDA_R_64F, &size));
            GOOD(cusolverMgGetrf(h, N, N, da.at, PART, da.d, p, CUDA_R_64F, NULL, size, &info));
            EXPECT(info == 0);
            GOOD(cusolverMgGetrs_bufferSize(h, CUBLAS_OP_N, N, SIDES, da.at, PART, da.d, p, db.at, 1, 1, db.d,
                                            CUDA_R_64F, &size));
            GOOD(cusolverMgGetrs(h, CUBLAS_OP_N, N, SIDES, da.at, PART, da.d, p, db.at, 1, 1, db.d, CUDA_R_64F, NULL,
                                 size, &info));
        }
        EXPECT(info == 0);
        if (how == 2)
            fetch(pivot, place(&dp, 1), sizeof *pivot);
        EXPECT(how != 2 || pivot[0] > 1);
        undeal(&db, x);
        for (int j = 0; j < SIDES; j++)
            for (int i = 0; i < N; i++) {
                double sum = 0;
                for (int k = 0; k < N; k++)
                    sum += *at(a, i, k) * x[j * N + k];
                EXPECT(near(sum, b[j * N + i], 1e-10));
            }
        undeal(&da, f);
        EXPECT(f[0] == 99 && f[ROWS] == 99 && f[ROWS + 1] == 99); /* nothing else is touched */
        if (how < 2)
            EXPECT(*at(f, how ? 3 : 1, how ? 1 : 3) ==
                   *at(a, how ? 3 : 1, how ? 1 : 3)); /* nor is the other triangle */
        undeal(&dp, NULL);
    }
}

static void eigen(void)
{
    double  a[ROWS * (N + 1)], v[ROWS * (N + 1)], inverse[ROWS * (N + 1)], w[N];
    int     info = -99;
    int64_t size;
    fill(a);
    Dealt d = deal(ROWS, N + 1, CUDA_R_64F, 8, a);
    GOOD(cusolverMgSyevd_bufferSize(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, N, d.at, PART, d.d, w,
                                    CUDA_R_64F, CUDA_R_64F, &size));
    GOOD(cusolverMgSyevd(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, N, d.at, PART, d.d, w, CUDA_R_64F,
                         CUDA_R_64F, NULL, size, &info));
    EXPECT(info == 0);
    undeal(&d, v);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += *at(a, i, k) * *at(v, k, j);
            EXPECT(near(sum, w[j] * *at(v, i, j), 1e-10));
        }
    d = deal(ROWS, N + 1, CUDA_R_64F, 8, a);
    GOOD(cusolverMgPotrf(h, CUBLAS_FILL_MODE_LOWER, N, d.at, PART, d.d, CUDA_R_64F, NULL, size, &info));
    GOOD(cusolverMgPotri_bufferSize(h, CUBLAS_FILL_MODE_LOWER, N, d.at, PART, d.d, CUDA_R_64F, &size));
    GOOD(cusolverMgPotri(h, CUBLAS_FILL_MODE_LOWER, N, d.at, PART, d.d, CUDA_R_64F, NULL, size, &info));
    EXPECT(info == 0);
    undeal(&d, inverse);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += *at(a, i, k) * *at(inverse, k > j ? k : j, k > j ? j : k);
            EXPECT(near(sum, i == j, 1e-10));
        }
}

static void statuses(void)
{
    double                a[ROWS * (N + 1)];
    int                   info, twice[2] = {1, 1}, beyond[2] = {0, 7}, both[2] = {0, 1};
    int64_t               size;
    cudaLibMgMatrixDesc_t none = NULL;
    cudaLibMgGrid_t       wrong;
    fill(a);
    Dealt d = deal(ROWS, N + 1, CUDA_R_64F, 8, a), p = deal(1, N + 1, CUDA_R_32I, 4, NULL);
    EXPECT(cusolverMgCreateDeviceGrid(&wrong, 2, 1, both, CUDALIBMG_GRID_MAPPING_COL_MAJOR) ==
           CUSOLVER_STATUS_INVALID_VALUE);
    EXPECT(cusolverMgDeviceSelect(h, 2, twice) == CUSOLVER_STATUS_INVALID_VALUE);
    EXPECT(cusolverMgDeviceSelect(h, 2, beyond) == CUSOLVER_STATUS_INVALID_VALUE);
    EXPECT(cusolverMgDeviceSelect(NULL, 2, both) == CUSOLVER_STATUS_NOT_INITIALIZED);
    EXPECT(cusolverMgCreateMatrixDesc(&none, N, N, 1, WIDE, CUDA_R_64F, grid) == CUSOLVER_STATUS_INVALID_VALUE);
    EXPECT(cusolverMgCreateMatrixDesc(&none, N, N, N, WIDE, CUDA_R_16F, grid) == CUSOLVER_STATUS_NOT_SUPPORTED);
    EXPECT(cusolverMgPotrf_bufferSize(h, CUBLAS_FILL_MODE_LOWER, N, d.at, PART, grid, CUDA_R_64F, &size) ==
           CUSOLVER_STATUS_INVALID_VALUE); /* a grid is no descriptor */
    EXPECT(cusolverMgPotrf(h, CUBLAS_FILL_MODE_LOWER, N, d.at, 4, 2, d.d, CUDA_R_64F, NULL, 1, &info) ==
           CUSOLVER_STATUS_INVALID_VALUE);
    EXPECT(cusolverMgPotrf(h, CUBLAS_FILL_MODE_LOWER, N, d.at, PART, d.d, CUDA_R_32F, NULL, 1, &info) ==
           CUSOLVER_STATUS_NOT_SUPPORTED);
    EXPECT(cusolverMgPotrf((cusolverMgHandle_t)d.d, CUBLAS_FILL_MODE_LOWER, N, d.at, PART, d.d, CUDA_R_64F, NULL, 1,
                           &info) == CUSOLVER_STATUS_NOT_INITIALIZED);
    GOOD(cusolverMgGetrs(h, CUBLAS_OP_N, N, 1, d.at, PART, d.d, (int **)p.at, d.at, PART, d.d, CUDA_R_64F, NULL, 1,
                         &info));
    EXPECT(info == -8); /* pivots of zero */
    undeal(&d, NULL), undeal(&p, NULL);
}

int main(int argc, char **argv)
{
    static const Part parts[] = {{"solves", solves}, {"eigen", eigen}, {"statuses", statuses}};
    int               both[2] = {0, 1};
    GOOD(cusolverMgCreate(&h));
    GOOD(cusolverMgDeviceSelect(h, DEVICES, both));
    GOOD(cusolverMgCreateDeviceGrid(&grid, 1, DEVICES, both, CUDALIBMG_GRID_MAPPING_COL_MAJOR));
    int r = run_parts(parts, sizeof parts / sizeof *parts, argc, argv);
    return cusolverMgDestroyGrid(grid) || cusolverMgDestroy(h) || r;
}
