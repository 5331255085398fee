/* SPDX-License-Identifier: Apache-2.0
 *
 * Sixteen threads call the runtime at once, each a random order of its own: memory, copies, streams, events, graphs, pools, host functions,
 * launches in streams of their own and in one that all share.  What each computes is checked.  `make tsan` runs it with src/cuda watched.
 * varies: its threads launch in any order */
#include <pthread.h>

#include "check.h"

enum { THREADS = 16, STEPS = 60, N = 256 };

__global__ void add(int *a, int n, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] += by;
}

__global__ void count(int *total)
{
    atomicAdd(total, 1);
}

static cudaStream_t common;
static cudaEvent_t  marked;
static int         *total;

struct Own {
    unsigned     random, common_launches;
    int          sum, calls; /* what each element of a must be; host functions that ran */
    int         *a, *copy;
    cudaStream_t stream;
};

static unsigned next(Own *o)
{
    o->random = o->random * 1664525u + 1013904223u;
    return o->random >> 8;
}

static void launch(Own *o)
{
    int by = (int)(next(o) % 5);
    add<<<N / 64, 64, 0, o->stream>>>(o->a, N, by);
    OK(cudaGetLastError());
    o->sum += by;
}

static void launch_common(Own *o)
{
    count<<<1, 1, 0, common>>>(total);
    OK(cudaGetLastError());
    OK(cudaEventRecord(marked, common));
    OK(cudaStreamWaitEvent(o->stream, marked, 0));
    o->common_launches++;
}

static void look(Own *o)
{
    OK(cudaMemcpyAsync(o->copy, o->a, N * sizeof(int), cudaMemcpyDeviceToHost, o->stream));
    OK(cudaStreamSynchronize(o->stream));
    for (int i = 0; i < N; i++)
        CHECK(o->copy[i] == o->sum);
}

static void move(Own *o)
{
    int *b;
    OK(cudaMalloc(&b, N * sizeof(int)));
    OK(cudaMemcpyAsync(b, o->a, N * sizeof(int), cudaMemcpyDeviceToDevice, o->stream));
    OK(cudaStreamSynchronize(o->stream));
    OK(cudaFree(o->a));
    o->a = b;
    cudaPointerAttributes what;
    OK(cudaPointerGetAttributes(&what, b));
    CHECK(what.type == cudaMemoryTypeDevice && what.devicePointer == b);
}

static void pool(Own *o)
{
    int *b;
    OK(cudaMallocAsync(&b, N * sizeof(int), o->stream));
    OK(cudaMemsetAsync(b, 0, N * sizeof(int), o->stream));
    add<<<N / 64, 64, 0, o->stream>>>(b, N, 7);
    OK(cudaMemcpyAsync(o->copy, b, N * sizeof(int), cudaMemcpyDeviceToHost, o->stream));
    OK(cudaFreeAsync(b, o->stream));
    OK(cudaStreamSynchronize(o->stream));
    CHECK(o->copy[0] == 7 && o->copy[N - 1] == 7);
}

static void change_stream(Own *o)
{
    cudaStream_t s;
    cudaEvent_t  e;
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    OK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    OK(cudaEventRecord(e, o->stream));
    OK(cudaStreamWaitEvent(s, e, 0));
    OK(cudaEventDestroy(e));
    OK(cudaStreamDestroy(o->stream));
    o->stream = s;
}

static void graph(Own *o)
{
    cudaGraph_t     g;
    cudaGraphExec_t x;
    int             times = 1 + (int)(next(o) % 3), before = o->sum;
    OK(cudaStreamBeginCapture(o->stream, cudaStreamCaptureModeThreadLocal));
    launch(o);
    launch(o);
    OK(cudaStreamEndCapture(o->stream, &g));
    OK(cudaGraphInstantiate(&x, g, 0));
    for (int i = 0; i < times; i++)
        OK(cudaGraphLaunch(x, o->stream));
    o->sum = before + times * (o->sum - before);
    OK(cudaStreamSynchronize(o->stream));
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphDestroy(g));
}

static void called(void *calls)
{
    ++*(int *)calls;
}

static void host_function(Own *o)
{
    int before = o->calls;
    OK(cudaLaunchHostFunc(o->stream, called, &o->calls));
    OK(cudaStreamSynchronize(o->stream));
    CHECK(o->calls == before + 1);
}

static void ask(Own *o)
{
    cudaFuncAttributes f;
    cudaDeviceProp     p;
    size_t             left, all;
    int                device = -1;
    OK(cudaFuncGetAttributes(&f, add));
    OK(cudaGetDeviceProperties(&p, 0));
    OK(cudaMemGetInfo(&left, &all));
    OK(cudaGetDevice(&device));
    CHECK(device == 0 && left <= all && f.maxThreadsPerBlock >= 64 && p.warpSize == 32);
    cudaError_t e = cudaStreamQuery(o->stream);
    CHECK(e == cudaSuccess || e == cudaErrorNotReady);
    cudaGetLastError();
    FAILS(cudaSetDevice(99), cudaErrorInvalidDevice);
    FAILS(cudaGetLastError(), cudaErrorInvalidDevice); /* each thread has its own */
}

static void (*const steps[])(Own *) = {launch, launch, launch_common, look, move, pool, change_stream, graph, host_function, ask};

static void *thread(void *own)
{
    Own *o = (Own *)own;
    OK(cudaMalloc(&o->a, N * sizeof(int)));
    OK(cudaMemset(o->a, 0, N * sizeof(int)));
    OK(cudaMallocHost(&o->copy, N * sizeof(int)));
    OK(cudaStreamCreateWithFlags(&o->stream, cudaStreamNonBlocking));
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < STEPS; i++)
        steps[next(o) % (sizeof steps / sizeof steps[0])](o);
    look(o);
    OK(cudaStreamDestroy(o->stream));
    OK(cudaFreeHost(o->copy));
    OK(cudaFree(o->a));
    return nullptr;
}

int main()
{
    static Own own[THREADS];
    pthread_t  id[THREADS];
    unsigned   launches = 0;
    int        h        = 0;
    OK(cudaMalloc(&total, sizeof *total));
    OK(cudaMemset(total, 0, sizeof *total));
    OK(cudaStreamCreateWithFlags(&common, cudaStreamNonBlocking));
    OK(cudaEventCreate(&marked));
    OK(cudaDeviceSynchronize());
    for (unsigned i = 0; i < THREADS; i++) {
        own[i].random = 12345u * (i + 1);
        CHECK(pthread_create(&id[i], nullptr, thread, &own[i]) == 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(id[i], nullptr);
        launches += own[i].common_launches;
    }
    OK(cudaStreamSynchronize(common));
    OK(cudaMemcpy(&h, total, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(launches > 0 && h == (int)launches);
    OK(cudaStreamDestroy(common));
    OK(cudaEventDestroy(marked));
    OK(cudaFree(total));
    return passed();
}
