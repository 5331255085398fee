/* SPDX-License-Identifier: Apache-2.0 */
/* A copy of 16 bytes that reads the first 8 of its source, behind which nobody wrote; the rest arrives as zeros. */
#include "../run.h"

__global__ void halves(double *x, double *o)
{
    __shared__ __align__(16) double t[2];
    if (threadIdx.x == 0)
        x[0] = 3;
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, 8;" ::"r"((unsigned)__cvta_generic_to_shared(t)), "l"(x) : "memory");
        asm volatile("cp.async.wait_all;" ::: "memory");
        o[0] = t[0] + t[1] > 2 ? 1 : 0;
    }
}

int main()
{
    double *x, *o;
    cudaMalloc(&x, 2 * sizeof *x);
    cudaMalloc(&o, sizeof *o);
    halves<<<1, 32>>>(x, o);
    return finish();
}
