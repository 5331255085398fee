/* SPDX-License-Identifier: Apache-2.0
 *
 * Launches that cannot be, what a kernel's failure leaves behind, occupancy and attributes of functions. */
#include "parity.h"

static __global__ void nothing() {}
static __global__ void __launch_bounds__(64) bounded() {}
static __global__ void __cluster_dims__(4, 1, 1) clustered() {}
static __global__ void add(int *p, int v) { p[threadIdx.x] += v; }
static __global__ void fixed_shared(int *p)
{
    __shared__ int s[2048];
    s[threadIdx.x] = *p;
    __syncthreads();
    *p = s[threadIdx.x ^ 1];
}
static __global__ void dynamic_shared(int *p)
{
    extern __shared__ int s[];
    s[threadIdx.x] = *p;
    __syncthreads();
    *p = s[threadIdx.x ^ 1];
}

static cudaError_t go(const void *f, dim3 g, dim3 b, size_t shared = 0, cudaStream_t s = 0)
{
    return cudaLaunchKernel(f, g, b, nullptr, shared, s);
}
#define NOTHING ((const void *)nothing)

DEFINE(launch_shapes)
{
    R(go(NOTHING, 0, 32));
    R(cudaPeekAtLastError());
    R(cudaPeekAtLastError());
    R(cudaGetLastError());
    R(cudaGetLastError());
    R(go(NOTHING, 1, 0));
    R(go(NOTHING, dim3(1, 0, 1), 32));
    R(go(NOTHING, 1, 1025));
    R(go(NOTHING, 1, dim3(1, 1025, 1)));
    R(go(NOTHING, 1, dim3(1, 1, 65)));
    R(go(NOTHING, 1, dim3(1, 1, 64)));
    R(go(NOTHING, 1, dim3(32, 33, 1)));
    R(go(NOTHING, dim3(1, 65536, 1), 1));
    R(go(NOTHING, dim3(1, 1, 65536), 1));
    R(go(NOTHING, dim3(2147483648u, 1, 1), 1));
    R(cudaGetLastError());
    R(go((const void *)bounded, 1, 64));
    R(go((const void *)bounded, 1, 65));
    R(cudaGetLastError());
    R(go(nullptr, 1, 1));
    R(go((const void *)driver_entry, 1, 1));
    R(cudaGetLastError());
    R(cudaMalloc((void **)nullptr, 4));
    R(cudaDeviceSynchronize());
    R(cudaGetLastError());
    R(cudaLaunchCooperativeKernel(NOTHING, 1, 32, nullptr, 0, 0));
    R(cudaLaunchCooperativeKernel(NOTHING, 100000, 1024, nullptr, 0, 0));
    R(cudaLaunchCooperativeKernel(NOTHING, 0, 1024, nullptr, 0, 0));
    R(cudaLaunchKernelExC(nullptr, NOTHING, nullptr));
    R(cudaDeviceSynchronize());
}

