/* SPDX-License-Identifier: Apache-2.0
 *
 * Sizes whose products wrap, lists that are announced and not there, folders and devices for files: each is refused, and nothing is written.
 * (tests/calls has every entry point with every argument at its extremes; here are those where the wild part is inside a structure, or
 * several arguments together make it.) */
#include <cuda.h>
#include <fcntl.h>
#include <unistd.h>

#include "check.h"

static const size_t HUGE_ = ~(size_t)0;

__global__ void nothing(int *p) { (void)p; }

static char *memory, *other;

static bool untouched()
{
    static char host[8192];
    OK(cudaMemcpy(host, memory, 4096, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(host + 4096, other, 4096, cudaMemcpyDeviceToHost));
    for (char c : host)
        if (c != 7)
            return false;
    return true;
}

static void sets()
{
    CUdeviceptr d = (CUdeviceptr)memory;
    CHECK(cuMemsetD32(d, 1, ((size_t)1 << 62) + 16) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemsetD32(d, 1, ((size_t)1 << 62) + 1) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemsetD16(d, 1, ((size_t)1 << 63) + 2) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemsetD16Async(d, 1, ((size_t)1 << 63) + 2, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemsetD2D8(d, (size_t)1 << 62, 1, 8, 5) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemsetD2D32(d, 64, 1, ((size_t)1 << 62) + 4, 2) == CUDA_ERROR_INVALID_VALUE);
    FAILS(cudaMemset2D(memory, (size_t)1 << 62, 0, 8, 5), cudaErrorInvalidValue);
    FAILS(cudaMemset2D(memory, HUGE_, 0, 8, HUGE_), cudaErrorInvalidValue);
    FAILS(cudaMemset3D(make_cudaPitchedPtr(memory, 64, 64, (size_t)1 << 58), 0, make_cudaExtent(8, 1, 17)), cudaErrorInvalidValue);
    FAILS(cudaMemset3D(make_cudaPitchedPtr(memory, 64, 64, 0), 0, make_cudaExtent(8, 1, HUGE_)), cudaErrorInvalidValue);
    CHECK(untouched());
}

static void copies()
{
    static char host[4096];
    FAILS(cudaMemcpy2D(memory, (size_t)1 << 63, host, 8, 8, 3, cudaMemcpyDefault), cudaErrorInvalidValue);
    FAILS(cudaMemcpy2D(memory + 512, (size_t)-256, host, 8, 8, 2, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    FAILS(cudaMemcpy2D(host, HUGE_, memory, 8, 8, 2, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    FAILS(cudaMemcpy2D(memory, 8, host, 8, 8, HUGE_, cudaMemcpyDefault), cudaErrorInvalidValue);
    FAILS(cudaMemcpy(memory, host, HUGE_, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    FAILS(cudaMemcpy(host, host + 8, HUGE_, cudaMemcpyHostToHost), cudaErrorInvalidValue);
    cudaMemcpy3DParms m = {};
    m.srcPtr            = make_cudaPitchedPtr(host, (size_t)1 << 32, 8, (size_t)1 << 31);
    m.dstPtr            = make_cudaPitchedPtr(memory, (size_t)1 << 32, 8, (size_t)1 << 31);
    m.extent            = make_cudaExtent(8, 1, 3);
    m.kind              = cudaMemcpyHostToDevice;
    FAILS(cudaMemcpy3D(&m), cudaErrorInvalidValue);
    m.srcPtr.ysize = m.dstPtr.ysize = 0;
    m.extent.depth                  = HUGE_;
    FAILS(cudaMemcpy3D(&m), cudaErrorInvalidValue);
    m.extent.depth = 1;
    m.srcPos.z     = HUGE_;
    m.srcPos.y     = HUGE_;
    m.srcPtr.ysize = HUGE_;
    FAILS(cudaMemcpy3D(&m), cudaErrorInvalidValue);
    CUDA_MEMCPY2D c = {};
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.srcHost       = host;
    c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    c.dstDevice     = (CUdeviceptr)memory;
    c.WidthInBytes = c.Height = HUGE_;
    CHECK(cuMemcpy2D(&c) == CUDA_ERROR_INVALID_VALUE);
    c.WidthInBytes = 8;
    c.Height       = 4;
    c.srcPitch     = 16;
    c.dstPitch     = HUGE_;
    CHECK(cuMemcpy2D(&c) == CUDA_ERROR_INVALID_VALUE);
    CHECK(untouched());
}

static void allocations()
{
    void          *p;
    size_t         pitch;
    cudaPitchedPtr out;
    CUdeviceptr    d;
    FAILS(cudaMallocPitch(&p, &pitch, HUGE_, 2), cudaErrorMemoryAllocation);
    FAILS(cudaMallocPitch(&p, &pitch, (size_t)1 << 62, 4), cudaErrorMemoryAllocation);
    FAILS(cudaMalloc3D(&out, make_cudaExtent((size_t)1 << 40, (size_t)1 << 20, (size_t)1 << 10)), cudaErrorMemoryAllocation);
    CHECK(cuMemAllocPitch(&d, &pitch, (size_t)1 << 62, 4, 4) == CUDA_ERROR_OUT_OF_MEMORY);
    CHECK(cuMemAddressReserve(&d, ~(size_t)0 & ~((size_t)(2 << 20) - 1), 0, 0, 0) == CUDA_ERROR_OUT_OF_MEMORY);
}

static void lists()
{
    cudaLaunchConfig_t l = {};
    int               *p = NULL;
    void              *args[] = {&p};
    l.gridDim = l.blockDim = dim3(1);
    l.numAttrs             = 1u << 31;
    FAILS(cudaLaunchKernelExC(&l, (const void *)nothing, args), cudaErrorInvalidValue);
    CUfunction     f;
    CUlaunchConfig c = {};
    OK(cudaGetFuncBySymbol(&f, (const void *)nothing));
    c.gridDimX = c.gridDimY = c.gridDimZ = c.blockDimX = c.blockDimY = c.blockDimZ = 1;
    c.numAttrs                                                                     = 1u << 31;
    CHECK(cuLaunchKernelEx(&c, f, args, NULL) == CUDA_ERROR_INVALID_VALUE);
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, NULL, CU_LAUNCH_PARAM_BUFFER_SIZE, NULL, CU_LAUNCH_PARAM_END};
    CHECK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, NULL, extra) == CUDA_ERROR_INVALID_VALUE);
}

/* As on a card, which says out of memory for a folder. */
static void files()
{
    CUmodule    m;
    CUlinkState s;
    char        name[] = "/tmp/wildXXXXXX";
    CHECK(cuModuleLoad(&m, ".") == CUDA_ERROR_OUT_OF_MEMORY);
    CHECK(cuModuleLoad(&m, "/dev/zero") == CUDA_ERROR_INVALID_IMAGE);
    CHECK(cuModuleLoad(&m, "/dev/null") == CUDA_ERROR_INVALID_IMAGE);
    CHECK(cuModuleLoad(&m, "/nothing/there") == CUDA_ERROR_FILE_NOT_FOUND);
    CU(cuLinkCreate(0, NULL, NULL, &s));
    CHECK(cuLinkAddFile(s, CU_JIT_INPUT_PTX, ".", 0, NULL, NULL) == CUDA_ERROR_OUT_OF_MEMORY);
    CHECK(cuLinkAddFile(s, CU_JIT_INPUT_PTX, "/dev/zero", 0, NULL, NULL) == CUDA_ERROR_INVALID_IMAGE);
    CU(cuLinkDestroy(s));
    /* a fat binary's wrapper, whose pointer means nothing in a file; an ELF file of five bytes; a fat binary that names a long header */
    const unsigned wrapper[6] = {0x466243b1, 1, 8, 0}, fat[4] = {0xba55ed50, 0xfff00001, 16, 0};
    for (const void *bytes : {(const void *)wrapper, (const void *)"\177ELF", (const void *)fat}) {
        int fd = mkstemp(name);
        CHECK(fd >= 0 && write(fd, bytes, bytes == wrapper ? 24 : bytes == fat ? 16 : 5) > 0);
        close(fd);
        CHECK(cuModuleLoad(&m, name) != CUDA_SUCCESS);
        unlink(name);
        strcpy(name, "/tmp/wildXXXXXX");
    }
}

int main()
{
    CU(cuInit(0));
    OK(cudaMalloc(&memory, 4096));
    OK(cudaMalloc(&other, 4096));
    OK(cudaMemset(memory, 7, 4096));
    OK(cudaMemset(other, 7, 4096));
    sets();
    copies();
    allocations();
    lists();
    files();
    return passed();
}
