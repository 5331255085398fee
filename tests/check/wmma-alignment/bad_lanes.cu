/* SPDX-License-Identifier: Apache-2.0 */
/* Every lane gives the place of its own row, as for ldmatrix. */
#include <mma.h>

#include "../run.h"
using namespace nvcuda;

__global__ void product(float *c)
{
    __shared__ __align__(128) half                                    tile[32][16];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float>              fc;
    for (int i = 0; i < 16; i++)
        tile[threadIdx.x][i] = __int2half_rn(i);
    __syncwarp();
    wmma::fill_fragment(fc, 0.0f);
    wmma::load_matrix_sync(fa, tile[threadIdx.x % 16], 16); // expect: wmma-alignment
    wmma::load_matrix_sync(fb, tile[16], 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}

int main()
{
    product<<<1, 32>>>(device_array<float>(256));
    return finish();
}
