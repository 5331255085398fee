/* SPDX-License-Identifier: Apache-2.0
 *
 * Every way to launch: triple brackets with templates, cudaLaunchKernel, cudaLaunchKernelEx, through a pointer. */
#include "check.h"

struct Pair {
    int    a;
    double b;
    char   c[5];
};

template <typename T>
__global__ void set(T *out, Pair p, int n)
{
    if ((int)threadIdx.x < n)
        out[threadIdx.x] = (T)(p.a + p.b + p.c[4]);
}

int main()
{
    float *f, got[4];
    int    n = 4;
    Pair   p = {1, 2.5, {0, 0, 0, 0, 4}};
    OK(cudaMalloc(&f, sizeof got));
    set<float><<<1, 32>>>(f, p, n);
    OK(cudaMemcpy(got, f, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(got[3] == 7.5f);
    p.a = 2;
    void *args[] = {&f, &p, &n};
    OK(cudaLaunchKernel((const void *)set<float>, dim3(1), dim3(32), args, 0, 0));
    OK(cudaMemcpy(got, f, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(got[0] == 8.5f);
    p.a = 3;
    cudaLaunchConfig_t c = {};
    c.gridDim  = dim3(1);
    c.blockDim = dim3(32);
    OK(cudaLaunchKernelEx(&c, set<float>, f, p, n));
    OK(cudaMemcpy(got, f, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(got[1] == 9.5f);
    void (*k)(int *, Pair, int) = set<int>;
    k<<<1, 32>>>((int *)f, p, n);
    int whole[4];
    OK(cudaMemcpy(whole, f, sizeof whole, cudaMemcpyDeviceToHost));
    CHECK(whole[2] == 9);
    cudaFuncAttributes a;
    OK(cudaFuncGetAttributes(&a, set<int>));
    CHECK(a.maxThreadsPerBlock == 1024);
    FAILS(cudaLaunchKernel((const void *)main, dim3(1), dim3(1), args, 0, 0), cudaErrorInvalidResourceHandle);
    return passed();
}
