/* SPDX-License-Identifier: Apache-2.0
 *
 * C = f(C + bias of rows + bias of columns): the end of a product by kernels that leave it out (finish.cuh).
 *
 * Needs       any GPU
 * Change      none: neighbouring threads have neighbouring columns.
 * Bottleneck  memory: a read and a write of each element.
 * Measured    docs/kernels.md. */
#include "finish.cuh"

enum { FINISH_THREADS = 256 };

extern "C" __global__ void __launch_bounds__(FINISH_THREADS) gemm_finish_f32(const FinishArgs a)
{
    float *c = (float *)a.c + blockIdx.z * a.c_batch;
    for (long long i = (long long)blockIdx.x * FINISH_THREADS + threadIdx.x; i < (long long)a.m * a.n; i += (long long)gridDim.x * FINISH_THREADS) {
        int    row = (int)(i / a.n), col = (int)(i % a.n);
        float *at  = c + row * a.ldc + col;
        *at        = finished<0>(a.end, 1, *at, row, col);
    }
}
