/* SPDX-License-Identifier: Apache-2.0
 *
 * A function of the host that a stream calls may not use CUDA: its calls are refused, as read on an H200, and the stream goes on. */
#include <cuda.h>

#include "check.h"

__global__ void add(int *p)
{
    p[threadIdx.x] += 1;
}

static int         *p, called;
static cudaStream_t other;
static cudaEvent_t  ended;

static void refused()
{
    int         n, *q;
    size_t      a, b;
    CUcontext   c;
    CUdeviceptr d;
    OK(cudaGetDeviceCount(&n));
    OK(cudaRuntimeGetVersion(&n));
    OK(cudaEventQuery(ended));
    CU(cuInit(0));
    CU(cuDriverGetVersion(&n));
    FAILS(cudaMalloc(&q, 64), cudaErrorNotPermitted);
    FAILS(cudaFree(p), cudaErrorNotPermitted);
    FAILS(cudaGetDevice(&n), cudaErrorNotPermitted);
    FAILS(cudaMemGetInfo(&a, &b), cudaErrorNotPermitted);
    FAILS(cudaMemcpy(&n, p, 4, cudaMemcpyDeviceToHost), cudaErrorNotPermitted);
    FAILS(cudaStreamSynchronize(other), cudaErrorNotPermitted);
    FAILS(cudaStreamQuery(other), cudaErrorNotPermitted);
    FAILS(cudaDeviceSynchronize(), cudaErrorNotPermitted);
    add<<<1, 32, 0, other>>>(p);
    FAILS(cudaGetLastError(), cudaErrorNotPermitted);
    CHECK(cuCtxGetCurrent(&c) == CUDA_ERROR_NOT_PERMITTED);
    CHECK(cuDeviceGetCount(&n) == CUDA_ERROR_NOT_PERMITTED);
    CHECK(cuMemAlloc(&d, 64) == CUDA_ERROR_NOT_PERMITTED);
    called++;
}

static void function(void *user)
{
    (void)user;
    refused();
}

static void callback(cudaStream_t stream, cudaError_t status, void *user)
{
    (void)stream, (void)status, (void)user;
    refused();
}

int main()
{
    cudaStream_t    s;
    cudaGraph_t     graph;
    cudaGraphExec_t exec;
    int             h;
    OK(cudaMalloc(&p, 32 * sizeof *p));
    OK(cudaMemset(p, 0, 32 * sizeof *p));
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreate(&other));
    OK(cudaEventCreate(&ended));
    OK(cudaEventRecord(ended, other));
    OK(cudaEventSynchronize(ended));
    OK(cudaLaunchHostFunc(s, function, NULL));
    add<<<1, 32, 0, s>>>(p);
    OK(cudaStreamAddCallback(s, callback, NULL, 0));
    OK(cudaStreamSynchronize(s));
    CHECK(called == 2);
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaLaunchHostFunc(s, function, NULL));
    add<<<1, 32, 0, s>>>(p);
    OK(cudaStreamEndCapture(s, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaStreamSynchronize(s));
    CHECK(called == 3);
    OK(cudaMemcpy(&h, p, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h == 2);
    return passed();
}
