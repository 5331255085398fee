/* SPDX-License-Identifier: Apache-2.0
 *
 * A kernel compiled by NVRTC while the program runs, for a virtual and for a real architecture; where the library is not there, the program
 * says so and passes. */
#include <cuda.h>
#include <dlfcn.h>

#include "check.h"

typedef int (*Create)(void **, const char *, const char *, int, const char *const *, const char *const *);
typedef int (*Compile)(void *, int, const char *const *);
typedef int (*Size)(void *, size_t *);
typedef int (*Get)(void *, char *);

static const char source[] = "template <class T> __global__ void scale(T *p, T f) { p[threadIdx.x] *= f; }\n"
                             "extern \"C\" __global__ void add(float *p, float f) { p[threadIdx.x] += f; }\n";

/* What NVRTC has for a real architecture loads and runs as well. */
static void real_architecture(void *lib)
{
    Dl_info info;
    CHECK(dladdr(dlsym(lib, "nvrtcCompileProgram"), &info) && dlopen(info.dli_fname, RTLD_NOW) == lib);
    void       *program;
    size_t      bytes     = 0;
    const char *options[] = {"--gpu-architecture=sm_90"};
    CHECK(((Create)dlsym(lib, "nvrtcCreateProgram"))(&program, source, "source.cu", 0, nullptr, nullptr) == 0);
    CHECK(((Compile)dlsym(lib, "nvrtcCompileProgram"))(program, 1, options) == 0);
    CHECK(((Size)dlsym(lib, "nvrtcGetCUBINSize"))(program, &bytes) == 0 && bytes);
    char *image = (char *)malloc(bytes);
    CHECK(((Get)dlsym(lib, "nvrtcGetCUBIN"))(program, image) == 0);
    CUmodule    module;
    CUfunction  add;
    CUdeviceptr p;
    float       h[32], one = 1;
    void       *args[] = {&p, &one};
    CHECK(cuModuleLoadData(&module, image) == CUDA_SUCCESS);
    CHECK(cuModuleGetFunction(&add, module, "add") == CUDA_SUCCESS);
    CHECK(cuMemAlloc(&p, sizeof h) == CUDA_SUCCESS);
    CHECK(cuMemsetD32(p, 0, 32) == CUDA_SUCCESS);
    CHECK(cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, nullptr, args, nullptr) == CUDA_SUCCESS);
    CHECK(cuMemcpyDtoH(h, p, sizeof h) == CUDA_SUCCESS);
    CHECK(h[0] == 1 && h[31] == 1);
    free(image);
}

int main()
{
    void *lib = dlopen("libnvrtc.so", RTLD_NOW);
    if (!lib)
        lib = dlopen("/usr/local/cuda/lib64/libnvrtc.so", RTLD_NOW);
    if (!lib) {
        puts("no NVRTC here");
        return passed();
    }
    void       *program;
    size_t      bytes;
    const char *options[] = {"--gpu-architecture=compute_90"};
    CHECK(((Create)dlsym(lib, "nvrtcCreateProgram"))(&program, source, "source.cu", 0, nullptr, nullptr) == 0);
    CHECK(((int (*)(void *, const char *))dlsym(lib, "nvrtcAddNameExpression"))(program, "scale<float>") == 0);
    CHECK(((Compile)dlsym(lib, "nvrtcCompileProgram"))(program, 1, options) == 0);
    CHECK(((Size)dlsym(lib, "nvrtcGetPTXSize"))(program, &bytes) == 0);
    char *ptx = (char *)malloc(bytes);
    CHECK(((Get)dlsym(lib, "nvrtcGetPTX"))(program, ptx) == 0);
    const char *lowered;
    CHECK(((int (*)(void *, const char *, const char **))dlsym(lib, "nvrtcGetLoweredName"))(program, "scale<float>", &lowered) == 0);

    CUdevice    device;
    CUcontext   context;
    CUmodule    module;
    CUfunction  scale, add;
    CUdeviceptr p;
    float       h[32], two = 2, one = 1;
    char        log[256] = "";
    CHECK(cuInit(0) == CUDA_SUCCESS);
    CHECK(cuDeviceGet(&device, 0) == CUDA_SUCCESS);
    CHECK(cuCtxCreate(&context, nullptr, 0, device) == CUDA_SUCCESS);
    CUjit_option option[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_LOG_VERBOSE};
    void        *value[]  = {log, (void *)sizeof log, (void *)1};
    CHECK(cuModuleLoadDataEx(&module, ptx, 3, option, value) == CUDA_SUCCESS);
    CHECK(cuModuleGetFunction(&scale, module, lowered) == CUDA_SUCCESS);
    CHECK(cuModuleGetFunction(&add, module, "add") == CUDA_SUCCESS);
    for (int i = 0; i < 32; i++)
        h[i] = (float)i;
    CHECK(cuMemAlloc(&p, sizeof h) == CUDA_SUCCESS);
    CHECK(cuMemcpyHtoD(p, h, sizeof h) == CUDA_SUCCESS);
    void *scale_args[] = {&p, &two}, *add_args[] = {&p, &one};
    CHECK(cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 0, nullptr, scale_args, nullptr) == CUDA_SUCCESS);
    CHECK(cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, nullptr, add_args, nullptr) == CUDA_SUCCESS);
    CHECK(cuMemcpyDtoH(h, p, sizeof h) == CUDA_SUCCESS);
    CHECK(h[31] == 63 && h[0] == 1);
    real_architecture(lib);
    return passed();
}
