/* SPDX-License-Identifier: Apache-2.0
 *
 * What came with CUDA 12 and 13: green contexts, core dump settings, logs, batches of copies, handles of ranges, capabilities, notifications. */
#include "parity.h"

#include <cuda_profiler_api.h>
#include <unistd.h>

static __global__ void nothing() {}

static void resource(const char *name, const CUdevResource &r)
{
    printf("%s\ttype %d, %u SMs, at least %u, aligned %u\n", name, r.type, r.type == CU_DEV_RESOURCE_TYPE_SM ? r.sm.smCount : 0,
           r.type == CU_DEV_RESOURCE_TYPE_SM ? r.sm.minSmPartitionSize : 0, r.type == CU_DEV_RESOURCE_TYPE_SM ? r.sm.smCoscheduledAlignment : 0);
}

DEFINE(green_resources)
{
    cudaFree(nullptr);
    CUdevResource all = {}, rest = {}, part[20] = {}, none = {};
    R(D(cuDeviceGetDevResource)(0, &all, CU_DEV_RESOURCE_TYPE_SM));
    resource("device", all);
    R(D(cuDeviceGetDevResource)(0, &none, CU_DEV_RESOURCE_TYPE_INVALID));
    R(D(cuDeviceGetDevResource)(0, &none, (CUdevResourceType)7));
    R(D(cuDeviceGetDevResource)(9, &none, CU_DEV_RESOURCE_TYPE_SM));
    R(D(cuDeviceGetDevResource)(0, nullptr, CU_DEV_RESOURCE_TYPE_SM));
    for (unsigned flags : {0u, 1u, 2u, 4u})
        for (unsigned least : {0u, 1u, 2u, 4u, 7u, 8u, 9u, 16u, 17u, 60u, 100u, 132u, 133u}) {
            unsigned n = 0;
            CUresult e = D(cuDevSmResourceSplitByCount)(nullptr, &n, &all, nullptr, flags, least);
            printf("flags %u, at least %u\t%s %u groups\n", flags, least, code_name(e), n);
            n = n < 2 ? n : 2;
            if (e || !n)
                continue;
            e = D(cuDevSmResourceSplitByCount)(part, &n, &all, &rest, flags, least);
            printf("two of them\t%s %u\n", code_name(e), n);
            resource("first", part[0]);
            resource("last", part[n - 1]);
            resource("rest", rest);
        }
    unsigned n = 1;
    R(D(cuDevSmResourceSplitByCount)(nullptr, nullptr, &all, nullptr, 0, 8));
    R(D(cuDevSmResourceSplitByCount)(part, &n, nullptr, nullptr, 0, 8));
    R(D(cuDevSmResourceSplitByCount)(part, &n, &none, nullptr, 0, 8));
    n = 0;
    R(D(cuDevSmResourceSplitByCount)(part, &n, &all, nullptr, 0, 8));
    n = 20;
    R(D(cuDevSmResourceSplitByCount)(part, &n, &all, nullptr, 0, 8));
    V(n);
}

