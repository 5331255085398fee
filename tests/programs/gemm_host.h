/* SPDX-License-Identifier: Apache-2.0
 *
 * The host half of the bf16 products: C = A B^T with A m x k, B n x k, small whole numbers, so that every order of sums gives the same
 * float.  Given sizes (PROGRAM M N K) the product is also timed, the second of two runs, and fewer elements are compared. */
#ifndef WW_TESTS_PROGRAMS_GEMM_HOST_H
#define WW_TESTS_PROGRAMS_GEMM_HOST_H

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_bf16.h>

#include "check.h"

/* launch(a, b, c, m, n, k): one product, on the default stream. */
template <typename Launch> static int gemm_main(int argc, char **argv, int default_k, int bm, int bn, int bk, Launch launch)
{
    bool                       given = argc > 3;
    int                        m = given ? atoi(argv[1]) : 256, n = given ? atoi(argv[2]) : 128, k = given ? atoi(argv[3]) : default_k;
    std::vector<__nv_bfloat16> a(static_cast<size_t>(m) * k), b(static_cast<size_t>(n) * k);
    std::vector<float>         c(static_cast<size_t>(m) * n);
    __nv_bfloat16             *da, *db;
    float                     *dc, ms;
    cudaEvent_t                begin, end;
    CHECK(m % bm == 0 && n % bn == 0 && k % bk == 0);
    for (size_t i = 0; i < a.size(); i++)
        a[i] = __nv_bfloat16(static_cast<float>(static_cast<int>(i * 7 % 11 + i / 64 % 3) - 6));
    for (size_t i = 0; i < b.size(); i++)
        b[i] = __nv_bfloat16(static_cast<float>(static_cast<int>(i * 5 % 13 + i / 32 % 2) - 6));
    OK(cudaMalloc(&da, a.size() * 2));
    OK(cudaMalloc(&db, b.size() * 2));
    OK(cudaMalloc(&dc, c.size() * 4));
    OK(cudaMemcpy(da, a.data(), a.size() * 2, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(db, b.data(), b.size() * 2, cudaMemcpyHostToDevice));
    OK(cudaEventCreate(&begin));
    OK(cudaEventCreate(&end));
    for (int i = 0; i < (given ? 2 : 1); i++) {
        OK(cudaEventRecord(begin));
        launch(da, db, dc, m, n, k);
        OK(cudaEventRecord(end));
    }
    OK(cudaDeviceSynchronize());
    OK(cudaEventElapsedTime(&ms, begin, end));
    OK(cudaMemcpy(c.data(), dc, c.size() * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < m; i += given ? 509 : 1)
        for (int j = 0; j < n; j += given ? 7 : 1) {
            float sum = 0;
            for (int t = 0; t < k; t++)
                sum += static_cast<float>(a[static_cast<size_t>(i) * k + t]) * static_cast<float>(b[static_cast<size_t>(j) * k + t]);
            CHECK(sum == c[static_cast<size_t>(i) * n + j]);
        }
    if (given)
        printf("%d x %d x %d: %.3f ms, %.1f Tflop/s\n", m, n, k, ms, 2e-9 * m * n * k / ms);
    return passed();
}

#endif
