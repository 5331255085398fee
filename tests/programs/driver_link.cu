/* SPDX-License-Identifier: Apache-2.0
 *
 * Driver interface: the linker with several PTX inputs, JIT options and their buffers, libraries, kernels of libraries, questions about
 * them, and what a wrong input gives. */
#include <cuda.h>
#include "check.h"

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"

static const char first[] = HEAD R"(
.extern .func (.param .b32 r) twice(.param .b32 p);
.extern .global .align 4 .u32 offset;
.global .align 4 .u32 hidden = 3;
.visible .entry kernel(.param .u64 out) {
    .reg .b32 %r<5>;
    .reg .b64 %d<3>;
    ld.param.u64 %d1, [out];
    cvta.to.global.u64 %d2, %d1;
    ld.global.u32 %r1, [hidden];
    {
    .param .b32 p0;
    .param .b32 r0;
    st.param.b32 [p0], %r1;
    call.uni (r0), twice, (p0);
    ld.param.b32 %r2, [r0];
    }
    ld.global.u32 %r3, [offset];
    add.u32 %r4, %r2, %r3;
    st.global.u32 [%d2], %r4;
    ret;
})";

static const char second[] = HEAD R"(
.global .align 4 .u32 hidden = 100;
.visible .global .align 4 .u32 offset = 1000;
.visible .func (.param .b32 r) twice(.param .b32 p) {
    .reg .b32 %r<4>;
    ld.param.b32 %r1, [p];
    ld.global.u32 %r2, [hidden];
    add.u32 %r3, %r1, %r1;
    add.u32 %r3, %r3, %r2;
    st.param.b32 [r], %r3;
    ret;
}
.visible .entry other() { ret; })";

static int run(CUfunction f)
{
    CUdeviceptr p;
    int         h = -1;
    CU(cuMemAlloc(&p, 4));
    void *args[] = {&p};
    CU(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, args, nullptr));
    CU(cuMemcpyDtoH(&h, p, 4));
    CU(cuMemFree(p));
    return h;
}

int main()
{
    CUdevice   device;
    CUcontext  context;
    CUmodule   module;
    CUfunction f;
    CHECK(cuModuleLoadData(&module, first) == CUDA_ERROR_NOT_INITIALIZED);
    CU(cuInit(0));
    CU(cuDeviceGet(&device, 0));
    CHECK(cuModuleLoadData(&module, first) == CUDA_ERROR_INVALID_CONTEXT);
    CU(cuDevicePrimaryCtxRetain(&context, device));
    CU(cuCtxSetCurrent(context));

    char          log[512] = "untouched", info[64] = "untouched";
    CUjit_option  options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_INFO_LOG_BUFFER,
                               CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_MAX_REGISTERS};
    void         *values[] = {log, (void *)sizeof log, info, (void *)sizeof info, (void *)32};
    CUlinkState   link;
    void         *cubin;
    size_t        bytes;
    CU(cuLinkCreate(5, options, values, &link));
    CU(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)first, sizeof first, "first", 0, nullptr, nullptr));
    CU(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)second, sizeof second, "second", 0, nullptr, nullptr));
    CU(cuLinkComplete(link, &cubin, &bytes));
    CHECK(bytes > 100 && log[0] == 0 && values[1] == nullptr);
    CU(cuModuleLoadData(&module, cubin));
    CU(cuLinkDestroy(link));
    CHECK(cuLinkDestroy(link) == CUDA_ERROR_INVALID_HANDLE);
    CU(cuModuleGetFunction(&f, module, "kernel"));
    CHECK(run(f) == 1106);
    unsigned n = 0;
    CU(cuModuleGetFunctionCount(&n, module));
    CHECK(n == 2);
    CUfunction list[2];
    const char *name;
    CU(cuModuleEnumerateFunctions(list, 2, module));
    CU(cuFuncGetName(&name, list[1]));
    CHECK(!strcmp(name, "other"));
    CHECK(cuModuleGetFunction(&f, module, "nothing") == CUDA_ERROR_NOT_FOUND);
    CU(cuModuleUnload(module));
    CHECK(cuModuleUnload(module) == CUDA_ERROR_INVALID_HANDLE);

    /* two definitions, PTX that is wrong: the message is in the buffer */
    values[1] = (void *)sizeof log;
    CU(cuLinkCreate(2, options, values, &link));
    CU(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)second, sizeof second, "a", 0, nullptr, nullptr));
    CHECK(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)second, sizeof second, "b", 0, nullptr, nullptr) == CUDA_ERROR_INVALID_SOURCE);
    CHECK(cuLinkComplete(link, &cubin, &bytes) == CUDA_ERROR_INVALID_SOURCE);
    CHECK(strstr(log, "defined in a and in b") && (size_t)values[1] == strlen(log));
    CU(cuLinkDestroy(link));
    values[1] = (void *)sizeof log;
    CHECK(cuModuleLoadDataEx(&module, HEAD ".visible .entry k() { not an instruction; }", 2, options, values) ==
          CUDA_ERROR_INVALID_PTX);
    CHECK(strstr(log, "error") && values[1] != nullptr);
    CU(cuLinkCreate(0, nullptr, nullptr, &link));
    CHECK(cuLinkAddFile(link, CU_JIT_INPUT_PTX, "/nowhere.ptx", 0, nullptr, nullptr) == CUDA_ERROR_FILE_NOT_FOUND);
    CHECK(cuLinkAddData(link, CU_JIT_INPUT_CUBIN, (void *)first, 4, "c", 0, nullptr, nullptr) ==
          CUDA_ERROR_NO_BINARY_FOR_GPU);
    CU(cuLinkDestroy(link));

    /* libraries */
    CUlibrary   library;
    CUkernel    kernel, all[4];
    CUdeviceptr p;
    size_t      at, size;
    CU(cuLibraryLoadData(&library, second, nullptr, nullptr, 0, nullptr, nullptr, 0));
    CU(cuLibraryGetKernel(&kernel, library, "other"));
    CU(cuLibraryGetKernelCount(&n, library));
    CHECK(n == 1);
    CU(cuLibraryEnumerateKernels(all, 4, library));
    CHECK(all[0] == kernel);
    CU(cuLibraryGetGlobal(&p, &bytes, library, "offset"));
    int h = 0;
    CU(cuMemcpyDtoH(&h, p, 4));
    CHECK(bytes == 4 && h == 1000);
    CHECK(cuLibraryGetManaged(&p, &bytes, library, "offset") == CUDA_ERROR_NOT_FOUND);
    CHECK(cuLibraryGetGlobal(&p, &bytes, library, "none") == CUDA_ERROR_NOT_FOUND);
    CU(cuKernelGetFunction(&f, kernel));
    CU(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    CU(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    CU(cuKernelGetName(&name, kernel));
    CHECK(!strcmp(name, "other"));
    int threads;
    CU(cuKernelGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, device));
    CHECK(threads == 1024);
    CHECK(cuKernelGetParamInfo(kernel, 0, &at, &size) == CUDA_ERROR_INVALID_VALUE);
    CU(cuLibraryGetModule(&module, library));
    CU(cuModuleGetFunction(&f, module, "other"));
    CU(cuCtxSynchronize());
    CU(cuLibraryUnload(library));
    CHECK(cuLibraryUnload(library) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr) == CUDA_ERROR_INVALID_HANDLE);
    return passed();
}
