/* SPDX-License-Identifier: Apache-2.0 */
/* The copy to the constant was forgotten. */
#include "../run.h"

__constant__ float factor[4];

__global__ void scale(float *x)
{
    x[threadIdx.x] *= factor[threadIdx.x % 4]; // expect: unset-constant
}

int main()
{
    float *x = device_array<float>(32);
    scale<<<1, 32>>>(x);
    int code = finish();
    cudaFree(x);
    return code;
}
