/* SPDX-License-Identifier: Apache-2.0
 *
 * Graphs whose nodes name what was destroyed since, an event or the kernel of an unloaded module: what they hold can be looked at, copied and
 * shown, and a launch is refused.  (On a card this is the program's mistake, and anything may come of it.) */
#include <cuda.h>

#include "check.h"

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry set(.param .u64 p)\n{\n"
                          ".reg .u64 %a; ld.param.u64 %a, [p]; st.global.u32 [%a], 7; ret;\n}\n";

static CUgraphExec instance(CUgraph g)
{
    CUgraphExec x = NULL;
#if CUDA_VERSION >= 12000
    CHECK(cuGraphInstantiate(&x, g, 0) == CUDA_SUCCESS);
#else
    CHECK(cuGraphInstantiate(&x, g, NULL, NULL, 0) == CUDA_SUCCESS);
#endif
    return x;
}

static void event_goes(CUstream s)
{
    for (int wait = 0; wait < 2; wait++) {
        CUgraph     g;
        CUgraphNode n;
        CUevent     e;
        CHECK(cuEventCreate(&e, 0) == CUDA_SUCCESS && cuGraphCreate(&g, 0) == CUDA_SUCCESS);
        CHECK((wait ? cuGraphAddEventWaitNode(&n, g, NULL, 0, e) : cuGraphAddEventRecordNode(&n, g, NULL, 0, e)) == CUDA_SUCCESS);
        CUgraphExec x = instance(g);
        CHECK(cuGraphLaunch(x, s) == CUDA_SUCCESS && cuStreamSynchronize(s) == CUDA_SUCCESS);
        CHECK(cuEventDestroy(e) == CUDA_SUCCESS);
        CHECK(cuGraphLaunch(x, s) == CUDA_ERROR_INVALID_HANDLE);
        CHECK(cuGraphExecDestroy(x) == CUDA_SUCCESS && cuGraphDestroy(g) == CUDA_SUCCESS);
    }
}

static void module_goes(CUstream s)
{
    CUmodule               m;
    CUfunction             f;
    CUdeviceptr            p;
    CUgraph                g, copy;
    CUgraphNode            n;
    CUDA_KERNEL_NODE_PARAMS params = {}, seen = {};
    int                     host   = 0;
    CHECK(cuMemAlloc(&p, 4) == CUDA_SUCCESS && cuModuleLoadData(&m, ptx) == CUDA_SUCCESS && cuModuleGetFunction(&f, m, "set") == CUDA_SUCCESS);
    void *args[] = {&p};
    params.func  = f;
    params.gridDimX = params.gridDimY = params.gridDimZ = params.blockDimX = params.blockDimY = params.blockDimZ = 1;
    params.kernelParams                                                                                        = args;
    CHECK(cuGraphCreate(&g, 0) == CUDA_SUCCESS && cuGraphAddKernelNode(&n, g, NULL, 0, &params) == CUDA_SUCCESS);
    CUgraphExec x = instance(g);
    CHECK(cuGraphLaunch(x, s) == CUDA_SUCCESS && cuStreamSynchronize(s) == CUDA_SUCCESS);
    CHECK(cuMemcpyDtoH(&host, p, 4) == CUDA_SUCCESS && host == 7);
    CHECK(cuModuleUnload(m) == CUDA_SUCCESS);
    CHECK(cuGraphLaunch(x, s) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuGraphKernelNodeGetParams(n, &seen) == CUDA_SUCCESS && seen.func == f);
    CHECK(cuGraphClone(&copy, g) == CUDA_SUCCESS && cuGraphDebugDotPrint(copy, "/dev/null", 0) == CUDA_SUCCESS);
    CHECK(cuGraphExecDestroy(x) == CUDA_SUCCESS);
    x = instance(copy);
    CHECK(cuGraphLaunch(x, s) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuGraphExecDestroy(x) == CUDA_SUCCESS && cuGraphDestroy(copy) == CUDA_SUCCESS && cuGraphDestroy(g) == CUDA_SUCCESS);
    CHECK(cuMemFree(p) == CUDA_SUCCESS);
}

int main()
{
    CUdevice  d;
    CUcontext c;
    CUstream  s;
    CHECK(cuInit(0) == CUDA_SUCCESS && cuDeviceGet(&d, 0) == CUDA_SUCCESS && cuDevicePrimaryCtxRetain(&c, d) == CUDA_SUCCESS);
    CHECK(cuCtxSetCurrent(c) == CUDA_SUCCESS && cuStreamCreate(&s, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
    event_goes(s);
    module_goes(s);
    CHECK(cuStreamDestroy(s) == CUDA_SUCCESS);
    return passed();
}
