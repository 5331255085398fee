/* SPDX-License-Identifier: Apache-2.0
 *
 * Streams and events: order, time, waiting, priorities, callbacks and host functions. */
#include "check.h"

__global__ void step(int *p)
{
    *p = *p * 3 + 1;
}

static int called;

static void CUDART_CB host(void *user)
{
    called += *(int *)user;
}

static void CUDART_CB callback(cudaStream_t, cudaError_t status, void *user)
{
    called += status == cudaSuccess ? 10 * *(int *)user : 1000;
}

int main()
{
    cudaStream_t s, t;
    cudaEvent_t  a, b;
    int *p, v = 1, one = 1, least, greatest;
    float ms = -1;
    OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreateWithPriority(&t, cudaStreamNonBlocking, greatest));
    OK(cudaEventCreate(&a));
    OK(cudaEventCreate(&b));
    OK(cudaMallocAsync(&p, sizeof *p, s));
    OK(cudaMemcpyAsync(p, &v, sizeof v, cudaMemcpyHostToDevice, s));
    OK(cudaEventRecord(a, s));
    step<<<1, 1, 0, s>>>(p);
    OK(cudaEventRecord(b, s));
    OK(cudaStreamWaitEvent(t, b, 0));
    step<<<1, 1, 0, t>>>(p);
    OK(cudaMemcpyAsync(&v, p, sizeof v, cudaMemcpyDeviceToHost, t));
    OK(cudaLaunchHostFunc(t, host, &one));
    OK(cudaStreamAddCallback(t, callback, &one, 0));
    OK(cudaStreamSynchronize(t));
    CHECK(v == 13);
    CHECK(called == 11);
    OK(cudaEventSynchronize(b));
    OK(cudaEventQuery(b));
    OK(cudaStreamQuery(s));
    OK(cudaEventElapsedTime(&ms, a, b));
    CHECK(ms >= 0);
    OK(cudaFreeAsync(p, s));
    unsigned flags = 9;
    OK(cudaStreamGetFlags(t, &flags));
    CHECK(flags == cudaStreamNonBlocking);
    OK(cudaStreamDestroy(s));
    OK(cudaStreamDestroy(t));
    FAILS(cudaStreamDestroy((cudaStream_t)&v), cudaErrorInvalidResourceHandle);
    OK(cudaEventDestroy(a));
    OK(cudaEventDestroy(b));
    return passed();
}
