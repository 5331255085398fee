/* SPDX-License-Identifier: Apache-2.0 */
/* Sums and extremes by compare-and-swap whose first try is a plain read, in global and in shared memory. */
#include "../run.h"

__device__ double add(double *at, double x)
{
    unsigned long long *p = (unsigned long long *)at, old = *p, tried;
    do {
        tried = old;
        old   = atomicCAS(p, tried, __double_as_longlong(x + __longlong_as_double(tried)));
    } while (old != tried);
    return __longlong_as_double(old);
}

__device__ void most(float *at, float x)
{
    int *p = (int *)at, old = *p, tried;
    do {
        tried = old;
        if (__int_as_float(tried) >= x)
            break;
        old = atomicCAS(p, tried, __float_as_int(x));
    } while (old != tried);
}

__global__ void sums(double *sum, float *max)
{
    __shared__ float here;
    if (threadIdx.x == 0)
        here = 0;
    __syncthreads();
    add(sum, 1);
    most(max, (float)(blockIdx.x * blockDim.x + threadIdx.x));
    most(&here, (float)threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0)
        most(max + 1, here);
}

int main()
{
    sums<<<4, 64>>>(device_array<double>(1), device_array<float>(2));
    return finish();
}
