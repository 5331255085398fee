/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of shared tiles that are longer by 8 halves and by 4 floats. */
#include <mma.h>

#include "../run.h"
using namespace nvcuda;

__global__ void product(const half *a, float *c)
{
    __shared__ __align__(32) half                                     tile[32][24];
    __shared__ __align__(32) float                                    sums[16][20];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float>              fc;
    for (int i = threadIdx.x; i < 512; i += 32)
        tile[i / 16][i % 16] = a[i];
    __syncwarp();
    wmma::fill_fragment(fc, 0.0f);
    wmma::load_matrix_sync(fa, tile[0], 24);
    wmma::load_matrix_sync(fb, tile[16], 24);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(sums[0], fc, 20, wmma::mem_row_major);
    __syncwarp();
    for (int i = threadIdx.x; i < 256; i += 32)
        c[i] = sums[i / 16][i % 16];
}

int main()
{
    product<<<1, 32>>>(device_array<half>(512), device_array<float>(256));
    return finish();
}
