// SPDX-License-Identifier: Apache-2.0
// A program as people write them with CUDA's libraries, built by nvcc against NVIDIA's own: kernels make the operands, libraries compute in the same
// stream, a kernel looks at the result.  Least squares three ways (normal equations and Cholesky, cublasLt and LU, conjugate gradients on a sparse
// matrix), and a sum over two devices.  libraries.py builds and runs it.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <cublasLt.h>
#include <cublas_v2.h>
#include <cusolverDn.h>
#include <cusparse.h>
#include <nccl.h>

static void check(int status, const char *call)
{
    if (!status)
        return;
    std::printf("%s: %d\n", call, status);
    std::exit(1);
}
#define CHECK(call) check((int)(call), #call)

constexpr int M = 48, N = 16;

__global__ void make(double *a, double *x)
{
    int i = threadIdx.x, j = blockIdx.x;
    a[j * M + i] = (i % (j + 2) == 0) + 0.25 * ((i * 7 + j * 3) % 5);
    if (!i)
        x[j] = j + 1;
}

__global__ void worst(const double *x, double *out)
{
    double w = 0;
    for (int j = 0; j < N; j++)
        w = fmax(w, fabs(x[j] - (j + 1)));
    *out = w;
}

__global__ void laplace(int *offsets, int *columns, double *values, double *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > n)
        return;
    int at = i == 0 ? 0 : 3 * i - 1;
    offsets[i] = i == n ? 3 * n - 2 : at;
    if (i == n)
        return;
    if (i > 0)
        columns[at] = i - 1, values[at++] = -1;
    columns[at] = i, values[at++] = 2;
    if (i < n - 1)
        columns[at] = i + 1, values[at] = -1;
    b[i] = 1;
}

static double error_of(const double *x, cudaStream_t s)
{
    double *d, w;
    CHECK(cudaMallocAsync(&d, sizeof w, s));
    worst<<<1, 1, 0, s>>>(x, d);
    CHECK(cudaMemcpyAsync(&w, d, sizeof w, cudaMemcpyDeviceToHost, s));
    CHECK(cudaFreeAsync(d, s));
    CHECK(cudaStreamSynchronize(s));
    return w;
}

static void least_squares(cudaStream_t s)
{
    double *a, *x, *b, *g, *r, *work, one = 1, zero = 0;
    int    *info, *pivots, size;
    CHECK(cudaMalloc(&a, M * N * 8)), CHECK(cudaMalloc(&x, N * 8)), CHECK(cudaMalloc(&b, M * 8)), CHECK(cudaMalloc(&g, N * N * 8)), CHECK(cudaMalloc(&r, N * 8));
    CHECK(cudaMalloc(&info, 4)), CHECK(cudaMalloc(&pivots, N * 4));
    cublasHandle_t     blas;
    cusolverDnHandle_t solver;
    CHECK(cublasCreate(&blas)), CHECK(cublasSetStream(blas, s)), CHECK(cusolverDnCreate(&solver)), CHECK(cusolverDnSetStream(solver, s));
    make<<<N, M, 0, s>>>(a, x);
    CHECK(cublasDgemv(blas, CUBLAS_OP_N, M, N, &one, a, M, x, 1, &zero, b, 1)); // b = A x
    CHECK(cublasDsyrk(blas, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, N, M, &one, a, M, &zero, g, N));
    CHECK(cublasDgemv_64(blas, CUBLAS_OP_T, M, N, &one, a, M, b, 1, &zero, r, 1));
    CHECK(cusolverDnDpotrf_bufferSize(solver, CUBLAS_FILL_MODE_LOWER, N, g, N, &size));
    CHECK(cudaMalloc(&work, size * 8));
    CHECK(cusolverDnDpotrf(solver, CUBLAS_FILL_MODE_LOWER, N, g, N, work, size, info));
    CHECK(cusolverDnDpotrs(solver, CUBLAS_FILL_MODE_LOWER, N, 1, g, N, r, N, info));
    std::printf("Cholesky %s\n", error_of(r, s) < 1e-9 ? "right" : "wrong");
    cublasLtMatmulDesc_t   d;
    cublasLtMatrixLayout_t la, lg;
    cublasOperation_t      t = CUBLAS_OP_T;
    CHECK(cublasLtMatmulDescCreate(&d, CUBLAS_COMPUTE_64F, CUDA_R_64F));
    CHECK(cublasLtMatmulDescSetAttribute(d, CUBLASLT_MATMUL_DESC_TRANSA, &t, sizeof t));
    CHECK(cublasLtMatrixLayoutCreate(&la, CUDA_R_64F, M, N, M)), CHECK(cublasLtMatrixLayoutCreate(&lg, CUDA_R_64F, N, N, N));
    CHECK(cublasLtMatmul((cublasLtHandle_t)blas, d, &one, a, la, a, la, &zero, g, lg, g, lg, nullptr, nullptr, 0, s));
    CHECK(cublasDgemv(blas, CUBLAS_OP_T, M, N, &one, a, M, b, 1, &zero, r, 1));
    CHECK(cusolverDnDgetrf(solver, N, N, g, N, work, pivots, info));
    CHECK(cusolverDnDgetrs(solver, CUBLAS_OP_N, N, 1, g, N, pivots, r, N, info));
    std::printf("LU %s\n", error_of(r, s) < 1e-9 ? "right" : "wrong");
    CHECK(cublasLtMatmulDescDestroy(d)), CHECK(cublasLtMatrixLayoutDestroy(la)), CHECK(cublasLtMatrixLayoutDestroy(lg));
    CHECK(cublasDestroy(blas)), CHECK(cusolverDnDestroy(solver));
    for (void *p : {(void *)a, (void *)x, (void *)b, (void *)g, (void *)r, (void *)work, (void *)info, (void *)pivots})
        CHECK(cudaFree(p));
}

