/* SPDX-License-Identifier: Apache-2.0
 *
 * What belongs to a context ends with it, and a descriptor that stands for something else is no pool and no memory: each answer as read on an
 * H200. */
#include <cuda.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

#define GONE CUDA_ERROR_CONTEXT_IS_DESTROYED

static const char text[] = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(){ret;}";

static void nothing(void *) {}

#if CUDA_VERSION >= 13000
static CUresult create(CUcontext *c) { return cuCtxCreate(c, NULL, 0, 0); }
#else
static CUresult create(CUcontext *c) { return cuCtxCreate(c, 0, 0); }
#endif

static void contexts()
{
    CUcontext   a, b, x;
    CUstream    s, t;
    CUevent     e;
    CUdeviceptr d, kept;
    CUmodule    m;
    CUfunction  f;
    unsigned    flags;
    CU(create(&a));
    CU(create(&b));
    CU(cuCtxSetCurrent(a));
    CU(cuStreamCreate(&s, 0));
    CU(cuEventCreate(&e, 0));
    CU(cuMemAlloc(&d, 64));
    CU(cuModuleLoadData(&m, text));
    CU(cuModuleGetFunction(&f, m, "k"));
    CU(cuCtxSetCurrent(b));
    CU(cuStreamCreate(&t, 0));
    CU(cuMemAlloc(&kept, 64));
    CU(cuCtxDestroy(a));
    CHECK(cuStreamSynchronize(s) == GONE && cuStreamQuery(s) == GONE);
    CHECK(cuEventQuery(e) == GONE && cuEventRecord(e, s) == GONE && cuEventRecord(e, 0) == GONE);
    CHECK(cuStreamWaitEvent(s, e, 0) == GONE && cuStreamWaitEvent(t, e, 0) == GONE);
    CHECK(cuMemcpyHtoDAsync(kept, "abcd", 4, s) == GONE && cuMemsetD8Async(kept, 0, 4, s) == GONE);
    CHECK(cuLaunchHostFunc(s, nothing, NULL) == GONE);
    CHECK(cuStreamGetFlags(s, &flags) == GONE && cuStreamGetCtx(s, &x) == GONE);
    CHECK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED) == GONE);
    CHECK(cuStreamDestroy(s) == GONE && cuEventDestroy(e) == GONE);
    CHECK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuModuleUnload(m) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuMemFree(d) == CUDA_ERROR_INVALID_VALUE);
    CU(cuMemsetD8Async(kept, 0, 64, t));
    CU(cuStreamSynchronize(t));
    CU(cuCtxPopCurrent(&x));
    CHECK(x == b && cuCtxPopCurrent(&x) == CUDA_SUCCESS && x == a);
    /* not read on a card: a maintainer of cuda-python says that the driver finds the context by the pointer */
    CHECK(cuMemAlloc(&d, 64) == CUDA_ERROR_INVALID_CONTEXT && cuMemFree(kept) == CUDA_SUCCESS);
    CU(cuCtxPushCurrent(b));
    CHECK(cuMemFree(kept) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuCtxDestroy(a) == GONE);
    CU(cuCtxSetCurrent(a));
    CHECK(cuCtxSynchronize() == GONE && cuMemAlloc(&d, 64) == GONE);
    CU(cuCtxSetCurrent(b));
    CU(cuCtxDestroy(b));
}

static CUresult import_memory(int fd)
{
    CUmemGenericAllocationHandle h;
    return cuMemImportFromShareableHandle(&h, (void *)(size_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
}

static cudaError_t import_pool(int fd)
{
    cudaMemPool_t pool;
    return cudaMemPoolImportFromShareableHandle(&pool, (void *)(size_t)fd, cudaMemHandleTypePosixFileDescriptor, 0);
}

static void descriptors()
{
    int pipes[2], file = open("/proc/self/exe", O_RDONLY), null = open("/dev/null", O_RDWR), of_memory, of_pool, mem = memfd_create("x", 0);
    CHECK(pipe(pipes) == 0 && ftruncate(mem, 2 << 20) == 0);
    for (int fd : {999, null, file, mem, pipes[0], -1}) {
        FAILS(import_pool(fd), cudaErrorUnknown);
        CHECK(import_memory(fd) == CUDA_ERROR_UNKNOWN);
    }
    FAILS(import_pool(0), cudaErrorInvalidValue);
    CHECK(import_memory(0) == CUDA_ERROR_INVALID_VALUE);
    CUmemAllocationProp p             = {};
    CUmemGenericAllocationHandle h;
    p.type                            = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.location                        = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    p.requestedHandleTypes            = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    cudaMemPoolProps props            = {};
    cudaMemPool_t    pool;
    props.allocType                   = cudaMemAllocationTypePinned;
    props.handleTypes                 = cudaMemHandleTypePosixFileDescriptor;
    props.location                    = {cudaMemLocationTypeDevice, 0};
    CU(cuMemCreate(&h, 2 << 20, &p, 0));
    CU(cuMemExportToShareableHandle(&of_memory, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    OK(cudaMemPoolCreate(&pool, &props));
    OK(cudaMemPoolExportToShareableHandle(&of_pool, pool, cudaMemHandleTypePosixFileDescriptor, 0));
    FAILS(import_pool(of_memory), cudaErrorNotSupported);
    CHECK(import_memory(of_pool) == CUDA_ERROR_NOT_SUPPORTED);
    OK(import_pool(of_pool));
    CU(import_memory(of_memory));
}

int main()
{
    CU(cuInit(0));
    contexts();
    OK(cudaFree(0));
    descriptors();
    return passed();
}
