/* SPDX-License-Identifier: Apache-2.0 */
/* One stream clears a double; a kernel of another one copies 16 bytes that end there, and reads the first 8 of its source alone. */
#include "../run.h"

__global__ void halves(const double *x, double *o)
{
    __shared__ __align__(16) double t[2];
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, 8;" ::"r"((unsigned)__cvta_generic_to_shared(t)), "l"(x) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    o[0] = t[0] + t[1];
}

int main()
{
    double      *x = device_array<double>(2), *o = device_array<double>(1);
    cudaStream_t s, t;
    cudaDeviceSynchronize();
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaMemsetAsync(x + 1, 0, sizeof *x, t);
    halves<<<1, 1, 0, s>>>(x, o);
    return finish();
}
