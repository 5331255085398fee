/* SPDX-License-Identifier: Apache-2.0
 *
 * What would change what a program sees and is not there is refused and named, never accepted in silence.
 * missing: cuCtxCreate_v4 with CUDA in graphics; core dumps; cudaLaunchAttributeDeviceUpdatableKernelNode */
#include <cuda.h>

#include "check.h"

__global__ void nothing() {}

int main()
{
    CUdevice  d;
    CUcontext c;
    CHECK(cuInit(0) == CUDA_SUCCESS);
    CHECK(cuDeviceGet(&d, 0) == CUDA_SUCCESS);
#if CUDA_VERSION >= 13000
    CUexecAffinityParam part   = {};
    CUctxCigParam       cig    = {};
    CUctxCreateParams   params = {};
    part.type                  = CU_EXEC_AFFINITY_TYPE_SM_COUNT;
    part.param.smCount.val     = 8;
    params.execAffinityParams    = &part;
    params.numExecAffinityParams = 1;
    CHECK(cuCtxCreate(&c, &params, 0, d) == CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
    params           = {};
    params.cigParams = &cig;
    CHECK(cuCtxCreate(&c, &params, 0, d) == CUDA_ERROR_NOT_SUPPORTED);
    CHECK(cuCtxCreate(&c, NULL, CU_CTX_COREDUMP_ENABLE, d) == CUDA_ERROR_NOT_SUPPORTED);
#endif
    CHECK(cuDevicePrimaryCtxSetFlags(d, CU_CTX_USER_COREDUMP_ENABLE) == CUDA_ERROR_NOT_SUPPORTED);
    CHECK(cuDevicePrimaryCtxRetain(&c, d) == CUDA_SUCCESS && cuCtxSetCurrent(c) == CUDA_SUCCESS);

    cudaLaunchAttribute a = {};
    cudaLaunchConfig_t  l = {};
    a.id                  = cudaLaunchAttributeDeviceUpdatableKernelNode;
    a.val.deviceUpdatableKernelNode.deviceUpdatable = 1;
    l.gridDim = l.blockDim = dim3(1);
    l.attrs                = &a;
    l.numAttrs             = 1;
    FAILS(cudaLaunchKernelEx(&l, nothing), cudaErrorNotSupported);
    a.val.deviceUpdatableKernelNode.deviceUpdatable = 0;
    OK(cudaLaunchKernelEx(&l, nothing));
    OK(cudaDeviceSynchronize());
    return passed();
}
