/* SPDX-License-Identifier: Apache-2.0
 *
 * Graphs: captured over two streams, launched again and again, updated, built by hand; and what a capture forbids. */
#include "check.h"

__global__ void add(int *p, int v)
{
    atomicAdd(p, v);
}

/* Work in the default stream would have to wait for a stream that captures: it is refused and breaks the capture, whatever the work is; so is
 * what is given to a stream whose capture is broken. */
static void what_a_capture_forbids(cudaStream_t s, cudaGraphExec_t x, int *p)
{
    enum { GRAPH, MALLOC, FREE, COPY, EVENT, WORKS };
    void       *q, *ours;
    cudaEvent_t e;
    cudaGraph_t g;
    OK(cudaEventCreate(&e));
    OK(cudaMallocAsync(&ours, 256, s));
    OK(cudaStreamSynchronize(s));
    for (int work = 0; work < WORKS; work++)
        for (cudaStream_t in : {(cudaStream_t) nullptr, s}) {
            OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
            if (in)
                FAILS(cudaMemsetAsync(p, 0, 1, nullptr), cudaErrorStreamCaptureImplicit);
            q               = &q;
            cudaError_t got = work == GRAPH    ? cudaGraphLaunch(x, in)
                              : work == MALLOC ? cudaMallocAsync(&q, 256, in)
                              : work == FREE   ? cudaFreeAsync(ours, in)
                              : work == COPY   ? cudaMemcpyAsync(p, ours, 4, cudaMemcpyDefault, in)
                                               : cudaEventRecord(e, in);
            FAILS(got, !in ? cudaErrorStreamCaptureImplicit : work == GRAPH ? cudaErrorStreamCaptureUnsupported : cudaErrorStreamCaptureInvalidated);
            CHECK(work != MALLOC || !q);
            FAILS(cudaStreamEndCapture(s, &g), cudaErrorStreamCaptureInvalidated);
            FAILS(cudaGetLastError(), cudaErrorStreamCaptureInvalidated);
        }
    OK(cudaFreeAsync(ours, s));
    OK(cudaStreamSynchronize(s));
}

/* Three streams; two of them fork and join so often that there are 2^60 ways through the graph, and a chain of nodes is long. */
static void many_ways(int joins, int chain)
{
    cudaStream_t s, t, other;
    cudaEvent_t  e;
    cudaGraph_t  g;
    int         *p;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreate(&t));
    OK(cudaStreamCreate(&other));
    OK(cudaEventCreate(&e));
    OK(cudaMalloc(&p, sizeof *p));
    for (int unjoined = 0; unjoined < 2; unjoined++) {
        OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
        OK(cudaMemsetAsync(p, 0, sizeof *p, s));
        OK(cudaEventRecord(e, s));
        OK(cudaStreamWaitEvent(other, e, 0));
        if (unjoined)
            OK(cudaMemsetAsync(p, 1, sizeof *p, other));
        for (int i = 0; i < joins; i++) {
            OK(cudaEventRecord(e, s));
            OK(cudaStreamWaitEvent(t, e, 0));
            OK(cudaMemsetAsync(p, 2, sizeof *p, t));
            OK(cudaMemsetAsync(p, 3, sizeof *p, s));
            OK(cudaEventRecord(e, t));
            OK(cudaStreamWaitEvent(s, e, 0));
        }
        for (int i = 0; i < chain; i++)
            OK(cudaMemsetAsync(p, 4, sizeof *p, s));
        if (unjoined) {
            FAILS(cudaStreamEndCapture(s, &g), cudaErrorStreamCaptureUnjoined);
        } else {
            OK(cudaStreamEndCapture(s, &g));
            OK(cudaGraphDestroy(g));
        }
    }
    cudaGetLastError();
    OK(cudaFree(p));
}

int main()
{
    many_ways(60, 20000);
    cudaStream_t s, t;
    cudaEvent_t  fork, join;
    cudaGraph_t  g, h;
    cudaGraphExec_t x;
    int *p, v = -1;
    size_t n = 0;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreate(&t));
    OK(cudaEventCreate(&fork));
    OK(cudaEventCreate(&join));
    OK(cudaMalloc(&p, sizeof *p));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaMemsetAsync(p, 0, sizeof *p, s));
    OK(cudaEventRecord(fork, s));
    OK(cudaStreamWaitEvent(t, fork, 0));
    add<<<1, 32, 0, s>>>(p, 1);
    add<<<1, 32, 0, t>>>(p, 2);
    OK(cudaEventRecord(join, t));
    OK(cudaStreamWaitEvent(s, join, 0));
    OK(cudaMemcpyAsync(&v, p, sizeof v, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamEndCapture(s, &g));
    CHECK(v == -1);
    OK(cudaGraphGetNodes(g, nullptr, &n));
    CHECK(n == 4);
    OK(cudaGraphInstantiate(&x, g, 0));
    for (int i = 0; i < 3; i++) {
        v = -1;
        OK(cudaGraphLaunch(x, s));
        OK(cudaStreamSynchronize(s));
        CHECK(v == 96);
    }
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphDestroy(g));

    OK(cudaGraphCreate(&h, 0));
    cudaGraphNode_t a, b;
    cudaKernelNodeParams k = {};
    int   five   = 5;
    void *args[] = {&p, &five};
    k.func         = (void *)add;
    k.gridDim      = dim3(2);
    k.blockDim     = dim3(10);
    k.kernelParams = args;
    OK(cudaGraphAddKernelNode(&a, h, nullptr, 0, &k));
    five = 6; /* the arguments were copied */
    OK(cudaGraphAddMemcpyNode1D(&b, h, &a, 1, &v, p, sizeof v, cudaMemcpyDeviceToHost));
    OK(cudaGraphInstantiate(&x, h, 0));
    OK(cudaGraphLaunch(x, 0));
    OK(cudaDeviceSynchronize());
    CHECK(v == 196);
    what_a_capture_forbids(s, x, p);
    return passed();
}
