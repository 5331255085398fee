/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver interface: context, module from PTX text, function, variable, both ways to pass arguments, streams, events, refusals. */
#include <cuda.h>

#include "check.h"

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".global .u32 bias = 5;\n"
                          ".visible .entry shift(.param .u64 p, .param .u32 n)\n{\n"
                          ".reg .u64 %a<4>; .reg .u32 %r<6>; .reg .pred %q;\n"
                          "ld.param.u64 %a1, [p]; ld.param.u32 %r1, [n];\n"
                          "mov.u32 %r2, %tid.x; setp.ge.u32 %q, %r2, %r1; @%q bra done;\n"
                          "mul.wide.u32 %a2, %r2, 4; add.u64 %a3, %a1, %a2;\n"
                          "ld.global.u32 %r3, [bias]; ld.global.u32 %r4, [%a3]; add.u32 %r5, %r3, %r4; st.global.u32 [%a3], %r5;\n"
                          "done: ret;\n}\n";

#define DO(call)                                                                  \
    do {                                                                          \
        CUresult r_ = (call);                                                     \
        const char *name_ = "?";                                                  \
        if (r_ != CUDA_SUCCESS && (cuGetErrorName(r_, &name_), true)) {           \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, name_);          \
            exit(1);                                                              \
        }                                                                         \
    } while (0)

int main()
{
    CUdevice    d;
    CUcontext   c, same;
    CUmodule    m;
    CUfunction  f;
    CUdeviceptr p, g;
    CUstream    s;
    CUevent     a, b;
    int         major = 0, host[40];
    unsigned    n = 40;
    size_t      bytes = 0, total = 0;
    float       ms = -1;
    char        name[64];
    CHECK(cuDeviceGetCount(&major) == CUDA_ERROR_NOT_INITIALIZED);
    DO(cuInit(0));
    DO(cuDeviceGet(&d, 0));
    DO(cuDeviceGetName(name, sizeof name, d));
    DO(cuDeviceTotalMem(&total, d));
    DO(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, d));
    CHECK(strlen(name) > 0 && total > 1 << 20 && major >= 1);
    DO(cuDevicePrimaryCtxRetain(&c, d));
    DO(cuCtxPushCurrent(c));
    DO(cuCtxGetCurrent(&same));
    CHECK(same == c);
    DO(cuModuleLoadData(&m, ptx));
    CHECK(cuModuleGetFunction(&f, m, "none") == CUDA_ERROR_NOT_FOUND);
    DO(cuModuleGetFunction(&f, m, "shift"));
    DO(cuModuleGetGlobal(&g, &bytes, m, "bias"));
    CHECK(bytes == 4);
    DO(cuMemAlloc(&p, sizeof host));
    DO(cuMemsetD32(p, 100, 40));
    DO(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    DO(cuEventCreate(&a, CU_EVENT_DEFAULT));
    DO(cuEventCreate(&b, CU_EVENT_DEFAULT));
    void *args[] = {&p, &n};
    DO(cuEventRecord(a, s));
    DO(cuLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, s, args, nullptr));
    struct { CUdeviceptr p; unsigned n; } packed = {p, 20};
    size_t packed_bytes = 12;
    void  *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &packed_bytes, CU_LAUNCH_PARAM_END};
    DO(cuLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, s, nullptr, extra));
    DO(cuEventRecord(b, s));
    DO(cuEventSynchronize(b));
    DO(cuEventElapsedTime(&ms, a, b));
    CHECK(ms >= 0);
    DO(cuMemcpyDtoH(host, p, sizeof host));
    CHECK(host[0] == 110 && host[19] == 110 && host[20] == 105 && host[39] == 105);
    CUgraph                graph;
    CUgraphExec            run;
    CUgraphNode            node;
    CUDA_KERNEL_NODE_PARAMS k = {};
    k.func = f, k.gridDimX = k.gridDimY = k.gridDimZ = k.blockDimY = k.blockDimZ = 1, k.blockDimX = 64, k.extra = extra;
    DO(cuGraphCreate(&graph, 0));
    DO(cuGraphAddKernelNode(&node, graph, nullptr, 0, &k));
    DO(cuGraphInstantiate(&run, graph, 0));
    packed.n = 40; /* the graph has its own copy: 20 elements again, then 40 */
    DO(cuGraphLaunch(run, s));
    DO(cuGraphExecKernelNodeSetParams(run, node, &k));
    DO(cuGraphLaunch(run, s));
    DO(cuStreamSynchronize(s));
    DO(cuMemcpyDtoH(host, p, sizeof host));
    CHECK(host[0] == 120 && host[19] == 120 && host[20] == 110 && host[39] == 110);
    packed_bytes = 4;
    CHECK(cuGraphExecKernelNodeSetParams(run, node, &k) == CUDA_ERROR_INVALID_VALUE);
    DO(cuGraphExecDestroy(run));
    DO(cuGraphDestroy(graph));
    CHECK(cuLaunchKernel(f, 1, 1, 1, 2000, 1, 1, 0, s, args, nullptr) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuModuleLoadData(&m, ".version 7.0\n.target sm_70\nnonsense") == CUDA_ERROR_INVALID_PTX);
    CHECK(cuMemcpyDtoH(host, p + 8, sizeof host) == CUDA_ERROR_INVALID_VALUE);
    DO(cuCtxSynchronize());
    DO(cuMemFree(p));
    DO(cuStreamDestroy(s));
    DO(cuCtxPopCurrent(&same));
    return passed();
}
