/* SPDX-License-Identifier: Apache-2.0
 *
 * Streams, events and capture. */
#include "parity.h"

static __global__ void nothing() {}
static __global__ void wait_for(volatile int *flag)
{
    while (!*flag)
        ;
}
static void no_work(void *) {}

DEFINE(streams)
{
    cudaStream_t s, t;
    R(cudaStreamCreate(&s));
    R(cudaStreamCreate(nullptr));
    R(cudaStreamCreateWithFlags(&t, 2));
    R(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    unsigned flags = 9;
    R(cudaStreamGetFlags(t, &flags));
    V(flags);
    R(cudaStreamGetFlags(0, &flags));
    V(flags);
    R(cudaStreamGetFlags(cudaStreamPerThread, &flags));
    V(flags);
    int least = 9, greatest = 9, priority = 9;
    R(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    V(least);
    V(greatest);
    R(cudaStreamGetPriority(s, &priority));
    V(priority);
    for (int p : {-100, -5, -3, 0, 5}) {
        cudaStream_t x;
        R(cudaStreamCreateWithPriority(&x, 0, p));
        R(cudaStreamGetPriority(x, &priority));
        V(priority);
    }
    R(cudaStreamGetPriority(0, &priority));
    V(priority);
    R(cudaStreamGetFlags(s, nullptr));
    R(cudaStreamQuery(s));
    R(cudaStreamSynchronize(s));
    R(cudaStreamDestroy(0));
    R(cudaStreamDestroy(cudaStreamPerThread));
    R(cudaStreamDestroy(cudaStreamLegacy));
    R(cudaStreamWaitEvent(s, nullptr, 0));
    R(cudaLaunchHostFunc(s, nullptr, nullptr));
    R(cudaLaunchHostFunc(s, no_work, nullptr));
    R(cudaStreamAddCallback(s, nullptr, nullptr, 0));
    R(cudaStreamAddCallback(s, (cudaStreamCallback_t)no_work, nullptr, 1));
    int device = 9;
    R(cudaStreamGetDevice(s, &device));
    V(device);
    R(cudaStreamGetDevice(0, &device));
    unsigned long long id = {}, other = {};
    R(cudaStreamGetId(0, &id));
    R(cudaStreamGetId(cudaStreamLegacy, &other));
    V(id == other);
    R(cudaStreamGetId(s, nullptr));
    cudaStreamAttrValue v = {};
    for (int a = 0; a < 20; a++) {
        memset(&v, 0, sizeof v);
        cudaError_t e = cudaStreamGetAttribute(s, (cudaStreamAttrID)a, &v);
        int         first = {};
        memcpy(&first, &v, 4);
        printf("attribute %d\t%s %d\n", a, code_name(e), e ? 0 : first);
        e = cudaStreamSetAttribute(s, (cudaStreamAttrID)a, &v);
        printf("setting it\t%s\n", code_name(e));
    }
    R(cudaStreamCopyAttributes(t, s));
    R(cudaStreamDestroy(t));
    R(cudaStreamSynchronize(s));
    R(cudaStreamDestroy(s));
    CUstream c = {};
    R(D(cuStreamCreate)(&c, 2));
    R(D(cuStreamCreate)(nullptr, 0));
    R(D(cuStreamCreate)(&c, 1));
    CUcontext x = nullptr, now = nullptr;
    R(D(cuStreamGetCtx)(c, &x));
    R(D(cuCtxGetCurrent)(&now));
    V(x == now);
    R(D(cuStreamDestroy)(nullptr));
    int *flag;
    cudaMallocHost(&flag, 4);
    *(volatile int *)flag = 0;
    wait_for<<<1, 1, 0, c>>>(flag);
    R(cudaStreamQuery(c));
    R(cudaStreamQuery(0));
    R(cudaPeekAtLastError());
    *(volatile int *)flag = 1;
    R(cudaStreamSynchronize(c));
    R(cudaStreamQuery(c));
}
DEFINE(stream_destroyed)
{
    cudaStream_t s;
    R(cudaStreamCreate(&s));
    R(cudaStreamDestroy(s));
    R(cudaStreamQuery(s));
    R(cudaStreamSynchronize(s));
    R(cudaStreamDestroy(s));
    nothing<<<1, 1, 0, s>>>();
    R(cudaGetLastError());
}

DEFINE(events)
{
    cudaEvent_t a, b, quick;
    float       ms = -1;
    R(cudaEventCreate(nullptr));
    R(cudaEventCreate(&a));
    R(cudaEventCreate(&b));
    R(cudaEventCreateWithFlags(&quick, 8));
    R(cudaEventCreateWithFlags(&quick, cudaEventInterprocess));
    R(cudaEventCreateWithFlags(&quick, cudaEventDisableTiming));
    R(cudaEventQuery(a));
    R(cudaEventSynchronize(a));
    R(cudaEventElapsedTime(&ms, a, b));
    R(cudaEventRecord(a));
    R(cudaEventElapsedTime(&ms, a, b));
    R(cudaEventRecord(b));
    R(cudaEventSynchronize(b));
    R(cudaEventElapsedTime(&ms, a, b));
    V(ms >= 0);
    R(cudaEventElapsedTime(nullptr, a, b));
    R(cudaEventElapsedTime(&ms, a, quick));
    R(cudaEventRecord(quick));
    R(cudaEventSynchronize(quick));
    R(cudaEventElapsedTime(&ms, a, quick));
    R(cudaEventRecord(nullptr));
    R(cudaEventQuery(nullptr));
    R(cudaEventSynchronize(nullptr));
    R(cudaEventDestroy(nullptr));
    R(cudaEventRecordWithFlags(a, 0, 2));
    R(cudaStreamWaitEvent(0, a, 4));
    R(cudaStreamWaitEvent(0, a, 0));
    cudaIpcEventHandle_t h;
    R(cudaIpcGetEventHandle(&h, a));
    int *flag;
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaMallocHost(&flag, 4);
    *(volatile int *)flag = 0;
    R(cudaEventRecord(a, s));
    wait_for<<<1, 1, 0, s>>>(flag);
    R(cudaEventRecord(b, s));
    R(cudaEventQuery(b));
    R(cudaEventElapsedTime(&ms, a, b));
    *(volatile int *)flag = 1;
    R(cudaEventSynchronize(b));
    R(cudaEventElapsedTime(&ms, a, b));
    R(cudaEventElapsedTime(&ms, b, a));
    V(ms <= 0);
    R(cudaEventDestroy(a));
}
DEFINE(event_destroyed)
{
    cudaEvent_t e;
    R(cudaEventCreate(&e));
    R(cudaEventDestroy(e));
    R(cudaEventDestroy(e));
    R(cudaEventQuery(e));
    R(cudaEventRecord(e));
}

DEFINE(capture)
{
    cudaStream_t            s, t;
    cudaGraph_t             g = nullptr;
    cudaEvent_t             e, f;
    cudaStreamCaptureStatus status = {};
    void                   *p;
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaEventCreate(&e);
    cudaEventCreate(&f);
    R(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
    R(cudaStreamEndCapture(s, &g));
    R(cudaStreamBeginCapture(s, (cudaStreamCaptureMode)9));
    R(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    R(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    R(cudaStreamIsCapturing(s, &status));
    V(status);
    R(cudaStreamIsCapturing(t, &status));
    V(status);
    nothing<<<1, 1, 0, s>>>();
    R(cudaGetLastError());
    R(cudaEventRecord(e, s));
    R(cudaStreamWaitEvent(t, e, 0));
    R(cudaStreamIsCapturing(t, &status));
    V(status);
    nothing<<<1, 1, 0, t>>>();
    R(cudaStreamEndCapture(t, &g));
    R(cudaEventRecord(f, t));
    R(cudaStreamWaitEvent(s, f, 0));
    R(cudaStreamEndCapture(s, &g));
    size_t n = 0;
    R(cudaGraphGetNodes(g, nullptr, &n));
    V(n);
    R(cudaGraphGetRootNodes(g, nullptr, &n));
    V(n);
    R(cudaGraphGetEdges(g, nullptr, nullptr, nullptr, &n));
    V(n);
    (void)p;
}
#define CAPTURED(name, ...)                                                   \
    DEFINE(name)                                                              \
    {                                                                         \
        cudaStream_t            s, t;                                         \
        cudaGraph_t             g = nullptr;                                  \
        cudaEvent_t             e;                                            \
        cudaStreamCaptureStatus status = {};                                  \
        void                   *p = nullptr;                                  \
        cudaMalloc(&p, 64);                                                   \
        cudaStreamCreate(&s);                                                 \
        cudaStreamCreate(&t);                                                 \
        cudaEventCreate(&e);                                                  \
        R(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));            \
        nothing<<<1, 1, 0, s>>>();                                            \
        __VA_ARGS__;                                                          \
        R(cudaStreamIsCapturing(s, &status));                                 \
        V(status);                                                            \
        R(cudaStreamEndCapture(s, &g));                                       \
        V(g != nullptr);                                                      \
        R(cudaPeekAtLastError());                                             \
        R(cudaStreamSynchronize(s));                                          \
    }
CAPTURED(capture_synchronize, R(cudaStreamSynchronize(s)))
CAPTURED(capture_query, R(cudaStreamQuery(s)))
CAPTURED(capture_device_synchronize, R(cudaDeviceSynchronize()))
CAPTURED(capture_malloc, R(cudaMalloc(&p, 4)))
CAPTURED(capture_free, R(cudaFree(p)))
CAPTURED(capture_copy, R(cudaMemcpy(p, (char *)p + 32, 4, cudaMemcpyDeviceToDevice)))
CAPTURED(capture_legacy_launch, nothing<<<1, 1>>>(); R(cudaGetLastError()))
CAPTURED(capture_event_query, R(cudaEventRecord(e, s)); R(cudaEventQuery(e)); R(cudaEventSynchronize(e)))
CAPTURED(capture_unjoined, R(cudaEventRecord(e, s)); R(cudaStreamWaitEvent(t, e, 0)); nothing<<<1, 1, 0, t>>>())
CAPTURED(capture_destroy, R(cudaStreamDestroy(t)))
CAPTURED(capture_bad_launch, nothing<<<0, 1, 0, s>>>(); R(cudaGetLastError()))
CAPTURED(capture_host, R(cudaLaunchHostFunc(s, no_work, nullptr)))
CAPTURED(capture_malloc_async, R(cudaMallocAsync(&p, 64, s)); R(cudaFreeAsync(p, s)))
CAPTURED(capture_stream_create, cudaStream_t x; R(cudaStreamCreate(&x)); R(cudaEventCreate(&e)))
CAPTURED(capture_host_malloc, R(cudaMallocHost(&p, 4)))
CAPTURED(capture_set_device, R(cudaSetDevice(0)); R(cudaGetDevice((int *)&status)))
