/* SPDX-License-Identifier: Apache-2.0
 *
 * Every way to launch: triple brackets with templates, cudaLaunchKernel, cudaLaunchKernelEx, through a pointer; and with an event that the
 * launch records. */
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

__global__ void wait(const volatile int *go)
{
    while (!*go)
        ;
}

static void with_event(cudaLaunchAttributeID id)
{
    int                 *go;
    cudaEvent_t          e;
    cudaStream_t         s;
    cudaLaunchAttribute  a = {};
    cudaLaunchConfig_t   c = {};
    OK(cudaStreamCreate(&s));
    OK(cudaMallocManaged(&go, sizeof *go));
    OK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    *(volatile int *)go = 0;
    a.id                = id;
    if (id == cudaLaunchAttributeProgrammaticEvent)
        a.val.programmaticEvent.event = e;
    else
        a.val.launchCompletionEvent.event = e;
    c.gridDim = c.blockDim = dim3(1);
    c.stream               = s;
    c.attrs                = &a;
    c.numAttrs             = 1;
    OK(cudaLaunchKernelEx(&c, wait, (const volatile int *)go));
    if (id == cudaLaunchAttributeProgrammaticEvent) /* the kernel triggers nothing, so its end does */
        FAILS(cudaEventQuery(e), cudaErrorNotReady);
    *(volatile int *)go = 1;
    OK(cudaEventSynchronize(e));
    OK(cudaStreamSynchronize(s));
    OK(cudaEventQuery(e));
    OK(cudaFree(go));
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
    with_event(cudaLaunchAttributeProgrammaticEvent);
    with_event(cudaLaunchAttributeLaunchCompletionEvent);
    return passed();
}
