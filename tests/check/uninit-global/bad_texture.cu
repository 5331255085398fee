/* SPDX-License-Identifier: Apache-2.0 */
/* The array under a texture was never filled, and what was fetched decides. */
#include "../run.h"

#include "../texture.h"

__global__ void bright(cudaTextureObject_t t, int *n)
{
    if (tex2D<float>(t, threadIdx.x, threadIdx.y) > 0.5f) // expect: uninit-global
        atomicAdd(n, 1);
}

int main()
{
    int        *n = device_array<int>(1);
    cudaArray_t a = array_of_floats(16, 16, 0, 0);
    bright<<<1, dim3(16, 16)>>>(texture_of_array(a), n);
    return finish();
}