DEFINE(green_contexts)
{
    cudaFree(nullptr);
    CUdevResource     all = {}, part[2] = {}, rest = {}, got = {};
    CUdevResourceDesc desc = nullptr;
    CUgreenCtx        g = nullptr, h = nullptr;
    CUcontext         c = nullptr, primary = nullptr, now = nullptr;
    CUstream          s = nullptr;
    unsigned          n = 1;
    D(cuCtxGetCurrent)(&primary);
    D(cuDeviceGetDevResource)(0, &all, CU_DEV_RESOURCE_TYPE_SM);
    R(D(cuDevSmResourceSplitByCount)(part, &n, &all, &rest, 0, 16));
    R(D(cuDevResourceGenerateDesc)(&desc, part, 0));
    R(D(cuDevResourceGenerateDesc)(&desc, nullptr, 1));
    R(D(cuDevResourceGenerateDesc)(nullptr, part, 1));
    R(D(cuDevResourceGenerateDesc)(&desc, part, 1));
    R(D(cuGreenCtxCreate)(&g, desc, 0, 0));
    R(D(cuGreenCtxCreate)(&g, desc, 9, CU_GREEN_CTX_DEFAULT_STREAM));
    R(D(cuGreenCtxCreate)(&g, nullptr, 0, CU_GREEN_CTX_DEFAULT_STREAM));
    R(D(cuGreenCtxCreate)(nullptr, desc, 0, CU_GREEN_CTX_DEFAULT_STREAM));
    R(D(cuGreenCtxCreate)(&g, desc, 0, CU_GREEN_CTX_DEFAULT_STREAM));
    R(D(cuGreenCtxGetDevResource)(g, &got, CU_DEV_RESOURCE_TYPE_SM));
    resource("green", got);
    R(D(cuGreenCtxGetDevResource)(g, &got, (CUdevResourceType)7));
    unsigned long long a = 0, b = 0;
    R(D(cuGreenCtxGetId)(g, &a));
    R(D(cuCtxFromGreenCtx)(&c, g));
    V(c != primary);
    R(D(cuCtxGetId)(c, &b));
    V(a == b);
    R(D(cuCtxGetDevResource)(primary, &got, CU_DEV_RESOURCE_TYPE_SM));
    resource("primary", got);
    R(D(cuCtxGetDevResource)(c, &got, CU_DEV_RESOURCE_TYPE_SM));
    resource("converted", got);
    R(D(cuCtxGetDevResource)(nullptr, &got, CU_DEV_RESOURCE_TYPE_SM));
    resource("current", got);
    R(D(cuGreenCtxStreamCreate)(&s, g, 0, 0));
    R(D(cuGreenCtxStreamCreate)(&s, g, CU_STREAM_NON_BLOCKING, 0));
    R(D(cuGreenCtxStreamCreate)(&s, nullptr, CU_STREAM_NON_BLOCKING, 0));
    R(D(cuStreamGetGreenCtx)(s, &h));
    V(h == g);
    R(D(cuStreamGetGreenCtx)(nullptr, &h));
    V(h == nullptr);
    R(D(cuStreamGetCtx_v2)(s, &now, &h));
    V(now == nullptr);
    V(h == g);
    R(D(cuStreamGetCtx_v2)(nullptr, &now, &h));
    V(now == primary);
    R(D(cuStreamGetCtx)(s, &now));
    V(now == c);
    nothing<<<1, 1, 0, s>>>();
    R(cudaGetLastError());
    R(D(cuStreamSynchronize)(s));
    CUevent e = {};
    R(D(cuEventCreate)(&e, 0));
    R(D(cuGreenCtxRecordEvent)(g, e));
    R(D(cuGreenCtxWaitEvent)(g, e));
    R(D(cuEventSynchronize)(e));
    R(D(cuCtxSetCurrent)(c));
    int count = 0, blocks = 0;
    R(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
    V(count);
    R(D(cuDeviceGetAttribute)(&count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    V(count);
    R(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 1024, 0));
    V(blocks);
    void *args[] = {nullptr};
    R(cudaLaunchCooperativeKernel((const void *)nothing, 33, 1024, args, 0, nullptr));
    R(cudaLaunchCooperativeKernel((const void *)nothing, 32, 1024, args, 0, nullptr));
    R(cudaDeviceSynchronize());
    R(D(cuStreamGetGreenCtx)(nullptr, &h));
    V(h == g);
    R(cudaGetDevice(&count));
    V(count);
    R(D(cuCtxSetCurrent)(primary));
    R(D(cuStreamDestroy)(s));
    R(D(cuGreenCtxDestroy)(g));
    R(D(cuGreenCtxDestroy)(nullptr));
}

DEFINE(execution_affinity)
{
    cudaFree(nullptr);
    int                 v = 9;
    CUexecAffinityParam p = {};
    R(D(cuDeviceGetExecAffinitySupport)(&v, CU_EXEC_AFFINITY_TYPE_SM_COUNT, 0));
    V(v);
    R(D(cuDeviceGetExecAffinitySupport)(&v, (CUexecAffinityType)7, 0));
    R(D(cuCtxGetExecAffinity)(&p, CU_EXEC_AFFINITY_TYPE_SM_COUNT));
    R(D(cuFlushGPUDirectRDMAWrites)(CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX, CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER));
}

DEFINE(core_dumps)
{
    cudaFree(nullptr);
    for (int a = 0; a < 9; a++) {
        char     value[1024] = {};
        size_t   n           = sizeof value;
        CUresult e           = D(cuCoredumpGetAttribute)((CUcoredumpSettings)a, value, &n);
        printf("attribute %d\t%s %zu bytes, first %d\n", a, code_name(e), a == 5 || a == 6 ? 0 : n, a == 5 || a == 6 ? 0 : value[0]);
        n = sizeof value;
        e = D(cuCoredumpGetAttributeGlobal)((CUcoredumpSettings)a, value, &n);
        printf("attribute %d of all\t%s %zu bytes, first %d\n", a, code_name(e), a == 5 || a == 6 ? 0 : n, a == 5 || a == 6 ? 0 : value[0]);
        n = 0;
        e = D(cuCoredumpGetAttribute)((CUcoredumpSettings)a, nullptr, &n);
        printf("attribute %d's size\t%s %zu\n", a, code_name(e), a == 5 || a == 6 ? 0 : n);
    }
    bool   on = true, got = false;
    size_t n = sizeof on;
    R(D(cuCoredumpSetAttribute)(CU_COREDUMP_LIGHTWEIGHT, &on, &n));
    n = sizeof got;
    R(D(cuCoredumpGetAttribute)(CU_COREDUMP_LIGHTWEIGHT, &got, &n));
    V(got);
    n = 2;
    R(D(cuCoredumpSetAttribute)(CU_COREDUMP_LIGHTWEIGHT, &on, &n));
    n = sizeof on;
    R(D(cuCoredumpSetAttribute)(CU_COREDUMP_ENABLE_USER_TRIGGER, &on, &n));
    R(D(cuCoredumpSetAttribute)((CUcoredumpSettings)99, &on, &n));
    R(D(cuCoredumpSetAttribute)(CU_COREDUMP_LIGHTWEIGHT, nullptr, &n));
    R(D(cuCoredumpSetAttribute)(CU_COREDUMP_LIGHTWEIGHT, &on, nullptr));
    char name[16] = "/tmp/dump", back[64] = {};
    n             = sizeof name;
    R(D(cuCoredumpSetAttribute)(CU_COREDUMP_FILE, name, &n));
    n = sizeof back;
    R(D(cuCoredumpGetAttribute)(CU_COREDUMP_FILE, back, &n));
    V(n);
    V(!strcmp(back, name));
}

static int  told_lines;
static void on_log(void *, CUlogLevel, char *, size_t) { told_lines++; }
DEFINE(logs)
{
    cudaFree(nullptr);
    CUlogsCallbackHandle h = nullptr;
    CUlogIterator        i = 0;
    R(D(cuLogsCurrent)(&i, 0));
    R(D(cuLogsCurrent)(nullptr, 0));
    R(D(cuLogsCurrent)(&i, 1));
    R(D(cuLogsRegisterCallback)(on_log, nullptr, &h));
    R(D(cuLogsRegisterCallback)(nullptr, nullptr, &h));
    CUdeviceptr p = {};
    R(D(cuMemAlloc)(&p, 0));
    R(cudaMalloc((void **)&p, (size_t)1 << 50));
    nothing<<<0, 1>>>();
    R(cudaMemcpy((void *)1, (void *)2, 4, cudaMemcpyDeviceToDevice));
    V(told_lines > 0);
    char   text[4096] = {};
    size_t n          = sizeof text;
    R(D(cuLogsDumpToMemory)(&i, text, &n, 0));
    V(n > 0);
    n = 0;
    R(D(cuLogsDumpToMemory)(&i, text, &n, 0));
    R(D(cuLogsDumpToMemory)(nullptr, nullptr, &n, 0));
    R(D(cuLogsDumpToFile)(nullptr, "/nowhere/at/all", 0));
    R(D(cuLogsDumpToFile)(nullptr, nullptr, 0));
    R(D(cuLogsUnregisterCallback)(h));
    R(D(cuLogsUnregisterCallback)(nullptr));
}
DEFINE(logs_text)
{
    cudaFree(nullptr);
    CUdeviceptr p = {};
    D(cuMemAlloc)(&p, 0);
    D(cuMemFree)(5);
    nothing<<<0, 1>>>();
    cudaMemcpy((void *)1, (void *)2, 4, cudaMemcpyDeviceToDevice);
    char   text[8192] = {};
    size_t n          = sizeof text;
    D(cuLogsDumpToMemory)(nullptr, text, &n, 0);
    for (char *line = strtok(text, "\n"); line; line = strtok(nullptr, "\n"))
        printf("# %s\n", line);
}

DEFINE(copy_batches)
{
    char *a, *b, host[64] = {};
    cudaMalloc(&a, 64);
    cudaMalloc(&b, 64);
    cudaStream_t s;
    cudaStreamCreate(&s);
    void                *dst[] = {a, b, host};
    const void          *src[] = {b, host, a};
    size_t               n[] = {8, 16, 8}, index[] = {0};
    cudaMemcpyAttributes at = {};
    R(cudaMemcpyBatchAsync(dst, src, n, 3, &at, index, 1, s));
    at.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    R(cudaMemcpyBatchAsync(dst, src, n, 3, &at, index, 1, s));
    R(cudaMemcpyBatchAsync(dst, src, n, 3, &at, index, 1, 0));
    R(cudaMemcpyBatchAsync(dst, src, n, 3, &at, index, 0, s));
    R(cudaMemcpyBatchAsync(dst, src, n, 3, nullptr, index, 1, s));
    R(cudaMemcpyBatchAsync(dst, src, n, 0, &at, index, 1, s));
    R(cudaMemcpyBatchAsync(nullptr, src, n, 3, &at, index, 1, s));
    index[0] = 1;
    R(cudaMemcpyBatchAsync(dst, src, n, 3, &at, index, 1, s));
    index[0] = 0;
    n[1]     = 0;
    R(cudaMemcpyBatchAsync(dst, src, n, 3, &at, index, 1, s));
    n[1] = 65;
    R(cudaMemcpyBatchAsync(dst, src, n, 3, &at, index, 1, s));
    n[1]              = 8;
    at.srcAccessOrder = (cudaMemcpySrcAccessOrder)9;
    R(cudaMemcpyBatchAsync(dst, src, n, 3, &at, index, 1, s));
    at.srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall;
    at.flags          = 8;
    R(cudaMemcpyBatchAsync(dst, src, n, 3, &at, index, 1, s));
    at.flags = cudaMemcpyFlagPreferOverlapWithCompute;
    R(cudaMemcpyBatchAsync(dst, src, n, 3, &at, index, 1, s));
    cudaMemcpy3DBatchOp op = {};
    op.src.type            = cudaMemcpyOperandTypePointer;
    op.src.op.ptr.ptr      = a;
    op.dst.type            = cudaMemcpyOperandTypePointer;
    op.dst.op.ptr.ptr      = b;
    op.extent              = make_cudaExtent(8, 2, 1);
    op.srcAccessOrder      = cudaMemcpySrcAccessOrderStream;
    R(cudaMemcpy3DBatchAsync(1, &op, 0, s));
    R(cudaMemcpy3DBatchAsync(1, &op, 0, 0));
    R(cudaMemcpy3DBatchAsync(1, &op, 1, s));
    R(cudaMemcpy3DBatchAsync(0, &op, 0, s));
    R(cudaMemcpy3DBatchAsync(1, nullptr, 0, s));
    op.src.op.ptr.rowLength = 4;
    R(cudaMemcpy3DBatchAsync(1, &op, 0, s));
    op.src.op.ptr.rowLength   = 16;
    op.src.op.ptr.layerHeight = 1;
    R(cudaMemcpy3DBatchAsync(1, &op, 0, s));
    op.src.op.ptr.layerHeight = 4;
    R(cudaMemcpy3DBatchAsync(1, &op, 0, s));
    op.extent = make_cudaExtent(8, 0, 1);
    R(cudaMemcpy3DBatchAsync(1, &op, 0, s));
    op.extent   = make_cudaExtent(8, 2, 1);
    op.src.type = (cudaMemcpy3DOperandType)0;
    R(cudaMemcpy3DBatchAsync(1, &op, 0, s));
    op.src.type          = cudaMemcpyOperandTypeArray;
    op.src.op.array.array = nullptr;
    R(cudaMemcpy3DBatchAsync(1, &op, 0, s));
    R(cudaGetLastError());
    R(cudaStreamSynchronize(s));
}

DEFINE(range_handles)
{
    cudaFree(nullptr);
    CUdeviceptr p = {};
    int         fd = -1;
    size_t      page = (size_t)sysconf(_SC_PAGESIZE);
    R(D(cuMemAlloc)(&p, 1 << 21));
    R(D(cuMemGetHandleForAddressRange)(&fd, p, 1 << 21, CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 8));
    R(D(cuMemGetHandleForAddressRange)(&fd, p, 100, CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0));
    R(D(cuMemGetHandleForAddressRange)(&fd, p + 8, page, CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0));
    R(D(cuMemGetHandleForAddressRange)(&fd, p, 1 << 22, CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0));
    R(D(cuMemGetHandleForAddressRange)(&fd, p, 1 << 21, (CUmemRangeHandleType)9, 0));
    R(D(cuMemGetHandleForAddressRange)(nullptr, p, 1 << 21, CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0));
}

DEFINE(decompression)
{
    cudaFree(nullptr);
    CUdeviceptr           p = {}, q = {};
    CUmemDecompressParams d = {};
    size_t                at = 77;
    cudaStream_t          s;
    cudaStreamCreate(&s);
    D(cuMemAlloc)(&p, 4096);
    D(cuMemAlloc)(&q, 4096);
    d.src         = (void *)p;
    d.dst         = (void *)q;
    d.dstActBytes = (cuuint32_t *)(q + 2048);
    d.srcNumBytes = 64;
    d.dstNumBytes = 64;
    d.algo        = CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE;
    R(D(cuMemBatchDecompressAsync)(&d, 1, 0, &at, s));
    R(D(cuMemBatchDecompressAsync)(&d, 0, 0, &at, s));
    R(D(cuMemBatchDecompressAsync)(&d, 1, 1, &at, s));
    R(D(cuMemBatchDecompressAsync)(nullptr, 1, 0, &at, s));
    int v = 9;
    R(D(cuDeviceGetAttribute)(&v, CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_ALGORITHM_MASK, 0));
    V(v);
    R(cudaStreamSynchronize(s));
}

static void on_notice(cudaAsyncNotificationInfo_t *, void *, cudaAsyncCallbackHandle_t) {}
DEFINE(capabilities)
{
    cudaFree(nullptr);
    unsigned              c[16];
    cudaAtomicOperation   op[16];
    for (int i = 0; i < 13; i++)
        op[i] = (cudaAtomicOperation)i;
    R(cudaDeviceGetHostAtomicCapabilities(c, op, 13, 0));
    for (int i = 0; i < 13; i++)
        V(c[i]);
    R(cudaDeviceGetP2PAtomicCapabilities(c, op, 13, 0, 0));
    R(cudaDeviceGetP2PAtomicCapabilities(c, op, 13, 0, 9));
    op[0] = (cudaAtomicOperation)99;
    R(cudaDeviceGetHostAtomicCapabilities(c, op, 1, 0));
    R(cudaDeviceGetHostAtomicCapabilities(c, op, 0, 0));
    R(cudaDeviceGetHostAtomicCapabilities(nullptr, op, 1, 0));
    cudaAsyncCallbackHandle_t h = nullptr;
    R(cudaDeviceRegisterAsyncNotification(0, on_notice, nullptr, &h));
    R(cudaDeviceRegisterAsyncNotification(9, on_notice, nullptr, &h));
    R(cudaDeviceRegisterAsyncNotification(0, nullptr, nullptr, &h));
    R(cudaDeviceRegisterAsyncNotification(0, on_notice, nullptr, nullptr));
    R(cudaDeviceUnregisterAsyncNotification(0, h));
    R(cudaDeviceUnregisterAsyncNotification(0, nullptr));
    CUprocessState state = (CUprocessState)9;
    R(D(cuCheckpointProcessGetState)(getpid(), &state));
    V(state);
    int thread = -1;
    R(D(cuCheckpointProcessGetRestoreThreadId)(getpid(), &thread));
    V(thread > 0);
    char     luid[8];
    unsigned mask = 9;
    R(D(cuDeviceGetLuid)(luid, &mask, 0));
    R(cudaProfilerStart());
    R(cudaProfilerStop());
}

DEFINE(memory_operations)
{
    cudaFree(nullptr);
    CUdeviceptr             p = {};
    CUstream                s = {};
    CUgraph                 g = {};
    CUgraphNode             n = {};
    CUstreamBatchMemOpParams op[2] = {};
    D(cuMemAlloc)(&p, 64);
    D(cuStreamCreate)(&s, 0);
    D(cuGraphCreate)(&g, 0);
    op[0].operation           = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    op[0].writeValue.address  = p;
    op[0].writeValue.value    = 7;
    op[1].operation           = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    op[1].waitValue.address   = p;
    op[1].waitValue.value     = 7;
    R(D(cuStreamBatchMemOp)(s, 2, op, 0));
    R(D(cuStreamBatchMemOp)(s, 0, op, 0));
    R(D(cuStreamBatchMemOp)(s, 300, op, 0));
    R(D(cuStreamBatchMemOp)(s, 2, op, 9));
    R(D(cuStreamBatchMemOp)(s, 2, nullptr, 0));
    op[1].operation = (CUstreamBatchMemOpType)99;
    R(D(cuStreamBatchMemOp)(s, 2, op, 0));
    op[1].operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    R(D(cuStreamWriteValue32)(s, p + 1, 1, 0));
    R(D(cuStreamWriteValue32)(s, 0, 1, 0));
    R(D(cuStreamWriteValue64)(s, p + 4, 1, 0));
    R(D(cuStreamWriteValue32)(s, p + 64, 1, 0));
    R(D(cuStreamWriteValue32)(s, p, 1, 99));
    R(D(cuStreamWaitValue32)(s, p, 1, 99));
    CUDA_BATCH_MEM_OP_NODE_PARAMS b = {};
    D(cuCtxGetCurrent)(&b.ctx);
    b.count      = 2;
    b.paramArray = op;
    R(D(cuGraphAddBatchMemOpNode)(&n, g, nullptr, 0, &b));
    CUDA_BATCH_MEM_OP_NODE_PARAMS back = {};
    R(D(cuGraphBatchMemOpNodeGetParams)(n, &back));
    V(back.count);
    op[0].writeValue.value = op[1].waitValue.value = 9;
    R(D(cuGraphBatchMemOpNodeSetParams)(n, &b));
    b.count = 0;
    R(D(cuGraphBatchMemOpNodeSetParams)(n, &b));
    R(D(cuGraphAddBatchMemOpNode)(&n, g, nullptr, 0, nullptr));
    CUgraphExec x = {};
    R(D(cuGraphInstantiate)(&x, g, 0));
    R(D(cuGraphLaunch)(x, s));
    R(D(cuStreamSynchronize)(s));
    unsigned v = 0;
    D(cuMemcpyDtoH)(&v, p, 4);
    V(v);
    CUgraphNodeType type = {};
    R(D(cuGraphNodeGetType)(n, &type));
    V(type);
    R(D(cuStreamBeginCapture)(s, CU_STREAM_CAPTURE_MODE_RELAXED));
    R(D(cuStreamWriteValue32)(s, p, 1, 0));
    CUgraph captured = nullptr;
    R(D(cuStreamEndCapture)(s, &captured));
    size_t nodes = 0;
    R(D(cuGraphGetNodes)(captured, nullptr, &nodes));
    V(nodes);
}
