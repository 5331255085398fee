/* SPDX-License-Identifier: Apache-2.0
 *
 * What is still there when something it belonged to has gone: contexts and what was made in them, the process before a fork, the stream around a
 * host function, the cooperative launch around a grid barrier; and descriptors that are no handles. */
#include "parity.h"

#include <cooperative_groups.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

static const char TEXT[] = ".version 7.0\n.target sm_52\n.address_size 64\n.global .u32 word = 7;\n.visible .entry none() { ret; }\n";

/* One of each, made in a context that is destroyed then; `home` is current again. */
struct Gone {
    CUcontext    home, ctx;
    CUstream     stream;
    CUevent      event, recorded;
    CUmodule     module;
    CUfunction   function;
    CUdeviceptr  memory, word;
    void        *pinned;
    CUgraph      graph;
    CUgraphExec  exec;
    CUmemoryPool pool;
    CUstream     other; /* of home, as is `kept` */
    CUdeviceptr  kept;
};

static Gone make(bool destroy)
{
    Gone   g = {};
    size_t n;
    cudaFree(nullptr);
    D(cuCtxGetCurrent)(&g.home);
    D(cuStreamCreate)(&g.other, 0);
    D(cuMemAlloc)(&g.kept, 64);
    D(cuCtxCreate)(&g.ctx, nullptr, 0, 0);
    D(cuStreamCreate)(&g.stream, 0);
    D(cuEventCreate)(&g.event, 0);
    D(cuEventCreate)(&g.recorded, 0);
    D(cuEventRecord)(g.recorded, g.stream);
    D(cuModuleLoadData)(&g.module, TEXT);
    D(cuModuleGetFunction)(&g.function, g.module, "none");
    D(cuModuleGetGlobal)(&g.word, &n, g.module, "word");
    D(cuMemAlloc)(&g.memory, 64);
    D(cuMemAllocHost)(&g.pinned, 64);
    D(cuGraphCreate)(&g.graph, 0);
    CUgraphNode node;
    D(cuGraphAddEmptyNode)(&node, g.graph, nullptr, 0);
    D(cuGraphInstantiate)(&g.exec, g.graph, 0);
    D(cuStreamSynchronize)(g.stream);
    if (destroy)
        D(cuCtxDestroy)(g.ctx);
    D(cuCtxSetCurrent)(g.home);
    return g;
}

