/* SPDX-License-Identifier: Apache-2.0 */
/* Of bytes a thread has 8 of a fragment: tiles of 16 columns side by side in longer rows. */
#include <mma.h>

#include "../run.h"
using namespace nvcuda;

__global__ void product(const signed char *a, const signed char *b, int *c)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int>                       fc;
    wmma::fill_fragment(fc, 0);
    for (int k = 0; k < 48; k += 16) {
        wmma::load_matrix_sync(fa, a + k, 48);
        wmma::load_matrix_sync(fb, b + k, 48);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}

int main()
{
    product<<<1, 32>>>(device_array<signed char>(768), device_array<signed char>(768), device_array<int>(256));
    return finish();
}
