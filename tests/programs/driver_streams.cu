/* SPDX-License-Identifier: Apache-2.0
 *
 * Driver interface: streams that wait for words of memory, batches of such operations, graphs, launches with attributes and as they were
 * before CUDA 4, occupancy, entry points by version, errors without a context.
 * nvcc: -Xcompiler -Wno-deprecated-declarations */
#include <cuda.h>

#include "check.h"

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry add(.param .u64 p, .param .u32 n) {\n"
                          ".reg .u64 %a<2>; .reg .u32 %r<3>;\n"
                          "ld.param.u64 %a1, [p]; ld.param.u32 %r1, [n];\n"
                          "atom.global.add.u32 %r2, [%a1], %r1; ret;\n}\n";


int main()
{
    CUdevice    device;
    CUcontext   context, of;
    CUmodule    module;
    CUfunction  f;
    CUdeviceptr p, word;
    CUstream    a, b;
    unsigned    h = 0, n = 3;
    CU(cuInit(0));
    CHECK(cuCtxSynchronize() == CUDA_ERROR_INVALID_CONTEXT);
    CU(cuDeviceGet(&device, 0));
    CU(cuCtxCreate(&context, nullptr, 0, device));
    CU(cuModuleLoadData(&module, ptx));
    CU(cuModuleGetFunction(&f, module, "add"));
    CU(cuMemAlloc(&p, 4));
    CU(cuMemAlloc(&word, 8));
    CU(cuMemsetD32(p, 0, 1));
    CU(cuMemsetD32(word, 0, 2));
    CU(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
    CU(cuStreamCreateWithPriority(&b, CU_STREAM_NON_BLOCKING, -1));
    CU(cuStreamGetCtx(a, &of));
    CHECK(of == context);

    void *args[] = {&p, &n};
    CU(cuStreamWaitValue32(a, word, 5, CU_STREAM_WAIT_VALUE_GEQ));
    CU(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, a, args, nullptr));
    CHECK(cuStreamQuery(a) == CUDA_ERROR_NOT_READY);
    CU(cuStreamWriteValue32(b, word, 4, 0));
    CHECK(cuStreamQuery(a) == CUDA_ERROR_NOT_READY);
    CU(cuMemcpyDtoH(&h, p, 4));
    CHECK(h == 0);
    CU(cuStreamWriteValue32(b, word, 6, 0));
    CU(cuStreamSynchronize(a));
    CU(cuMemcpyDtoH(&h, p, 4));
    CHECK(h == 3);
    CHECK(cuStreamWaitValue32(a, word + 1, 5, 0) == CUDA_ERROR_INVALID_VALUE);

    CUstreamBatchMemOpParams ops[3] = {};
    ops[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
    ops[0].writeValue.address   = word;
    ops[0].writeValue.value64   = 0x100000001ull;
    ops[1].waitValue.operation  = CU_STREAM_MEM_OP_WAIT_VALUE_64;
    ops[1].waitValue.address    = word;
    ops[1].waitValue.value64    = 0x100000001ull;
    ops[1].waitValue.flags      = CU_STREAM_WAIT_VALUE_EQ;
    ops[2].memoryBarrier.operation = CU_STREAM_MEM_OP_BARRIER;
    CU(cuStreamBatchMemOp(a, 3, ops, 0));
    CU(cuStreamSynchronize(a));

    CUlaunchAttribute attribute = {};
    CUlaunchConfig    config    = {};
    attribute.id                = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    attribute.value.cooperative = 1;
    config.gridDimX = config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = 32;
    config.blockDimY = config.blockDimZ = 1;
    config.hStream  = a;
    config.attrs    = &attribute;
    config.numAttrs = 1;
    CU(cuLaunchKernelEx(&config, f, args, nullptr));
    CU(cuStreamSynchronize(a));
    CU(cuMemcpyDtoH(&h, p, 4));
    CHECK(h == 3 + 96);

    CU(cuFuncSetBlockShape(f, 2, 1, 1));
    CU(cuParamSetv(f, 0, &p, 8));
    CU(cuParamSeti(f, 8, 100));
    CU(cuParamSetSize(f, 12));
    CU(cuLaunchGrid(f, 3, 1));
    CU(cuMemcpyDtoH(&h, p, 4));
    CHECK(h == 99 + 600);

    CUgraph                  graph;
    CUgraphExec              exec;
    CUgraphNode              set, kernel, copy;
    CUDA_MEMSET_NODE_PARAMS  memset_params = {p, 0, 1000, 4, 1, 1};
    CUDA_KERNEL_NODE_PARAMS  kernel_params = {};
    CUDA_MEMCPY3D            copy_params   = {};
    kernel_params.func = f;
    kernel_params.gridDimX = kernel_params.gridDimY = kernel_params.gridDimZ = 1;
    kernel_params.blockDimX = 4;
    kernel_params.blockDimY = kernel_params.blockDimZ = 1;
    kernel_params.kernelParams = args;
    copy_params.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy_params.srcDevice     = p;
    copy_params.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy_params.dstHost       = &h;
    copy_params.WidthInBytes  = 4;
    copy_params.Height = copy_params.Depth = 1;
    CU(cuGraphCreate(&graph, 0));
    CU(cuGraphAddMemsetNode(&set, graph, nullptr, 0, &memset_params, context));
    CU(cuGraphAddKernelNode(&kernel, graph, &set, 1, &kernel_params));
    CU(cuGraphAddMemcpyNode(&copy, graph, &kernel, 1, &copy_params, context));
    CU(cuGraphInstantiate(&exec, graph, 0));
    CU(cuGraphLaunch(exec, a));
    CU(cuStreamSynchronize(a));
    CHECK(h == 1012);
    CUDA_KERNEL_NODE_PARAMS got;
    CU(cuGraphKernelNodeGetParams(kernel, &got));
    CHECK(got.func == f && got.blockDimX == 4);
    CU(cuGraphExecDestroy(exec));
    CU(cuGraphDestroy(graph));

    int grid = 0, block = 0;
    CU(cuOccupancyMaxPotentialBlockSize(&grid, &block, f, nullptr, 0, 0));
    CHECK(grid > 0 && block > 0 && block % 32 == 0);
    void *entry = nullptr, *old = nullptr;
    CUdriverProcAddressQueryResult found;
    CU(cuGetProcAddress("cuCtxCreate", &entry, 13000, CU_GET_PROC_ADDRESS_DEFAULT, &found));
    CU(cuGetProcAddress("cuCtxCreate", &old, 11000, CU_GET_PROC_ADDRESS_DEFAULT, &found));
    CHECK(entry && old && entry != old);
    CU(cuGetProcAddress("cuNoSuchThing", &entry, 13000, CU_GET_PROC_ADDRESS_DEFAULT, &found));
    CHECK(!entry && found == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    CU(cuGetProcAddress("cuGraphAddNode", &entry, 11000, CU_GET_PROC_ADDRESS_DEFAULT, &found));
    CHECK(!entry && found == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    CU(cuStreamDestroy(a));
    CHECK(cuStreamDestroy(a) != CUDA_SUCCESS);
    CU(cuCtxDestroy(context));
    return passed();
}
