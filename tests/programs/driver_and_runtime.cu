/* SPDX-License-Identifier: Apache-2.0
 *
 * Both interfaces in one program: the runtime starts a device, and its primary context is then the driver interface's current one, in each
 * thread that used the runtime. */
#include <cuda.h>
#include <thread>

#include "check.h"

__global__ void fill(int *p, int v)
{
    p[threadIdx.x] = v;
}

static void other_thread(CUcontext of_main)
{
    CUdevice  d;
    CUcontext c;
    CHECK(cuCtxGetDevice(&d) == CUDA_ERROR_INVALID_CONTEXT);
    OK(cudaFree(nullptr));
    CHECK(cuCtxGetDevice(&d) == CUDA_SUCCESS && d == 0);
    CHECK(cuCtxGetCurrent(&c) == CUDA_SUCCESS && c == of_main);
}

/* A thread that has no context may ask for an event, and for nothing that needs one. */
static void thread_without_context(CUevent e)
{
    CUcontext c;
    CHECK(cuEventQuery(e) == CUDA_SUCCESS);
    CHECK(cuEventSynchronize(e) == CUDA_ERROR_INVALID_CONTEXT);
    CHECK(cuCtxGetCurrent(&c) == CUDA_SUCCESS && !c);
}

static CUcontext context_of(CUdeviceptr p)
{
    CUcontext c = nullptr;
    CHECK(cuPointerGetAttribute(&c, CU_POINTER_ATTRIBUTE_CONTEXT, p) == CUDA_SUCCESS);
    return c;
}

int main()
{
    CUdevice  d;
    CUevent   e;
    CUcontext c = nullptr, retained, own, back;
    int       h[32];
    CHECK(cuCtxGetDevice(&d) == CUDA_ERROR_NOT_INITIALIZED);
    OK(cudaSetDevice(0));
    CHECK(cuCtxGetDevice(&d) == CUDA_SUCCESS && d == 0);
    CHECK(cuCtxGetCurrent(&c) == CUDA_SUCCESS && c);
    CHECK(cuDevicePrimaryCtxRetain(&retained, d) == CUDA_SUCCESS && retained == c);
    CUdeviceptr p, q;
    CHECK(cuMemAlloc(&p, sizeof h) == CUDA_SUCCESS);
    fill<<<1, 32>>>((int *)p, 7);
    CHECK(cuMemcpyDtoH(h, p, sizeof h) == CUDA_SUCCESS);
    CHECK(h[0] == 7 && h[31] == 7);
    std::thread(other_thread, c).join();
    CHECK(cuCtxCreate(&own, nullptr, 0, d) == CUDA_SUCCESS && own != c);
    CHECK(cuMemAlloc(&q, 4) == CUDA_SUCCESS);
    CHECK(context_of(p) == c && context_of(q) == own && cuMemFree(q) == CUDA_SUCCESS);
    CHECK(cuEventCreate(&e, 0) == CUDA_SUCCESS && cuEventRecord(e, nullptr) == CUDA_SUCCESS &&
          cuCtxSynchronize() == CUDA_SUCCESS);
    std::thread(thread_without_context, e).join();
    CHECK(cuEventDestroy(e) == CUDA_SUCCESS);
    OK(cudaFree(nullptr)); /* the program's own context stays */
    CHECK(cuCtxGetCurrent(&back) == CUDA_SUCCESS && back == own);
    CHECK(cuCtxDestroy(own) == CUDA_SUCCESS);
    CHECK(cuCtxGetCurrent(&back) == CUDA_SUCCESS && back == c);
    OK(cudaFree((void *)p));
    return passed();
}
