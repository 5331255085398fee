/* SPDX-License-Identifier: Apache-2.0 */
/* A product of half-precision tiles whose first operand begins in the middle of a fragment's 32 bytes. */
#include <mma.h>

#include "../run.h"
using namespace nvcuda;

__global__ void product(const half *a, const half *b, float *c)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float>              fc;
    wmma::fill_fragment(fc, 0.0f);
    wmma::load_matrix_sync(fa, a + 8, 24); // expect: wmma-alignment
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}

int main()
{
    product<<<1, 32>>>(device_array<half>(512), device_array<half>(256), device_array<float>(256));
    return finish();
}
