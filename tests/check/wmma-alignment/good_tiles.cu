/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles of larger matrices: the place of each is a multiple of 16 halves, or of 8 doubles. */
#include <mma.h>

#include "../run.h"
using namespace nvcuda;

__global__ void product(const half *a, const half *b, half *c, int n)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, half>               fc;
    wmma::fill_fragment(fc, __float2half(0.0f));
    for (int k = 0; k < n; k += 16) {
        wmma::load_matrix_sync(fa, a + blockIdx.x * 16 * n + k, n);
        wmma::load_matrix_sync(fb, b + k * n + 16, n);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    wmma::store_matrix_sync(c + blockIdx.x * 16 * n + 16, fc, n, wmma::mem_row_major);
}

__global__ void doubles(const double *a, const double *b, double *c, int n)
{
    wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 8, 8, 4, double>               fc;
    wmma::fill_fragment(fc, 0.0);
    for (int k = 0; k < n; k += 4) {
        wmma::load_matrix_sync(fa, a + k, n);
        wmma::load_matrix_sync(fb, b + k, n);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    wmma::store_matrix_sync(c + 8, fc, n, wmma::mem_row_major);
}

int main()
{
    product<<<3, 32>>>(device_array<half>(2304), device_array<half>(2304), device_array<half>(2304), 48);
    doubles<<<1, 32>>>(device_array<double>(192), device_array<double>(192), device_array<double>(192), 24);
    return finish();
}
