/* SPDX-License-Identifier: Apache-2.0 */
/* It has an initialiser. */
#include "../run.h"

__constant__ float factor[4] = {1, 2};
__constant__ int   count     = 8;

__global__ void scale(float *x)
{
    if (threadIdx.x < count)
        x[threadIdx.x] *= factor[threadIdx.x % 4];
}

int main()
{
    float *x = device_array<float>(32);
    scale<<<1, 32>>>(x);
    int code = finish();
    cudaFree(x);
    return code;
}
