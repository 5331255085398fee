/* SPDX-License-Identifier: Apache-2.0 */
/* An array and a mipmapped array are left; host lines. */
#include "../run.h"

int main()
{
    cudaArray_t           a, b;
    cudaMipmappedArray_t  m;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    cudaMallocArray(&a, &f, 16, 16); // expect: leak
    cudaMallocArray(&b, &f, 16, 16);
    cudaMallocMipmappedArray(&m, &f, make_cudaExtent(16, 16, 0), 2); // expect: leak
    cudaFreeArray(b);
    return finish();
}
