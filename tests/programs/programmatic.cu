/* SPDX-License-Identifier: Apache-2.0
 *
 * Programmatic dependent launches with late copies: what the second kernel does before griddepcontrol.wait comes before the first kernel's
 * work, what it does behind it comes after; a launch without the attribute, or any other call between, comes after in any case.
 * options: --async late */
#include "check.h"

enum { N = 256, OLD = 1000 };

__global__ void first(int *data, int add)
{
    cudaTriggerProgrammaticLaunchCompletion();
    int i   = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = i + add;
}

__global__ void silent(int *data, int add) /* lets nobody begin early */
{
    int i   = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = i + add;
}

__global__ void second(const int *data, int *early, int *late, bool waits)
{
    __shared__ int seen[64];
    cudaTriggerProgrammaticLaunchCompletion();
    int i             = blockIdx.x * blockDim.x + threadIdx.x;
    early[i]          = data[i];
    seen[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (waits)
        cudaGridDependencySynchronize();
    late[i] = data[i] + seen[63 - threadIdx.x] - (63 - (int)threadIdx.x);
}

static int         *data, *out[4];
static cudaStream_t s;

template <typename... P, typename... A> static cudaError_t launch(bool programmatic, void (*kernel)(P...), A... args)
{
    cudaLaunchConfig_t  c                        = {};
    cudaLaunchAttribute a                        = {};
    a.id                                         = cudaLaunchAttributeProgrammaticStreamSerialization;
    a.val.programmaticStreamSerializationAllowed = programmatic;
    c.gridDim                                    = N / 64;
    c.blockDim                                   = 64;
    c.stream                                     = s;
    c.attrs                                      = &a;
    c.numAttrs                                   = 1;
    return cudaLaunchKernelEx(&c, kernel, args...);
}

static void begin()
{
    for (int *p : {data, out[0], out[1], out[2], out[3]})
        OK(cudaMemset(p, 0, N * sizeof(int)));
    OK(cudaDeviceSynchronize());
}

/* The array holds i + add everywhere (add < 0: zeros). */
static bool holds(const int *p, int add)
{
    int h[N];
    OK(cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        if (h[i] != (add < 0 ? 0 : i + add))
            return false;
    return true;
}

static void pairs()
{
    begin();
    OK(launch(false, first, data, 1));
    OK(launch(true, second, (const int *)data, out[0], out[1], true));
    OK(cudaStreamSynchronize(s));
    CHECK(holds(out[0], -1) && holds(out[1], 1) && holds(data, 1));
    begin(); /* no wait: all of it comes too early */
    OK(launch(false, first, data, 1));
    OK(launch(true, second, (const int *)data, out[0], out[1], false));
    OK(cudaStreamSynchronize(s));
    CHECK(holds(out[0], -1) && holds(out[1], -1) && holds(data, 1));
}

static void ordered()
{
    begin(); /* not programmatic */
    OK(launch(false, first, data, 1));
    OK(launch(false, second, (const int *)data, out[0], out[1], false));
    CHECK(holds(out[0], 1) && holds(out[1], 1));
    begin(); /* a kernel that lets nobody begin early */
    OK(launch(false, silent, data, 1));
    OK(launch(true, second, (const int *)data, out[0], out[1], false));
    CHECK(holds(out[0], 1) && holds(out[1], 1));
    begin(); /* a call between */
    OK(launch(false, first, data, 1));
    OK(cudaMemsetAsync(out[2], 0, 4, s));
    OK(launch(true, second, (const int *)data, out[0], out[1], false));
    CHECK(holds(out[0], 1) && holds(out[1], 1));
    begin(); /* a copy of the default stream waits for it */
    OK(launch(false, first, data, 1));
    CHECK(holds(data, 1));
}

/* Each begins before the one before it has ended, and behind the one before that. */
static void chain()
{
    begin();
    OK(launch(false, first, data, 1));
    OK(launch(true, second, (const int *)data, out[0], out[1], true));
    OK(launch(true, second, (const int *)out[1], out[2], out[3], true));
    OK(cudaStreamSynchronize(s));
    CHECK(holds(out[0], -1) && holds(out[1], 1) && holds(out[2], -1) && holds(out[3], 1));
}

static void graph()
{
    cudaGraph_t     g;
    cudaGraphExec_t x;
    begin();
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(launch(false, first, data, 1));
    OK(launch(true, second, (const int *)data, out[0], out[1], true));
    OK(launch(false, second, (const int *)data, out[2], out[3], false));
    OK(cudaStreamEndCapture(s, &g));
    OK(cudaGraphInstantiate(&x, g, 0));
    OK(cudaGraphLaunch(x, s));
    OK(cudaStreamSynchronize(s));
    CHECK(holds(out[0], -1) && holds(out[1], 1) && holds(out[2], 1) && holds(out[3], 1));
}

/* A programmatic edge between nodes made one by one. */
static void edge()
{
    cudaGraph_t          g;
    cudaGraphExec_t      x;
    cudaGraphNode_t      node[2];
    int                  add   = 1;
    bool                 waits = true;
    void                *one[] = {&data, &add}, *two[] = {&data, &out[0], &out[1], &waits};
    cudaKernelNodeParams p     = {};
    cudaGraphEdgeData    data_ = {};
    begin();
    OK(cudaGraphCreate(&g, 0));
    p.gridDim      = N / 64;
    p.blockDim     = 64;
    p.func         = (void *)first;
    p.kernelParams = one;
    OK(cudaGraphAddKernelNode(&node[0], g, nullptr, 0, &p));
    p.func         = (void *)second;
    p.kernelParams = two;
    OK(cudaGraphAddKernelNode(&node[1], g, nullptr, 0, &p));
    data_.from_port = cudaGraphKernelNodePortProgrammatic;
    data_.type      = cudaGraphDependencyTypeProgrammatic;
#if CUDART_VERSION >= 13000
    OK(cudaGraphAddDependencies(g, &node[0], &node[1], &data_, 1));
#else
    OK(cudaGraphAddDependencies_v2(g, &node[0], &node[1], &data_, 1));
#endif
    OK(cudaGraphInstantiate(&x, g, 0));
    OK(cudaGraphLaunch(x, s));
    OK(cudaStreamSynchronize(s));
    CHECK(holds(out[0], -1) && holds(out[1], 1));
}

/* An event of a launch, for another stream. */
static void event()
{
    cudaStream_t        t;
    cudaEvent_t         e;
    cudaLaunchConfig_t  c = {};
    cudaLaunchAttribute a = {};
    begin();
    OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    OK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    a.id                          = cudaLaunchAttributeProgrammaticEvent;
    a.val.programmaticEvent.event = e;
    c.gridDim                     = N / 64;
    c.blockDim                    = 64;
    c.stream                      = s;
    c.attrs                       = &a;
    c.numAttrs                    = 1;
    OK(cudaLaunchKernelEx(&c, first, data, 1));
    OK(cudaStreamWaitEvent(t, e, 0));
    second<<<N / 64, 64, 0, t>>>(data, out[0], out[1], true);
    OK(cudaStreamSynchronize(t));
    OK(cudaEventQuery(e));
    CHECK(holds(out[1], 1));
}

int main()
{
    OK(cudaStreamCreate(&s));
    OK(cudaMalloc(&data, N * sizeof(int)));
    for (int *&p : out)
        OK(cudaMalloc(&p, N * sizeof(int)));
    pairs();
    ordered();
    chain();
    graph();
    edge();
    event();
    return passed();
}