DEFINE(launch_shared)
{
    R(go(NOTHING, 1, 32, 49152));
    R(go(NOTHING, 1, 32, 49153));
    R(cudaFuncSetAttribute(NOTHING, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448));
    R(go(NOTHING, 1, 32, 232448));
    R(go(NOTHING, 1, 32, 232449));
    R(cudaFuncSetAttribute(NOTHING, cudaFuncAttributeMaxDynamicSharedMemorySize, 232449));
    R(cudaFuncSetAttribute(NOTHING, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
    R(cudaFuncSetAttribute(NOTHING, cudaFuncAttributeMaxDynamicSharedMemorySize, 1000));
    R(go(NOTHING, 1, 32, 1001));
    R(go(NOTHING, 1, 32, 49152));
    int *p;
    cudaMalloc(&p, 4);
    void *args[] = {&p};
    R(cudaLaunchKernel((const void *)fixed_shared, 1, 32, args, 49152 - 8192, 0));
    R(cudaLaunchKernel((const void *)fixed_shared, 1, 32, args, 49153 - 8192, 0));
    R(cudaFuncSetAttribute((const void *)fixed_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448));
    R(cudaFuncSetAttribute((const void *)fixed_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448 - 8192));
    R(cudaFuncSetAttribute(NOTHING, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
    R(cudaFuncSetAttribute(NOTHING, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
    R(cudaFuncSetAttribute(NOTHING, cudaFuncAttributePreferredSharedMemoryCarveout, -1));
    R(cudaFuncSetAttribute(NOTHING, cudaFuncAttributePreferredSharedMemoryCarveout, -2));
    R(cudaFuncSetAttribute(NOTHING, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    R(cudaFuncSetAttribute(NOTHING, cudaFuncAttributeNonPortableClusterSizeAllowed, 2));
    R(cudaFuncSetAttribute(NOTHING, cudaFuncAttributeClusterSchedulingPolicyPreference, 1));
    R(cudaFuncSetAttribute(NOTHING, cudaFuncAttributeClusterSchedulingPolicyPreference, 7));
    R(cudaFuncSetAttribute(NOTHING, (cudaFuncAttribute)3, 7));
    R(cudaFuncSetAttribute(nullptr, cudaFuncAttributeMaxDynamicSharedMemorySize, 7));
    R(cudaFuncSetCacheConfig(NOTHING, cudaFuncCachePreferL1));
    R(cudaFuncSetCacheConfig(NOTHING, (cudaFuncCache)9));
    R(cudaFuncSetCacheConfig(nullptr, cudaFuncCachePreferL1));
    R(cudaDeviceSynchronize());
}

static cudaError_t cluster(const void *f, dim3 g, dim3 size, bool twice = false)
{
    cudaLaunchAttribute a[2] = {};
    a[0].id = a[1].id        = cudaLaunchAttributeClusterDimension;
    a[0].val.clusterDim.x    = size.x;
    a[0].val.clusterDim.y    = size.y;
    a[0].val.clusterDim.z    = size.z;
    a[1].val                 = a[0].val;
    cudaLaunchConfig_t c     = {};
    c.gridDim                = g;
    c.blockDim               = 32;
    c.attrs                  = a;
    c.numAttrs               = 1 + twice;
    return cudaLaunchKernelExC(&c, f, nullptr);
}

static cudaError_t with_attribute(int id, int value)
{
    cudaLaunchAttribute a = {};
    a.id                  = (cudaLaunchAttributeID)id;
    *(int *)&a.val        = value;
    cudaLaunchConfig_t c  = {};
    c.gridDim = c.blockDim = 1;
    c.attrs                = &a;
    c.numAttrs             = 1;
    return cudaLaunchKernelExC(&c, NOTHING, nullptr);
}

DEFINE(launch_clusters)
{
    R(cluster(NOTHING, 8, 4));
    R(cluster(NOTHING, 8, 3));
    R(cluster(NOTHING, 8, 0));
    R(cluster(NOTHING, 9, 9));
    R(cluster(NOTHING, 16, 16));
    R(cudaFuncSetAttribute(NOTHING, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    R(cluster(NOTHING, 16, 16));
    R(cluster(NOTHING, 17, 17));
    R(cluster(NOTHING, dim3(4, 4), dim3(2, 4)));
    R(cluster(NOTHING, dim3(4, 4), dim3(4, 3)));
    R(cluster(NOTHING, 8, 4, true));
    R(go((const void *)clustered, 8, 32));
    R(go((const void *)clustered, 6, 32));
    R(cluster((const void *)clustered, 8, 4));
    R(cluster((const void *)clustered, 8, 2));
    R(with_attribute(cudaLaunchAttributeCooperative, 1));
    R(with_attribute(cudaLaunchAttributePriority, 0));
    R(with_attribute(cudaLaunchAttributePriority, -100));
    R(with_attribute(cudaLaunchAttributeIgnore, 1));
    R(with_attribute(cudaLaunchAttributeMemSyncDomain, 1));
    R(with_attribute(cudaLaunchAttributeMemSyncDomain, 9));
    R(with_attribute(cudaLaunchAttributeProgrammaticStreamSerialization, 1));
    R(with_attribute(cudaLaunchAttributeClusterSchedulingPolicyPreference, 1));
    R(with_attribute(cudaLaunchAttributePreferredSharedMemoryCarveout, 200));
    R(with_attribute(99, 1));
    R(with_attribute(-1, 1));
    R(cudaGetLastError());
    R(cudaDeviceSynchronize());
}

/* ---- what a kernel's failure leaves ---- */

static __global__ void null_write(int *p) { *p = 1; }
static __global__ void misaligned(char *p) { *(int *)(p + 1) = 1; }
static __global__ void trap() { asm volatile("trap;"); }
static __global__ void shared_window(int *out)
{
    __shared__ int s[4];
    *out = *(volatile int *)((char *)s + (1 << 22));
}
static __global__ void stops() { asm volatile("brkpt;"); }

static void aftermath()
{
    void        *p;
    int          n = {};
    size_t       a = {}, b = {};
    cudaEvent_t  e;
    cudaStream_t s;
    R(cudaGetLastError());
    R(cudaDeviceSynchronize());
    R(cudaPeekAtLastError());
    R(cudaGetLastError());
    R(cudaGetLastError());
    R(cudaMalloc(&p, 4));
    R(cudaFree(nullptr));
    R(cudaFree((void *)1));
    R(cudaMallocHost(&p, 4));
    R(cudaMemGetInfo(&a, &b));
    R(cudaStreamCreate(&s));
    R(cudaEventCreate(&e));
    R(cudaStreamQuery(0));
    R(cudaGetDevice(&n));
    R(cudaSetDevice(0));
    R(cudaGetDeviceCount(&n));
    R(cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 0));
    cudaDeviceProp props = {};
    R(cudaGetDeviceProperties(&props, 0));
    R(cudaDriverGetVersion(&n));
    R(cudaRuntimeGetVersion(&n));
    cudaFuncAttributes f = {};
    R(cudaFuncGetAttributes(&f, NOTHING));
    R(go(NOTHING, 1, 1));
    R(go(NOTHING, 0, 1));
    R(D(cuCtxSynchronize)());
    R(D(cuInit)(0));
    CUcontext c = {};
    R(D(cuCtxGetCurrent)(&c));
    R(D(cuDeviceGetCount)(&n));
    CUdeviceptr q = {};
    R(D(cuMemAlloc)(&q, 4));
    R(cudaGetLastError());
    R(cudaDeviceReset());
    R(cudaGetLastError());
    R(cudaMalloc(&p, 4));
    R(cudaGetLastError());
}

DEFINE(fault_null)
{
    null_write<<<1, 1>>>(nullptr);
    aftermath();
}
DEFINE(fault_misaligned)
{
    char *p;
    R(cudaMalloc(&p, 16));
    misaligned<<<1, 1>>>(p);
    aftermath();
}
DEFINE(fault_trap)
{
    trap<<<1, 1>>>();
    aftermath();
}
DEFINE(fault_shared)
{
    int *p;
    R(cudaMalloc(&p, 16));
    shared_window<<<1, 1>>>(p);
    R(cudaDeviceSynchronize());
    R(cudaDeviceSynchronize());
}
DEFINE(fault_breakpoint)
{
    stops<<<1, 1>>>();
    R(cudaDeviceSynchronize());
    R(cudaDeviceSynchronize());
}
DEFINE(fault_in_stream)
{
    cudaStream_t s, t;
    cudaEvent_t  e;
    R(cudaStreamCreate(&s));
    R(cudaStreamCreate(&t));
    R(cudaEventCreate(&e));
    null_write<<<1, 1, 0, s>>>(nullptr);
    R(cudaStreamSynchronize(s));
    R(cudaStreamSynchronize(t));
    R(cudaEventQuery(e));
    R(cudaEventRecord(e, t));
    R(cudaStreamDestroy(s));
    R(cudaEventDestroy(e));
    R(cudaMemcpy(&s, &t, 8, cudaMemcpyHostToHost));
    R(cudaMemset(nullptr, 0, 0));
}
DEFINE(fault_copy)
{
    int *p, h = 0;
    R(cudaMalloc(&p, 16));
    null_write<<<1, 1>>>(nullptr);
    R(cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost));
    R(cudaMemcpyAsync(p, &h, 4, cudaMemcpyHostToDevice));
    R(cudaFree(p));
}

/* ---- occupancy and attributes ---- */

DEFINE(occupancy)
{
    const void *const kernels[] = {NOTHING, (const void *)fixed_shared, (const void *)dynamic_shared, (const void *)bounded};
    const char *const names[]   = {"nothing", "fixed_shared", "dynamic_shared", "bounded"};
    for (int k = 0; k < 4; k++)
        for (int threads : {1, 32, 33, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1025})
            for (size_t shared : {0, 1, 1000, 8192, 16384, 40000, 49152, 49153, 100000}) {
                int         n = -1;
                cudaError_t e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, kernels[k], threads, shared);
                printf("%s %d threads, %zu bytes\t%s %d\n", names[k], threads, shared, code_name(e), n);
            }
    int    n = -1, m = -1;
    size_t bytes = 0;
    R(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, NOTHING, 0, 0));
    R(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, NOTHING, -1, 0));
    R(cudaOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, NOTHING, 32, 0));
    R(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, nullptr, 32, 0));
    R(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&n, NOTHING, 32, 0, 1));
    R(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&n, NOTHING, 32, 0, 2));
    for (int blocks : {1, 2, 3, 8, 16, 32, 33, 0})
        for (int threads : {32, 256, 1024}) {
            bytes         = 0;
            cudaError_t e = cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, dynamic_shared, blocks, threads);
            printf("dynamic_shared: %d blocks of %d\t%s %zu\n", blocks, threads, code_name(e), bytes);
            e = cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, fixed_shared, blocks, threads);
            printf("fixed_shared: %d blocks of %d\t%s %zu\n", blocks, threads, code_name(e), bytes);
        }
    for (const void *k : {NOTHING, (const void *)fixed_shared, (const void *)bounded}) {
        R(cudaOccupancyMaxPotentialBlockSize(&n, &m, k, 0, 0));
        V(n);
        V(m);
    }
}

