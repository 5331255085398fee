/* SPDX-License-Identifier: Apache-2.0 */
/* The step in two kernels: the second begins when the first has ended. */
#include "../run.h"

__global__ void shift(const float *a, float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = (i + 1 < n ? a[i + 1] : 0) + 1;
}

int main()
{
    float *a = device_array<float>(256), *b = device_array<float>(256);
    shift<<<4, 64>>>(a, b, 256);
    shift<<<4, 64>>>(b, a, 256);
    return finish();
}