DEFINE(gone_streams)
{
    Gone         g = make(true);
    unsigned     flags;
    int          priority;
    CUcontext    c;
    CUstreamCaptureStatus status;
    unsigned long long    id;
    R(D(cuStreamQuery)(g.stream));
    R(D(cuStreamSynchronize)(g.stream));
    R(D(cuStreamGetFlags)(g.stream, &flags));
    R(D(cuStreamGetPriority)(g.stream, &priority));
    R(D(cuStreamGetCtx)(g.stream, &c));
    R(D(cuStreamGetId)(g.stream, &id));
    R(D(cuStreamIsCapturing)(g.stream, &status));
    R(D(cuStreamBeginCapture)(g.stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    R(D(cuMemsetD8Async)(g.kept, 0, 4, g.stream));
    R(D(cuMemcpyHtoDAsync)(g.kept, "abc", 4, g.stream));
    R(cudaMemsetAsync((void *)g.kept, 0, 4, g.stream));
    R(cudaStreamQuery(g.stream));
    R(cudaStreamSynchronize(g.stream));
    R(D(cuStreamDestroy)(g.stream));
    R(cudaGetLastError());
}

DEFINE(gone_events)
{
    Gone  g = make(true);
    float ms;
    R(D(cuEventQuery)(g.event));
    R(D(cuEventQuery)(g.recorded));
    R(D(cuEventSynchronize)(g.recorded));
    R(D(cuEventRecord)(g.event, g.other));
    R(D(cuEventRecord)(g.event, nullptr));
    R(D(cuStreamWaitEvent)(g.other, g.recorded, 0));
    R(D(cuEventElapsedTime)(&ms, g.recorded, g.recorded));
    R(cudaEventQuery(g.recorded));
    R(cudaEventRecord(g.event, g.other));
    R(D(cuEventDestroy)(g.event));
    R(D(cuEventDestroy)(g.recorded));
}

DEFINE(gone_functions)
{
    Gone g = make(true);
    int  v;
    R(D(cuLaunchKernel)(g.function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    R(D(cuLaunchKernel)(g.function, 1, 1, 1, 1, 1, 1, 0, g.other, nullptr, nullptr));
    R(D(cuLaunchKernel)(g.function, 1, 1, 1, 1, 1, 1, 0, g.stream, nullptr, nullptr));
    R(D(cuFuncGetAttribute)(&v, CU_FUNC_ATTRIBUTE_NUM_REGS, g.function));
    R(D(cuFuncSetAttribute)(g.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024));
    R(D(cuOccupancyMaxActiveBlocksPerMultiprocessor)(&v, g.function, 32, 0));
}

DEFINE(gone_modules)
{
    Gone        g = make(true);
    CUfunction  f;
    CUdeviceptr p;
    size_t      n;
    R(D(cuModuleGetFunction)(&f, g.module, "none"));
    R(D(cuModuleGetGlobal)(&p, &n, g.module, "word"));
    R(D(cuModuleUnload)(g.module));
}

DEFINE(alive_elsewhere)
{
    Gone g = make(false);
    int  v;
    R(D(cuLaunchKernel)(g.function, 1, 1, 1, 1, 1, 1, 0, g.other, nullptr, nullptr));
    R(D(cuLaunchKernel)(g.function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    R(D(cuLaunchKernel)(g.function, 1, 1, 1, 1, 1, 1, 0, g.stream, nullptr, nullptr));
    R(D(cuFuncGetAttribute)(&v, CU_FUNC_ATTRIBUTE_NUM_REGS, g.function));
    R(D(cuMemsetD8)(g.memory, 0, 4));
    R(D(cuMemsetD8Async)(g.memory, 0, 4, g.stream));
    R(D(cuMemsetD8Async)(g.memory, 0, 4, g.other));
    R(D(cuEventRecord)(g.event, g.other));
    R(D(cuEventRecord)(g.event, g.stream));
    R(D(cuStreamWaitEvent)(g.other, g.event, 0));
    R(D(cuGraphLaunch)(g.exec, g.other));
    R(D(cuGraphLaunch)(g.exec, g.stream));
    R(D(cuStreamSynchronize)(g.stream));
    R(D(cuModuleUnload)(g.module));
    R(D(cuMemFree)(g.memory));
    R(D(cuStreamDestroy)(g.stream));
    R(D(cuCtxSynchronize)());
}

DEFINE(gone_memory)
{
    Gone         g = make(true);
    CUdeviceptr  base;
    size_t       n;
    unsigned     kind;
    char         four[4];
    R(D(cuMemsetD8)(g.memory, 0, 4));
    R(D(cuMemcpyDtoH)(four, g.memory, 4));
    R(D(cuMemcpyDtoH)(four, g.word, 4));
    R(D(cuMemcpyDtoD)(g.kept, g.memory, 4));
    R(D(cuMemGetAddressRange)(&base, &n, g.memory));
    R(D(cuPointerGetAttribute)(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, g.memory));
    R(D(cuMemFree)(g.memory));
    R(D(cuPointerGetAttribute)(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)g.pinned));
    R(D(cuMemFreeHost)(g.pinned));
    R(D(cuMemsetD8)(g.kept, 0, 4));
}

DEFINE(gone_graphs)
{
    Gone        g = make(true);
    size_t      n;
    CUgraphExec x;
    R(D(cuGraphGetNodes)(g.graph, nullptr, &n));
    R(D(cuGraphLaunch)(g.exec, g.other));
    R(D(cuGraphLaunch)(g.exec, nullptr));
    R(D(cuStreamSynchronize)(g.other));
    R(D(cuGraphInstantiate)(&x, g.graph, 0));
    R(D(cuGraphExecDestroy)(g.exec));
    R(D(cuGraphDestroy)(g.graph));
}

DEFINE(gone_contexts)
{
    Gone       g = make(true);
    CUcontext  c;
    unsigned   v;
    CUdeviceptr p;
    R(D(cuCtxGetApiVersion)(g.ctx, &v));
    R(D(cuCtxPushCurrent)(g.ctx));
    R(D(cuCtxSetCurrent)(g.ctx));
    R(D(cuCtxGetCurrent)(&c));
    V(c == g.home);
    V(c == g.ctx);
    R(D(cuCtxSynchronize)());
    R(D(cuMemAlloc)(&p, 64));
    R(D(cuCtxDestroy)(g.ctx));
    R(D(cuCtxSetCurrent)(g.home));
    R(D(cuMemAlloc)(&p, 64));
}

DEFINE(gone_while_current)
{
    Gone        g = make(false);
    CUcontext   c;
    CUdevice    d;
    CUdeviceptr p;
    R(D(cuCtxSetCurrent)(g.ctx));
    R(D(cuCtxDestroy)(g.ctx));
    R(D(cuCtxGetCurrent)(&c));
    V(c == nullptr);
    R(D(cuCtxGetDevice)(&d));
    R(D(cuMemAlloc)(&p, 64));
    R(cudaDeviceSynchronize());
    R(cudaMalloc((void **)&p, 64));
}

static __global__ void meet(int *n)
{
    atomicAdd(n, 1);
    cooperative_groups::this_grid().sync();
    if (*(volatile int *)n < (int)gridDim.x)
        atomicAdd(n, 1000);
}

static __global__ void valid(int *n)
{
    *n = cooperative_groups::this_grid().is_valid();
}

DEFINE(grid_barriers)
{
    int *n, one = 0;
    cudaMalloc(&n, sizeof *n);
    cudaMemset(n, 0, sizeof *n);
    void *args[] = {&n};
    valid<<<2, 32>>>(n);
    R(cudaDeviceSynchronize());
    cudaMemcpy(&one, n, sizeof one, cudaMemcpyDeviceToHost);
    V(one);
    R(cudaLaunchCooperativeKernel((const void *)valid, 2, 32, args, 0, nullptr));
    cudaMemcpy(&one, n, sizeof one, cudaMemcpyDeviceToHost);
    V(one);
    valid<<<2, 32>>>(n);
    cudaMemcpy(&one, n, sizeof one, cudaMemcpyDeviceToHost);
    V(one);
    cudaMemset(n, 0, sizeof *n);
    R(cudaLaunchCooperativeKernel((const void *)meet, 2, 1, args, 0, nullptr));
    R(cudaDeviceSynchronize());
    cudaMemcpy(&one, n, sizeof one, cudaMemcpyDeviceToHost);
    V(one);
    cudaMemset(n, 0, sizeof *n);
    meet<<<2, 1>>>(n);
    R(cudaGetLastError());
    R(cudaDeviceSynchronize());
    R(cudaMemcpy(&one, n, sizeof one, cudaMemcpyDeviceToHost));
    V(one);
}

DEFINE(grid_barrier_alone)
{
    int *n, one = 0;
    cudaMalloc(&n, sizeof *n);
    cudaMemset(n, 0, sizeof *n);
    meet<<<2, 1>>>(n);
    R(cudaGetLastError());
    R(cudaDeviceSynchronize());
    R(cudaMemcpy(&one, n, sizeof one, cudaMemcpyDeviceToHost));
}

DEFINE(pool_imports)
{
    cudaFree(nullptr);
    cudaMemPool_t pool, back;
    cudaMemPoolProps props    = {};
    props.allocType           = cudaMemAllocationTypePinned;
    props.handleTypes         = cudaMemHandleTypePosixFileDescriptor;
    props.location.type       = cudaMemLocationTypeDevice;
    int  fd                   = -1, file = open("/dev/null", O_RDONLY), ends[2];
    bool ok                   = pipe(ends) == 0;
    V(ok);
    R(cudaMemPoolCreate(&pool, &props));
    R(cudaMemPoolExportToShareableHandle(&fd, pool, cudaMemHandleTypePosixFileDescriptor, 0));
    R(cudaMemPoolImportFromShareableHandle(&back, (void *)(intptr_t)fd, cudaMemHandleTypePosixFileDescriptor, 0));
    R(cudaMemPoolImportFromShareableHandle(&back, (void *)(intptr_t)-1, cudaMemHandleTypePosixFileDescriptor, 0));
    R(cudaMemPoolImportFromShareableHandle(&back, (void *)(intptr_t)9999, cudaMemHandleTypePosixFileDescriptor, 0));
    R(cudaMemPoolImportFromShareableHandle(&back, (void *)(intptr_t)file, cudaMemHandleTypePosixFileDescriptor, 0));
    R(cudaMemPoolImportFromShareableHandle(&back, (void *)(intptr_t)ends[0], cudaMemHandleTypePosixFileDescriptor, 0));
    R(cudaMemPoolImportFromShareableHandle(&back, (void *)(intptr_t)fd, cudaMemHandleTypeNone, 0));
    R(cudaMemPoolImportFromShareableHandle(&back, (void *)(intptr_t)fd, cudaMemHandleTypePosixFileDescriptor, 1));
    R(cudaMemPoolDestroy(pool));
    R(cudaMemPoolImportFromShareableHandle(&back, (void *)(intptr_t)fd, cudaMemHandleTypePosixFileDescriptor, 0));
}

static cudaStream_t around, beside;
static cudaEvent_t  some_event;

static void in_function(void *)
{
    void           *p;
    cudaStream_t    s;
    cudaEvent_t     e;
    cudaPointerAttributes a;
    cudaDeviceProp  prop;
    int             v;
    R(cudaStreamCreate(&s));
    R(cudaStreamDestroy(beside));
    R(cudaEventCreate(&e));
    R(cudaEventRecord(some_event, beside));
    R(cudaStreamWaitEvent(beside, some_event, 0));
    R(cudaMallocHost(&p, 64));
    R(cudaMallocManaged(&p, 64));
    R(cudaMallocAsync(&p, 64, beside));
    R(cudaPointerGetAttributes(&a, &beside));
    R(cudaGetDeviceProperties(&prop, 0));
    R(cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, 0));
    R(cudaSetDevice(0));
    R(cudaLaunchHostFunc(beside, in_function, nullptr));
    R(cudaPeekAtLastError());
    R(cudaGetLastError());
}

DEFINE(inside_host_function)
{
    cudaStreamCreate(&around);
    cudaStreamCreate(&beside);
    cudaEventCreate(&some_event);
    R(cudaLaunchHostFunc(around, in_function, nullptr));
    R(cudaStreamSynchronize(around));
    R(cudaGetLastError());
    R(cudaStreamQuery(beside));
}

DEFINE(after_fork)
{
    cudaStream_t s;
    void        *p, *h;
    cudaEvent_t  e;
    cudaMalloc(&p, 64);
    cudaMallocHost(&h, 64);
    cudaStreamCreate(&s);
    cudaEventCreate(&e);
    cudaEventRecord(e, s);
    cudaStreamSynchronize(s);
    fflush(stdout);
    if (fork() == 0) {
        cudaPointerAttributes a;
        cudaDeviceProp        prop;
        int                   v;
        size_t                free, all;
        R(cudaGetDeviceProperties(&prop, 0));
        R(cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, 0));
        R(cudaPointerGetAttributes(&a, p));
        R(cudaPointerGetAttributes(&a, h));
        R(cudaMemGetInfo(&free, &all));
        R(cudaStreamQuery(s));
        R(cudaStreamDestroy(s));
        R(cudaEventDestroy(e));
        R(cudaMemcpy(p, h, 64, cudaMemcpyHostToDevice));
        R(cudaFreeHost(h));
        R(cudaDeviceSynchronize());
        R(cudaDeviceReset());
        R(cudaGetLastError());
        R(D(cuInit)(0));
        R(D(cuDeviceGetCount)(&v));
        fflush(stdout);
        _exit(0);
    }
    wait(nullptr);
    R(cudaStreamQuery(s));
    R(cudaMemset(p, 0, 64));
}
