/* SPDX-License-Identifier: Apache-2.0
 *
 * Modules, libraries, the linker, and contexts of the driver interface. */
#include "parity.h"

#include <string>

static const char good[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                           ".visible .global .u32 bias = 5;\n.visible .const .u32 fixed[4];\n"
                           ".visible .entry one(.param .u32 n)\n{\nret;\n}\n"
                           ".visible .entry two(.param .u64 p, .param .align 8 .b8 s[24])\n{\nret;\n}\n";
static const char calls[] = ".version 7.0\n.target sm_70\n.address_size 64\n.extern .func nowhere();\n"
                            ".visible .entry one()\n{\ncall.uni nowhere, ();\nret;\n}\n";

static void begin()
{
    cudaFree(nullptr);
}

DEFINE(modules_images)
{
    begin();
    CUmodule m = {};
    R(D(cuModuleLoadData)(&m, good));
    R(D(cuModuleLoadData)(&m, nullptr));
    R(D(cuModuleLoadData)(nullptr, good));
    R(D(cuModuleLoadData)(&m, ""));
    R(D(cuModuleLoadData)(&m, "garbage that is no image at all, whatever one takes it for"));
    R(D(cuModuleLoadData)(&m, std::string(good, sizeof good - 12).c_str()));
    R(D(cuModuleLoadData)(&m, (std::string(good) + ".visible .entry bad() { add.u99 %r1; }").c_str()));
    R(D(cuModuleLoadData)(&m, ".version 7.0\n.target sm_70\n.address_size 64\n"));
    R(D(cuModuleLoadData)(&m, ".version 99.0\n.target sm_70\n.address_size 64\n"));
    R(D(cuModuleLoadData)(&m, ".version 7.0\n.target sm_999\n.address_size 64\n"));
    R(D(cuModuleLoadData)(&m, ".version 8.8\n.target sm_120\n.address_size 64\n.visible .entry k() { ret; }"));
    R(D(cuModuleLoadData)(&m, calls));
    unsigned char elf[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
    R(D(cuModuleLoadData)(&m, elf));
    unsigned char fat[256] = {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0};
    R(D(cuModuleLoadData)(&m, fat));
    fat[8] = 64;
    R(D(cuModuleLoadData)(&m, fat));
    R(D(cuModuleLoadFatBinary)(&m, fat));
    R(D(cuModuleLoad)(&m, "/nowhere/at/all.ptx"));
    R(D(cuModuleLoad)(&m, nullptr));
    R(D(cuModuleLoad)(&m, "/dev/null"));
    R(cudaGetLastError());
}

DEFINE(modules_contents)
{
    begin();
    CUmodule    m = {};
    CUfunction  f = {};
    CUdeviceptr p = {};
    size_t      n = 0;
    R(D(cuModuleLoadData)(&m, good));
    R(D(cuModuleGetFunction)(&f, m, "none"));
    R(D(cuModuleGetFunction)(&f, m, nullptr));
    R(D(cuModuleGetFunction)(nullptr, m, "one"));
    R(D(cuModuleGetGlobal)(&p, &n, m, "bias"));
    V(n);
    R(D(cuModuleGetGlobal)(&p, &n, m, "fixed"));
    V(n);
    R(D(cuModuleGetGlobal)(&p, &n, m, "none"));
    R(D(cuModuleGetGlobal)(nullptr, nullptr, m, "bias"));
    R(D(cuModuleGetGlobal)(&p, nullptr, m, nullptr));
    unsigned count = 0;
    R(D(cuModuleGetFunctionCount)(&count, m));
    V(count);
    R(D(cuModuleGetFunction)(&f, m, "one"));
    int   v      = 0;
    void *args[] = {&v};
    R(D(cuLaunchKernel)(f, 1, 1, 1, 1, 1, 1, 0, nullptr, args, nullptr));
    R(D(cuLaunchKernel)(f, 0, 1, 1, 1, 1, 1, 0, nullptr, args, nullptr));
    R(D(cuLaunchKernel)(f, 1, 1, 1, 1025, 1, 1, 0, nullptr, args, nullptr));
    R(D(cuLaunchKernel)(f, 1, 1, 1, 0, 1, 1, 0, nullptr, args, nullptr));
    R(D(cuLaunchKernel)(f, 1, 1, 1, 1, 1, 65, 0, nullptr, args, nullptr));
    R(D(cuLaunchKernel)(f, 1, 65536, 1, 1, 1, 1, 0, nullptr, args, nullptr));
    R(D(cuLaunchKernel)(f, 1, 1, 1, 1, 1, 1, 49153, nullptr, args, nullptr));
    R(D(cuLaunchKernel)(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, args, nullptr));
    R(D(cuLaunchKernel)(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    size_t bytes   = 4;
    void  *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &v, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    R(D(cuLaunchKernel)(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
    R(D(cuLaunchKernel)(f, 1, 1, 1, 1, 1, 1, 0, nullptr, args, extra));
    bytes = 2;
    R(D(cuLaunchKernel)(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
    bytes = 16;
    R(D(cuLaunchKernel)(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
    R(D(cuLaunchCooperativeKernel)(f, 1, 1, 1, 1, 1, 1, 0, nullptr, args));
    R(D(cuLaunchCooperativeKernel)(f, 100000, 1, 1, 1024, 1, 1, 0, nullptr, args));
    R(D(cuFuncSetAttribute)(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 232448));
    R(D(cuFuncSetAttribute)(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 232449));
    R(D(cuFuncSetAttribute)(f, CU_FUNC_ATTRIBUTE_NUM_REGS, 1));
    R(D(cuFuncSetAttribute)(f, (CUfunction_attribute)99, 1));
    R(D(cuFuncSetCacheConfig)(f, (CUfunc_cache)9));
    for (int i = 0; i < 17; i++) {
        int      a = -1;
        CUresult e = D(cuFuncGetAttribute)(&a, (CUfunction_attribute)i, f);
        printf("attribute %d\t%s %d\n", i, code_name(e), i == CU_FUNC_ATTRIBUTE_NUM_REGS ? 0 : a);
    }
    size_t offset = {}, size = {};
    R(D(cuModuleGetFunction)(&f, m, "two"));
    R(D(cuFuncGetParamInfo)(f, 1, &offset, &size));
    V(offset);
    V(size);
    R(D(cuFuncGetParamInfo)(f, 2, &offset, &size));
    CUmodule back = nullptr;
    R(D(cuFuncGetModule)(&back, f));
    V(back == m);
    CUfunctionLoadingState state = {};
    R(D(cuFuncIsLoaded)(&state, f));
    R(D(cuFuncLoad)(f));
    R(D(cuFuncIsLoaded)(&state, f));
    V(state);
    CUmoduleLoadingMode mode = {};
    R(D(cuModuleGetLoadingMode)(&mode));
    V(mode);
    R(D(cuModuleUnload)(m));
    R(D(cuModuleUnload)(nullptr));
}

DEFINE(linking)
{
    begin();
    CUlinkState l = {};
    void       *cubin;
    size_t      n = {};
    R(D(cuLinkCreate)(0, nullptr, nullptr, &l));
    R(D(cuLinkCreate)(0, nullptr, nullptr, nullptr));
    R(D(cuLinkAddData)(l, CU_JIT_INPUT_PTX, (void *)"nonsense", 9, "n", 0, nullptr, nullptr));
    R(D(cuLinkAddData)(l, CU_JIT_INPUT_PTX, nullptr, 9, "n", 0, nullptr, nullptr));
    R(D(cuLinkAddData)(l, (CUjitInputType)99, (void *)good, sizeof good, "n", 0, nullptr, nullptr));
    R(D(cuLinkAddFile)(l, CU_JIT_INPUT_PTX, "/nowhere/at/all.ptx", 0, nullptr, nullptr));
    R(D(cuLinkAddData)(l, CU_JIT_INPUT_PTX, (void *)good, sizeof good, "n", 0, nullptr, nullptr));
    R(D(cuLinkComplete)(l, &cubin, &n));
    R(D(cuLinkDestroy)(l));
    R(D(cuLinkCreate)(0, nullptr, nullptr, &l));
    R(D(cuLinkComplete)(l, &cubin, &n));
    R(D(cuLinkCreate)(0, nullptr, nullptr, &l));
    R(D(cuLinkAddData)(l, CU_JIT_INPUT_PTX, (void *)calls, sizeof calls, "c", 0, nullptr, nullptr));
    R(D(cuLinkComplete)(l, &cubin, &n));
    R(D(cuLinkCreate)(0, nullptr, nullptr, &l));
    R(D(cuLinkAddData)(l, CU_JIT_INPUT_PTX, (void *)good, sizeof good, "a", 0, nullptr, nullptr));
    R(D(cuLinkAddData)(l, CU_JIT_INPUT_PTX, (void *)good, sizeof good, "b", 0, nullptr, nullptr));
    R(D(cuLinkComplete)(l, &cubin, &n));
}

DEFINE(libraries)
{
    begin();
    cudaLibrary_t l;
    cudaKernel_t  k;
    void         *p;
    size_t        n = {};
    R(cudaLibraryLoadData(&l, "nonsense", nullptr, nullptr, 0, nullptr, nullptr, 0));
    R(cudaLibraryLoadData(&l, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0));
    R(cudaLibraryLoadData(nullptr, good, nullptr, nullptr, 0, nullptr, nullptr, 0));
    R(cudaLibraryLoadFromFile(&l, "/nowhere/at/all.ptx", nullptr, nullptr, 0, nullptr, nullptr, 0));
    R(cudaLibraryLoadData(&l, good, nullptr, nullptr, 0, nullptr, nullptr, 0));
    R(cudaLibraryGetKernel(&k, l, "none"));
    R(cudaLibraryGetKernel(&k, l, "one"));
    R(cudaLibraryGetGlobal(&p, &n, l, "bias"));
    V(n);
    R(cudaLibraryGetGlobal(&p, &n, l, "none"));
    R(cudaLibraryGetManaged(&p, &n, l, "bias"));
    R(cudaLibraryGetUnifiedFunction(&p, l, "none"));
    unsigned count = 0;
    R(cudaLibraryGetKernelCount(&count, l));
    V(count);
    int   v      = 0;
    void *args[] = {&v};
    R(cudaLaunchKernel((const void *)k, 1, 1, args, 0, 0));
    R(cudaKernelSetAttributeForDevice(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 1000, 0));
    R(cudaKernelSetAttributeForDevice(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 1000, 9));
    R(cudaLibraryUnload(l));
    R(cudaLibraryUnload(nullptr));
    R(cudaGetLastError());
}

DEFINE(driver_before)
{
    int       n = {};
    CUdevice  d = {};
    CUcontext c = {};
    void     *p;
    R(D(cuDeviceGetCount)(&n));
    R(D(cuDeviceGet)(&d, 0));
    R(D(cuCtxGetCurrent)(&c));
    R(D(cuMemAlloc)((CUdeviceptr *)&p, 4));
    R(D(cuCtxSynchronize)());
    R(D(cuDriverGetVersion)(&n));
    R(D(cuDriverGetVersion)(nullptr));
    R(D(cuInit)(1));
    R(D(cuDeviceGetCount)(&n));
    R(D(cuInit)(0));
    R(D(cuDeviceGetCount)(&n));
    R(D(cuDeviceGetCount)(nullptr));
    R(D(cuDeviceGet)(&d, 9));
    R(D(cuDeviceGet)(&d, -1));
    R(D(cuDeviceGet)(nullptr, 0));
    R(D(cuMemAlloc)((CUdeviceptr *)&p, 4));
    R(D(cuCtxSynchronize)());
    R(D(cuCtxGetCurrent)(&c));
    V(c == nullptr);
    R(D(cuCtxGetDevice)(&d));
    R(D(cuCtxSetCurrent)((CUcontext) nullptr));
    R(D(cuCtxPopCurrent)(&c));
    unsigned flags = 9;
    int      active = 9;
    R(D(cuDevicePrimaryCtxGetState)(0, &flags, &active));
    V(active);
    R(D(cuDevicePrimaryCtxRelease)(0));
    R(D(cuDevicePrimaryCtxRetain)(&c, 0));
    R(D(cuDevicePrimaryCtxGetState)(0, &flags, &active));
    V(active);
    R(D(cuMemAlloc)((CUdeviceptr *)&p, 4));
    R(D(cuCtxPushCurrent)(c));
    R(D(cuMemAlloc)((CUdeviceptr *)&p, 4));
    R(D(cuCtxPopCurrent)(nullptr));
    R(D(cuDevicePrimaryCtxRelease)(0));
    R(D(cuDevicePrimaryCtxGetState)(0, &flags, &active));
    V(active);
}
DEFINE(driver_after_runtime)
{
    int         n = {};
    CUcontext   c = nullptr, primary = nullptr;
    CUdeviceptr p = {};
    R(cudaGetDeviceCount(&n));
    R(D(cuDeviceGetCount)(&n));
    R(D(cuCtxGetCurrent)(&c));
    V(c == nullptr);
    R(D(cuMemAlloc)(&p, 4));
    R(cudaFree(nullptr));
    R(D(cuCtxGetCurrent)(&c));
    R(D(cuMemAlloc)(&p, 4));
    R(D(cuDevicePrimaryCtxRetain)(&primary, 0));
    V(c == primary);
    R(cudaFree((void *)p));
    unsigned v = 0;
    R(D(cuCtxGetApiVersion)(c, &v));
    V(v);
    R(D(cuCtxGetFlags)(&v));
    V(v);
}
DEFINE(driver_set_device)
{
    CUcontext c = nullptr;
    R(cudaSetDevice(0));
    R(D(cuCtxGetCurrent)(&c));
    V(c != nullptr);
}
DEFINE(driver_contexts)
{
    CUcontext          a = {}, b = {}, c = {};
    CUdevice           d = {};
    CUdeviceptr        p = {};
    unsigned long long x = {}, y = {};
    R(D(cuInit)(0));
    R(D(cuCtxCreate)(&a, nullptr, 0, 0));
    R(D(cuCtxCreate)(&b, nullptr, 0x1000, 0));
    R(D(cuCtxCreate)(&b, nullptr, 0, 9));
    R(D(cuCtxCreate)(nullptr, nullptr, 0, 0));
    R(D(cuCtxCreate)(&b, nullptr, CU_CTX_SCHED_YIELD, 0));
    R(D(cuCtxGetCurrent)(&c));
    V(c == b);
    R(D(cuCtxGetDevice)(&d));
    V(d);
    R(D(cuCtxGetId)(a, &x));
    R(D(cuCtxGetId)(b, &y));
    V(x != y);
    unsigned v = 0;
    R(D(cuCtxGetFlags)(&v));
    V(v);
    R(D(cuCtxSetFlags)(0));
    R(D(cuCtxGetApiVersion)(b, &v));
    V(v);
    R(D(cuMemAlloc)(&p, 4));
    R(D(cuCtxPopCurrent)(&c));
    V(c == b);
    R(D(cuCtxGetCurrent)(&c));
    V(c == a);
    R(D(cuMemFree)(p));
    R(D(cuCtxPushCurrent)(b));
    R(D(cuCtxDestroy)(a));
    R(D(cuCtxPopCurrent)(&c));
    R(D(cuCtxGetCurrent)(&c));
    R(D(cuCtxSynchronize)());
    R(D(cuCtxDestroy)(b));
    R(D(cuCtxGetCurrent)(&c));
    V(c == nullptr);
    R(D(cuCtxDestroy)(nullptr));
    R(D(cuCtxPushCurrent)(nullptr));
    R(D(cuCtxPopCurrent)(&c));
    R(D(cuCtxSynchronize)());
    int n = {};
    R(cudaGetDevice(&n));
    R(cudaFree(nullptr));
}
