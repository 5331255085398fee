/* SPDX-License-Identifier: Apache-2.0 */
/* A copy of 16 bytes that reads the first 8 of its source; another block writes the other 8. */
#include "../run.h"

__global__ void halves(double *x, double *o)
{
    __shared__ __align__(16) double t[2];
    if (threadIdx.x)
        return;
    if (blockIdx.x == 1) {
        x[1] = 5;
        return;
    }
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, 8;" ::"r"((unsigned)__cvta_generic_to_shared(t)), "l"(x) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    o[0] = t[0] + t[1];
}

int main()
{
    double *x = device_array<double>(2), *o = device_array<double>(1);
    halves<<<2, 32>>>(x, o);
    return finish();
}