DEFINE(function_attributes)
{
    cudaFuncAttributes a = {};
    const void *const  kernels[] = {NOTHING, (const void *)fixed_shared, (const void *)bounded, (const void *)clustered};
    for (const void *k : kernels) {
        memset(&a, 0, sizeof a);
        R(cudaFuncGetAttributes(&a, k));
        V(a.sharedSizeBytes);
        V(a.constSizeBytes);
        V(a.localSizeBytes);
        V(a.maxThreadsPerBlock);
        V(a.ptxVersion);
        V(a.binaryVersion);
        V(a.cacheModeCA);
        V(a.maxDynamicSharedSizeBytes);
        V(a.preferredShmemCarveout);
        V(a.clusterDimMustBeSet);
        V(a.requiredClusterWidth);
        V(a.requiredClusterHeight);
        V(a.requiredClusterDepth);
        V(a.clusterSchedulingPolicyPreference);
        V(a.nonPortableClusterSizeAllowed);
    }
    R(cudaFuncGetAttributes(nullptr, NOTHING));
    R(cudaFuncGetAttributes(&a, nullptr));
    R(cudaFuncGetAttributes(&a, (const void *)driver_entry));
    size_t      offset = {}, size = {};
    const char *name = nullptr;
    R(cudaFuncGetParamInfo((const void *)add, 0, &offset, &size));
    V(offset);
    V(size);
    R(cudaFuncGetParamInfo((const void *)add, 1, &offset, &size));
    V(offset);
    V(size);
    R(cudaFuncGetParamInfo((const void *)add, 2, &offset, &size));
    R(cudaFuncGetName(&name, (const void *)add));
    R(cudaFuncGetName(nullptr, (const void *)add));
    cudaFunction_t f = nullptr;
    R(cudaGetFuncBySymbol(&f, (const void *)add));
    R(cudaGetFuncBySymbol(&f, nullptr));
    R(D(cuFuncGetAttribute)(nullptr, CU_FUNC_ATTRIBUTE_NUM_REGS, (CUfunction)f));
    int v = -1;
    for (int i = 0; i < 17; i++) {
        CUresult e = D(cuFuncGetAttribute)(&v, (CUfunction_attribute)i, (CUfunction)f);
        printf("attribute %d\t%s %d\n", i, code_name(e), i == CU_FUNC_ATTRIBUTE_NUM_REGS ? 0 : v);
    }
}