static void conjugate_gradients(cudaStream_t s)
{
    constexpr int n = 64, nonzeros = 3 * n - 2;
    int          *offsets, *columns;
    double       *values, *x, *r, *p, *q, one = 1, zero = 0, rr, pq;
    CHECK(cudaMalloc(&offsets, (n + 1) * 4)), CHECK(cudaMalloc(&columns, nonzeros * 4)), CHECK(cudaMalloc(&values, nonzeros * 8));
    CHECK(cudaMalloc(&x, n * 8)), CHECK(cudaMalloc(&r, n * 8)), CHECK(cudaMalloc(&p, n * 8)), CHECK(cudaMalloc(&q, n * 8));
    cublasHandle_t   blas;
    cusparseHandle_t sparse;
    CHECK(cublasCreate(&blas)), CHECK(cublasSetStream(blas, s)), CHECK(cusparseCreate(&sparse)), CHECK(cusparseSetStream(sparse, s));
    laplace<<<2, 64, 0, s>>>(offsets, columns, values, r, n);
    CHECK(cudaMemsetAsync(x, 0, n * 8, s));
    CHECK(cublasDcopy(blas, n, r, 1, p, 1));
    cusparseSpMatDescr_t a;
    cusparseDnVecDescr_t vp, vq;
    CHECK(cusparseCreateCsr(&a, n, n, nonzeros, offsets, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    CHECK(cusparseCreateDnVec(&vp, n, p, CUDA_R_64F)), CHECK(cusparseCreateDnVec(&vq, n, q, CUDA_R_64F));
    CHECK(cublasDdot(blas, n, r, 1, r, 1, &rr));
    for (int step = 0; step < n && rr > 1e-20; step++) {
        CHECK(cusparseSpMV(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, vp, &zero, vq, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr));
        CHECK(cublasDdot(blas, n, p, 1, q, 1, &pq));
        double alpha = rr / pq, minus = -alpha, old = rr;
        CHECK(cublasDaxpy(blas, n, &alpha, p, 1, x, 1)), CHECK(cublasDaxpy(blas, n, &minus, q, 1, r, 1)), CHECK(cublasDdot(blas, n, r, 1, r, 1, &rr));
        double beta = rr / old;
        CHECK(cublasDscal(blas, n, &beta, p, 1)), CHECK(cublasDaxpy(blas, n, &one, r, 1, p, 1));
    }
    double host[n], w = 0;
    CHECK(cudaMemcpyAsync(host, x, sizeof host, cudaMemcpyDeviceToHost, s)), CHECK(cudaStreamSynchronize(s));
    for (int i = 0; i < n; i++)
        w = std::fmax(w, std::fabs(host[i] - (i + 1) * (n - i) / 2.0));
    std::printf("conjugate gradients %s\n", w < 1e-7 ? "right" : "wrong");
    CHECK(cusparseDestroySpMat(a)), CHECK(cusparseDestroyDnVec(vp)), CHECK(cusparseDestroyDnVec(vq)), CHECK(cusparseDestroy(sparse)), CHECK(cublasDestroy(blas));
    for (void *m : {(void *)offsets, (void *)columns, (void *)values, (void *)x, (void *)r, (void *)p, (void *)q})
        CHECK(cudaFree(m));
}

static void sum_of_devices()
{
    ncclComm_t   comm[2];
    cudaStream_t s[2];
    double      *x[2], *y[2], got;
    CHECK(ncclCommInitAll(comm, 2, nullptr));
    for (int d = 0; d < 2; d++) {
        CHECK(cudaSetDevice(d)), CHECK(cudaStreamCreate(&s[d])), CHECK(cudaMalloc(&x[d], M * N * 8));
        CHECK(cudaMalloc(&y[d], N * 8));
        make<<<N, M, 0, s[d]>>>(x[d], y[d]); // the collective comes behind it
        CHECK(ncclAllReduce(y[d], y[d], N, ncclDouble, ncclSum, comm[d], s[d]));
    }
    CHECK(cudaMemcpyAsync(&got, y[1] + N - 1, 8, cudaMemcpyDeviceToHost, s[1])), CHECK(cudaStreamSynchronize(s[1]));
    for (int d = 0; d < 2; d++)
        CHECK(cudaSetDevice(d)), CHECK(cudaStreamSynchronize(s[d])), CHECK(cudaFree(x[d])), CHECK(cudaFree(y[d])), CHECK(ncclCommDestroy(comm[d])), CHECK(cudaStreamDestroy(s[d]));
    std::printf("sum of two devices %s\n", got == 2 * N ? "right" : "wrong");
}

int main()
{
    cudaStream_t s;
    CHECK(cudaStreamCreate(&s));
    least_squares(s);
    conjugate_gradients(s);
    CHECK(cudaStreamDestroy(s));
    sum_of_devices();
    return 0;
}
