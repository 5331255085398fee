/* SPDX-License-Identifier: Apache-2.0
 *
 * A profile binds: what a program is told of a T4, and what it is refused there.
 * options: --profile t4
 * arch: 75
 * nvcc: -gencode arch=compute_90,code=compute_90
 * varies: its blocks race */
#include "check.h"

extern __shared__ int dynamic[];

__global__ void where(unsigned *out)
{
    unsigned n, smid, warps;
    asm volatile("mov.u32 %0, %%nsmid;" : "=r"(n));
    asm volatile("mov.u32 %0, %%smid;" : "=r"(smid));
    asm volatile("mov.u32 %0, %%nwarpid;" : "=r"(warps));
    atomicMax(out, smid);
    out[1] = n;
    out[2] = warps;
}

__global__ void compiled_for(int *out)
{
#ifdef __CUDA_ARCH__
    *out = __CUDA_ARCH__;
#endif
}

__global__ void uses(int *out)
{
    dynamic[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = dynamic[threadIdx.x];
}

static void figures()
{
    cudaDeviceProp p;
    int            value = 0;
    OK(cudaGetDeviceProperties(&p, 0));
    CHECK(strstr(p.name, "Tesla T4"));
    CHECK(p.major == 7 && p.minor == 5 && p.multiProcessorCount == 40);
    CHECK(p.totalGlobalMem == (size_t)16 << 30 && p.l2CacheSize == 4 << 20 && p.memoryBusWidth == 256);
    CHECK(p.sharedMemPerBlock == 49152 && p.sharedMemPerBlockOptin == 65536 && p.sharedMemPerMultiprocessor == 65536);
    CHECK(p.maxThreadsPerMultiProcessor == 1024 && p.maxBlocksPerMultiProcessor == 16 && p.reservedSharedMemPerBlock == 0);
    CHECK(p.regsPerMultiprocessor == 65536 && p.cooperativeLaunch && p.ECCEnabled && !p.integrated);
    CHECK(p.persistingL2CacheMaxSize == 0 && p.accessPolicyMaxWindowSize == 0);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrClockRate, 0));
    CHECK(value == 1590000);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    CHECK(value == 65536);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMinor, 0));
    CHECK(value == 5);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrClusterLaunch, 0));
    CHECK(value == 0);
    int   major = 0, minor = 0;
    void *capability;
    OK(cudaGetDriverEntryPointByVersion("cuDeviceComputeCapability", &capability, 12000, cudaEnableDefault, NULL));
    CHECK(!((int (*)(int *, int *, int))capability)(&major, &minor, 0) && major == 7 && minor == 5);
    size_t free_bytes = 0, total = 0;
    OK(cudaMemGetInfo(&free_bytes, &total));
    CHECK(total == (size_t)16 << 30);
}

static void shared_memory(int *out)
{
    int blocks = 0;
    FAILS(cudaFuncSetAttribute(uses, cudaFuncAttributeMaxDynamicSharedMemorySize, 65537), cudaErrorInvalidValue);
    uses<<<1, 32, 50000>>>(out);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue); /* it has to be asked for */
    OK(cudaFuncSetAttribute(uses, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
    uses<<<1, 32, 65536>>>(out);
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, uses, 128, 32768));
    CHECK(blocks == 2);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, uses, 128, 0));
    CHECK(blocks == 8);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, uses, 32, 0));
    CHECK(blocks == 16);
}

static void cooperative(int *out)
{
    void *args[] = {&out};
    OK(cudaLaunchCooperativeKernel((void *)uses, dim3(40), dim3(1024), args, 4096, 0));
    FAILS(cudaLaunchCooperativeKernel((void *)uses, dim3(41), dim3(1024), args, 4096, 0),
          cudaErrorCooperativeLaunchTooLarge);
    OK(cudaDeviceSynchronize());
}

static void clusters(int *out)
{
    cudaLaunchConfig_t    c = {};
    cudaLaunchAttribute a = {};
    c.gridDim = c.blockDim = dim3(32);
    c.dynamicSmemBytes     = 256;
    a.id                   = cudaLaunchAttributeClusterDimension;
    a.val.clusterDim.x     = 2;
    a.val.clusterDim.y = a.val.clusterDim.z = 1;
    c.attrs                                 = &a;
    c.numAttrs                              = 1;
    FAILS(cudaLaunchKernelEx(&c, uses, out), cudaErrorInvalidClusterSize);
}

/* Of the texts for 7.5 and 9.0, the one that a T4 takes. */
static void text(int *out)
{
    int arch = 0;
    compiled_for<<<1, 1>>>(out);
    OK(cudaMemcpy(&arch, out, sizeof arch, cudaMemcpyDeviceToHost));
    CHECK(arch == 750);
}

int main()
{
    unsigned *at, got[3];
    int      *out;
    figures();
    OK(cudaMalloc(&at, 12));
    OK(cudaMalloc(&out, 4096));
    OK(cudaMemset(at, 0, 12));
    where<<<100, 1>>>(at);
    OK(cudaMemcpy(got, at, 12, cudaMemcpyDeviceToHost));
    CHECK(got[0] == 39 && got[1] == 40 && got[2] == 32);
    text(out);
    shared_memory(out);
    cooperative(out);
    clusters(out);
    return passed();
}
