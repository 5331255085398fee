/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory: allocation, freeing, copies in every direction, symbols, registration, what pointers are, pools, virtual memory. */
#include "parity.h"

#include <unistd.h>

static __device__ int    variable[4];
static __constant__ int  constant[4];
static __managed__ int   managed[4];

DEFINE(memory_allocation)
{
    void *p = nullptr, *q = nullptr, *host = malloc(4096);
    R(cudaMalloc(&p, 0));
    V(p == nullptr);
    R(cudaMalloc(nullptr, 0));
    R(cudaMalloc(&p, (size_t)1 << 46));
    R(cudaMalloc(&p, SIZE_MAX));
    R(cudaFree(nullptr));
    R(cudaMalloc(&p, 1000));
    R(cudaMemset(p, 0, 1000));
    R(cudaFree((char *)p + 4));
    R(cudaFree(p));
    R(cudaFree(p));
    R(cudaGetLastError());
    R(cudaMemset(p, 0, 4));
    R(cudaMemcpy(host, p, 4, cudaMemcpyDeviceToHost));
    R(cudaFree(host));
    R(cudaFree((void *)0x1234));
    R(cudaFreeHost(nullptr));
    R(cudaFreeHost(host));
    R(cudaMallocHost(&p, 100));
    R(cudaFree(p));
    R(cudaMallocHost(&p, 100));
    R(cudaFreeHost((char *)p + 1));
    R(cudaFreeHost(p));
    R(cudaFreeHost(p));
    R(cudaMallocHost(&p, 0));
    V(p == nullptr);
    R(cudaMallocHost(nullptr, 8));
    R(cudaHostAlloc(&p, 64, 8));
    R(cudaHostAlloc(&p, 64, 7));
    R(cudaHostAlloc(&p, 0, 0));
    R(cudaMallocManaged(&p, 0));
    R(cudaMallocManaged(&p, 64, 0));
    R(cudaMallocManaged(&p, 64, 3));
    R(cudaMallocManaged(&p, 64, cudaMemAttachHost));
    R(cudaFreeHost(p));
    R(cudaFree(p));
    size_t pitch = 0;
    R(cudaMallocPitch(&p, &pitch, 100, 3));
    V(pitch);
    R(cudaMallocPitch(&p, &pitch, 513, 3));
    V(pitch);
    R(cudaMallocPitch(&p, &pitch, 0, 3));
    V(pitch);
    R(cudaMallocPitch(&p, &pitch, 100, 0));
    R(cudaMallocPitch(nullptr, &pitch, 100, 1));
    R(cudaMallocPitch(&p, nullptr, 100, 1));
    cudaPitchedPtr pp = {};
    R(cudaMalloc3D(&pp, make_cudaExtent(100, 3, 2)));
    V(pp.pitch);
    V(pp.xsize);
    V(pp.ysize);
    R(cudaMalloc3D(&pp, make_cudaExtent(0, 3, 2)));
    R(cudaMalloc3D(nullptr, make_cudaExtent(1, 3, 2)));
    R(cudaMalloc(&q, 8));
    R(cudaMemGetInfo(nullptr, nullptr));
    CUdeviceptr d = {};
    R(D(cuMemAlloc)(&d, 0));
    R(D(cuMemAlloc)(nullptr, 4));
    R(D(cuMemAlloc)(&d, (size_t)1 << 46));
    R(D(cuMemFree)(0));
    R(D(cuMemFree)((CUdeviceptr)q + 1));
    R(D(cuMemFree)((CUdeviceptr)q));
    R(D(cuMemFree)((CUdeviceptr)q));
    R(D(cuMemFreeHost)(host));
    R(D(cuMemFreeHost)(nullptr));
    R(D(cuMemAllocPitch)(&d, &pitch, 100, 2, 3));
    R(D(cuMemAllocPitch)(&d, &pitch, 100, 2, 4));
    V(pitch);
    R(D(cuMemAllocManaged)(&d, 16, 0));
    R(D(cuMemAllocManaged)(&d, 16, CU_MEM_ATTACH_SINGLE));
    R(D(cuMemHostAlloc)(&p, 16, 8));
}

DEFINE(memory_copies)
{
    static const char *const names[] = {"host", "pinned", "device", "managed", "registered", "freed", "null"};
    char                    *host = (char *)malloc(256), *pinned, *device, *unified, *reg = (char *)malloc(8192), *freed;
    cudaMallocHost(&pinned, 256);
    cudaMalloc(&device, 256);
    cudaMallocManaged(&unified, 256);
    cudaMalloc(&freed, 256);
    cudaHostRegister(reg, 8192, 0);
    cudaFree(freed);
    char *at[] = {host, pinned, device, unified, reg, freed, nullptr};
    for (int d = 0; d < 7; d++)
        for (int s = 0; s < 7; s++)
            for (int kind = 0; kind < 6; kind++) {
                if ((!at[d] || !at[s]) && kind != 1 && kind != 2)
                    continue; /* both ends taken for host memory: the copy itself would fault */
                if ((!at[d] && kind == 2) || (!at[s] && kind == 1) || (d == 5 && (kind == 0 || kind == 2)) || (s == 5 && kind < 2))
                    continue;
                if (kind == 0 && (d == 2 || s == 2))
                    continue;
                const char *one = outcome([&] { return cudaMemcpy(at[d], at[s], 64, (cudaMemcpyKind)kind); });
                const char *two = outcome([&] { return cudaMemcpy2D(at[d], 32, at[s], 32, 16, 2, (cudaMemcpyKind)kind); });
                printf("%s <- %s, kind %d\t%s %s\n", names[d], names[s], kind, one, two);
                cudaGetLastError();
            }
    R(cudaMemcpy(device, host, 257, cudaMemcpyHostToDevice));
    R(cudaMemcpy(device + 200, host, 57, cudaMemcpyHostToDevice));
    R(cudaMemcpy(host, device, 0, cudaMemcpyDeviceToHost));
    R(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyDeviceToHost));
    R(cudaMemcpy(nullptr, nullptr, 0, (cudaMemcpyKind)9));
    R(cudaMemcpyAsync(device, host, 257, cudaMemcpyHostToDevice, 0));
    R(cudaMemcpyAsync(device, host, 16, (cudaMemcpyKind)-1, 0));
    R(cudaMemcpy2D(device, 15, host, 32, 16, 2, cudaMemcpyHostToDevice));
    R(cudaMemcpy2D(device, 32, host, 15, 16, 2, cudaMemcpyHostToDevice));
    R(cudaMemcpy2D(device, 32, host, 15, 0, 2, cudaMemcpyHostToDevice));
    R(cudaMemcpy2D(device, 128, host, 128, 16, 3, cudaMemcpyHostToDevice));
    R(cudaMemcpy2D(device, (size_t)1 << 40, host, 128, 16, 1, cudaMemcpyHostToDevice));
    R(cudaMemset(device, 1, 257));
    R(cudaMemset(host, 1, 16));
    R(cudaMemset(pinned, 1, 16));
    R(cudaMemset(nullptr, 1, 16));
    R(cudaMemset(nullptr, 1, 0));
    R(cudaMemset2D(device, 15, 1, 16, 2));
    R(cudaMemset2D(device, 128, 1, 128, 3));
    R(cudaMemsetAsync(device, 1, 257, 0));
    R(cudaMemcpyPeer(device, 0, device + 128, 0, 64));
    R(cudaMemcpyPeer(device, 0, device + 128, 7, 64));
    R(cudaMemcpyPeer(host, 0, device + 128, 0, 64));
    R(D(cuMemcpy)((CUdeviceptr)device, (CUdeviceptr)host, 16));
    R(D(cuMemcpyHtoD)((CUdeviceptr)device, host, 257));
    R(D(cuMemcpyHtoD)((CUdeviceptr)device, nullptr, 16));
    R(D(cuMemcpyHtoD)(0, host, 16));
    R(D(cuMemcpyHtoD)((CUdeviceptr)host, host + 128, 16));
    R(D(cuMemcpyHtoD)((CUdeviceptr)device, device + 128, 16));
    R(D(cuMemcpyDtoH)(device, (CUdeviceptr)device + 128, 16));
    R(D(cuMemcpyDtoD)((CUdeviceptr)pinned, (CUdeviceptr)device, 16));
    R(D(cuMemcpyDtoD)((CUdeviceptr)host, (CUdeviceptr)device, 16));
    R(D(cuMemsetD8)((CUdeviceptr)device, 1, 257));
    R(D(cuMemsetD16)((CUdeviceptr)device + 1, 1, 4));
    R(D(cuMemsetD32)((CUdeviceptr)device + 2, 1, 4));
    R(D(cuMemsetD2D32)((CUdeviceptr)device, 15, 1, 4, 2));
    R(D(cuMemsetD8)((CUdeviceptr)host, 1, 16));
}

DEFINE(memory_symbols)
{
    int    v[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    void  *p;
    size_t n = 0;
    R(cudaMemcpyToSymbol(variable, v, 16));
    R(cudaMemcpyToSymbol(variable, v, 17));
    R(cudaMemcpyToSymbol(variable, v, 8, 12));
    R(cudaMemcpyToSymbol(variable, v, 8, 8, cudaMemcpyDeviceToHost));
    R(cudaMemcpyToSymbol(variable, v, 8, 8, cudaMemcpyDefault));
    R(cudaMemcpyToSymbol(constant, v, 16));
    R(cudaMemcpyToSymbol((const void *)v, v, 4));
    R(cudaMemcpyToSymbol((const void *)nullptr, v, 4));
    R(cudaMemcpyFromSymbol(v, constant, 16));
    R(cudaMemcpyFromSymbol(v, variable, 16, 4));
    R(cudaMemcpyFromSymbol(v, variable, 16, 0, cudaMemcpyHostToDevice));
    R(cudaGetSymbolAddress(&p, variable));
    R(cudaFree(p));
    R(cudaMemset(p, 0, 16));
    R(cudaGetSymbolAddress(&p, managed));
    V(p == (void *)managed);
    R(cudaGetSymbolAddress(&p, (const void *)v));
    R(cudaGetSymbolAddress(nullptr, variable));
    R(cudaGetSymbolSize(&n, variable));
    V(n);
    R(cudaGetSymbolSize(&n, (const void *)v));
    R(cudaGetLastError());
}

static void pointer(const char *name, const void *p)
{
    static const char *const types[] = {"unregistered", "host", "device", "managed"};
    cudaPointerAttributes    a = {};
    memset(&a, 0x55, sizeof a);
    cudaError_t e = cudaPointerGetAttributes(&a, p);
    unsigned    t = a.type;
    printf("%s\t%s %s device %d devicePointer %s hostPointer %s\n", name, code_name(e), t < 4 ? types[t] : "?", a.device,
           !a.devicePointer     ? "null"
           : a.devicePointer == p ? "same"
                                  : "other",
           !a.hostPointer     ? "null"
           : a.hostPointer == p ? "same"
                                : "other");
    unsigned memory = 77, is_managed = 77;
    int      ordinal = 77, mapped = 77;
    CUresult r[4];
    r[0] = D(cuPointerGetAttribute)(&memory, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)p);
    r[1] = D(cuPointerGetAttribute)(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, (CUdeviceptr)p);
    r[2] = D(cuPointerGetAttribute)(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, (CUdeviceptr)p);
    r[3] = D(cuPointerGetAttribute)(&mapped, CU_POINTER_ATTRIBUTE_MAPPED, (CUdeviceptr)p);
    printf("%s\t%s %u, %s %u, %s %d, %s %d\n", name, code_name(r[0]), memory, code_name(r[1]), is_managed & 0xff, code_name(r[2]), ordinal,
           code_name(r[3]), mapped);
    CUdeviceptr base = 0;
    size_t      size = 0;
    CUresult    x    = D(cuMemGetAddressRange)(&base, &size, (CUdeviceptr)p);
    printf("%s\t%s offset %zu bytes %zu\n", name, code_name(x), x ? 0 : (size_t)((CUdeviceptr)p - base), x ? 0 : size);
}

DEFINE(memory_pointers)
{
    char *host = (char *)malloc(8192), *pinned, *device, *unified, *freed, *reg = (char *)malloc(8192), *async;
    cudaMallocHost(&pinned, 1000);
    cudaMalloc(&device, 1000);
    cudaMallocManaged(&unified, 1000);
    cudaMalloc(&freed, 1000);
    cudaFree(freed);
    cudaHostRegister(reg, 8192, 0);
    cudaMallocAsync((void **)&async, 1000, 0);
    void *symbol;
    cudaGetSymbolAddress(&symbol, variable);
    pointer("host", host);
    pointer("null", nullptr);
    pointer("pinned", pinned);
    pointer("inside pinned", pinned + 5);
    pointer("device", device);
    pointer("inside device", device + 5);
    pointer("past device", device + 1000);
    pointer("managed", unified);
    pointer("freed", freed);
    pointer("registered", reg);
    pointer("inside registered", reg + 4100);
    pointer("pool", async);
    pointer("variable", symbol);
    pointer("managed variable", managed);
    R(cudaPointerGetAttributes(nullptr, device));
    R(D(cuPointerGetAttribute)(nullptr, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)device));
    unsigned long long x = 0;
    for (int i = 0; i < 24; i++) {
        unsigned char out[64];
        CUresult      e = D(cuPointerGetAttribute)(out, (CUpointer_attribute)i, (CUdeviceptr)device);
        printf("attribute %d of device memory\t%s\n", i, code_name(e));
    }
    R(D(cuPointerGetAttribute)(&x, (CUpointer_attribute)99, (CUdeviceptr)device));
    R(cudaHostRegister(reg, 8192, 0));
    R(cudaHostRegister(reg + 4096, 16, 0));
    R(cudaHostRegister(host, 0, 0));
    R(cudaHostRegister(nullptr, 16, 0));
    R(cudaHostRegister(host, 16, 64));
    R(cudaHostRegister(device, 16, 0));
    R(cudaHostRegister(pinned, 16, 0));
    R(cudaHostUnregister(host));
    R(cudaHostUnregister(reg + 1));
    R(cudaHostUnregister(pinned));
    R(cudaHostUnregister(reg));
    R(cudaHostUnregister(reg));
    void    *d;
    unsigned flags = 99;
    R(cudaHostGetDevicePointer(&d, pinned, 0));
    V(d == pinned);
    R(cudaHostGetDevicePointer(&d, pinned, 1));
    R(cudaHostGetDevicePointer(&d, host, 0));
    R(cudaHostGetDevicePointer(&d, device, 0));
    R(cudaHostGetDevicePointer(nullptr, pinned, 0));
    R(cudaHostGetFlags(&flags, pinned));
    V(flags);
    R(cudaHostGetFlags(&flags, host));
    R(cudaHostGetFlags(&flags, device));
}

DEFINE(memory_managed)
{
    char *p, *d;
    R(cudaMallocManaged(&p, 1 << 16));
    R(cudaMalloc(&d, 1 << 16));
    cudaMemLocation gpu = {cudaMemLocationTypeDevice, 0}, cpu = {cudaMemLocationTypeHost, 0}, bad = {cudaMemLocationTypeDevice, 9};
    R(cudaMemPrefetchAsync(p, 1 << 16, gpu, 0, 0));
    R(cudaMemPrefetchAsync(p, 1 << 16, cpu, 0, 0));
    R(cudaMemPrefetchAsync(p, 1 << 16, bad, 0, 0));
    R(cudaMemPrefetchAsync(p, (1 << 16) + 1, gpu, 0, 0));
    R(cudaMemPrefetchAsync(p, 0, gpu, 0, 0));
    R(cudaMemPrefetchAsync(p, 16, gpu, 1, 0));
    R(cudaMemPrefetchAsync(d, 16, gpu, 0, 0));
    R(cudaMemPrefetchAsync(nullptr, 16, gpu, 0, 0));
    R(cudaMemAdvise(p, 1 << 16, cudaMemAdviseSetReadMostly, gpu));
    R(cudaMemAdvise(p, 1 << 16, cudaMemAdviseSetPreferredLocation, gpu));
    R(cudaMemAdvise(p, 1 << 16, cudaMemAdviseSetAccessedBy, cpu));
    R(cudaMemAdvise(p, 1 << 16, (cudaMemoryAdvise)77, gpu));
    R(cudaMemAdvise(d, 16, cudaMemAdviseSetReadMostly, gpu));
    R(cudaMemAdvise(p, 0, cudaMemAdviseSetReadMostly, gpu));
    int v = -9;
    R(cudaMemRangeGetAttribute(&v, 4, cudaMemRangeAttributeReadMostly, p, 1 << 16));
    V(v);
    R(cudaMemRangeGetAttribute(&v, 4, cudaMemRangeAttributePreferredLocation, p, 1 << 16));
    V(v);
    R(cudaMemRangeGetAttribute(&v, 8, cudaMemRangeAttributePreferredLocation, p, 1 << 16));
    R(cudaMemRangeGetAttribute(&v, 4, cudaMemRangeAttributeReadMostly, d, 16));
    R(cudaMemRangeGetAttribute(&v, 4, (cudaMemRangeAttribute)99, p, 16));
    R(cudaStreamAttachMemAsync(0, p, 0, cudaMemAttachGlobal));
    R(cudaStreamAttachMemAsync(0, p, 16, cudaMemAttachGlobal));
    R(cudaStreamAttachMemAsync(0, p, 0, 0));
    R(cudaStreamAttachMemAsync(0, d, 0, cudaMemAttachGlobal));
}

DEFINE(memory_pools)
{
    cudaMemPool_t      pool, mine, same;
    cudaMemPoolProps   props = {};
    unsigned long long v     = 99;
    void              *p, *q;
    R(cudaDeviceGetDefaultMemPool(&pool, 0));
    R(cudaDeviceGetDefaultMemPool(&pool, 9));
    R(cudaDeviceGetDefaultMemPool(nullptr, 0));
    R(cudaDeviceGetMemPool(&same, 0));
    V(same == pool);
    for (int a = 0; a < 14; a++) {
        v             = 0;
        cudaError_t e = cudaMemPoolGetAttribute(pool, (cudaMemPoolAttr)a, &v);
        printf("attribute %d\t%s %llu\n", a, code_name(e), e ? 0 : v);
    }
    R(cudaMemPoolCreate(&mine, &props));
    props.allocType = cudaMemAllocationTypePinned;
    R(cudaMemPoolCreate(&mine, &props));
    props.location.type = cudaMemLocationTypeDevice;
    props.location.id   = 9;
    R(cudaMemPoolCreate(&mine, &props));
    props.location.id = 0;
    R(cudaMemPoolCreate(&mine, nullptr));
    R(cudaMemPoolCreate(nullptr, &props));
    R(cudaMemPoolCreate(&mine, &props));
    v = 1 << 20;
    R(cudaMemPoolSetAttribute(mine, cudaMemPoolAttrReleaseThreshold, &v));
    R(cudaMemPoolSetAttribute(mine, cudaMemPoolAttrUsedMemCurrent, &v));
    R(cudaMemPoolSetAttribute(mine, cudaMemPoolAttrUsedMemHigh, &v));
    v = 0;
    R(cudaMemPoolSetAttribute(mine, cudaMemPoolAttrUsedMemHigh, &v));
    R(cudaMallocFromPoolAsync(&p, 1000, mine, 0));
    R(cudaMemPoolGetAttribute(mine, cudaMemPoolAttrUsedMemCurrent, &v));
    V(v);
    R(cudaMemPoolGetAttribute(mine, cudaMemPoolAttrReservedMemCurrent, &v));
    V(v);
    R(cudaMallocFromPoolAsync(&q, 0, mine, 0));
    R(cudaMallocFromPoolAsync(nullptr, 8, mine, 0));
    R(cudaMallocFromPoolAsync(&q, 8, nullptr, 0));
    R(cudaMallocAsync(&q, (size_t)1 << 46, 0));
    R(cudaGetLastError());
    R(cudaFreeAsync(nullptr, 0));
    R(cudaFreeAsync(p, 0));
    R(cudaStreamSynchronize(0));
    R(cudaMemPoolGetAttribute(mine, cudaMemPoolAttrUsedMemCurrent, &v));
    V(v);
    R(cudaMemPoolGetAttribute(mine, cudaMemPoolAttrUsedMemHigh, &v));
    V(v);
    R(cudaMemPoolTrimTo(mine, 0));
    R(cudaMemPoolGetAttribute(mine, cudaMemPoolAttrReservedMemCurrent, &v));
    V(v);
    int fd = -1;
    R(cudaMemPoolExportToShareableHandle(&fd, mine, cudaMemHandleTypePosixFileDescriptor, 0));
    R(cudaMemPoolExportToShareableHandle(&fd, pool, cudaMemHandleTypePosixFileDescriptor, 0));
    cudaMemAccessFlags flags = {};
    cudaMemLocation    where = {cudaMemLocationTypeDevice, 0};
    R(cudaMemPoolGetAccess(&flags, mine, &where));
    V(flags);
    cudaMemAccessDesc desc = {where, cudaMemAccessFlagsProtNone};
    R(cudaMemPoolSetAccess(mine, &desc, 1));
    desc.flags = cudaMemAccessFlagsProtReadWrite;
    R(cudaMemPoolSetAccess(mine, &desc, 1));
    R(cudaMemPoolSetAccess(mine, nullptr, 1));
    R(cudaDeviceSetMemPool(0, mine));
    R(cudaDeviceGetMemPool(&same, 0));
    V(same == mine);
    R(cudaMemPoolDestroy(mine));
    R(cudaDeviceGetMemPool(&same, 0));
    V(same == pool);
    R(cudaMemPoolDestroy(pool));
    R(cudaMemPoolDestroy(nullptr));
    R(cudaMalloc(&p, 100));
    R(cudaFreeAsync(p, 0));
    R(cudaMallocAsync(&p, 100, 0));
    R(cudaFree(p));
}
DEFINE(memory_free_async_twice)
{
    void *p;
    R(cudaMallocAsync(&p, 100, 0));
    R(cudaFreeAsync(p, 0));
    R(cudaFreeAsync(p, 0));
}
DEFINE(memory_free_async_unknown)
{
    R(cudaFree(nullptr));
    R(cudaFreeAsync((void *)0x1234, 0));
}

DEFINE(memory_virtual)
{
    R(cudaFree(nullptr));
    CUmemAllocationProp prop = {};
    size_t              g = 0, m = 0;
    R(D(cuMemGetAllocationGranularity)(&g, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    prop.type          = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    R(D(cuMemGetAllocationGranularity)(&g, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    R(D(cuMemGetAllocationGranularity)(&m, &prop, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
    V(g);
    V(m);
    R(D(cuMemGetAllocationGranularity)(nullptr, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    R(D(cuMemGetAllocationGranularity)(&m, &prop, (CUmemAllocationGranularity_flags)7));
    CUmemGenericAllocationHandle h = {}, again = {};
    CUdeviceptr                  p = {}, q = {};
    R(D(cuMemCreate)(&h, 1000, &prop, 0));
    R(D(cuMemCreate)(&h, 0, &prop, 0));
    R(D(cuMemCreate)(&h, 2 * g, &prop, 1));
    R(D(cuMemCreate)(&h, 2 * g, &prop, 0));
    R(D(cuMemCreate)(nullptr, 2 * g, &prop, 0));
    R(D(cuMemAddressReserve)(&p, 1000, 0, 0, 0));
    R(D(cuMemAddressReserve)(&p, 0, 0, 0, 0));
    R(D(cuMemAddressReserve)(&p, 4 * g, 3, 0, 0));
    R(D(cuMemAddressReserve)(&p, 4 * g, 0, 0, 1));
    R(D(cuMemAddressReserve)(&p, 4 * g, 0, 0, 0));
    R(D(cuMemMap)(p, 1000, 0, h, 0));
    R(D(cuMemMap)(p, 2 * g, g, h, 0));
    R(D(cuMemMap)(p, g, g, h, 0));
    R(D(cuMemMap)(p, 4 * g, 0, h, 0));
    R(D(cuMemMap)(p, 2 * g, 0, 0x1234, 0));
    R(D(cuMemMap)(p + 64 * g, 2 * g, 0, h, 0));
    R(D(cuMemMap)(p, 2 * g, 0, h, 0));
    R(D(cuMemMap)(p, 2 * g, 0, h, 0));
    CUmemAccessDesc    access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    unsigned long long flags  = 9;
    R(D(cuMemGetAccess)(&flags, &access.location, p));
    V(flags);
    R(D(cuMemSetAccess)(p, 2 * g, &access, 1));
    R(D(cuMemGetAccess)(&flags, &access.location, p));
    V(flags);
    R(D(cuMemSetAccess)(p, 4 * g, &access, 1));
    R(D(cuMemSetAccess)(p, 1000, &access, 1));
    R(D(cuMemSetAccess)(p, 2 * g, &access, 0));
    R(D(cuMemsetD8)(p, 1, 2 * g));
    R(D(cuMemsetD8)(p, 1, 2 * g + 1));
    R(D(cuMemFree)(p));
    R(D(cuMemRetainAllocationHandle)(&again, (void *)p));
    R(D(cuMemRetainAllocationHandle)(&again, (void *)(p + 3 * g)));
    R(D(cuMemRelease)(again));
    R(D(cuMemGetAllocationPropertiesFromHandle)(&prop, h));
    V(prop.type);
    V(prop.location.id);
    R(D(cuMemUnmap)(p, g));
    R(D(cuMemAddressFree)(p, 4 * g));
    R(D(cuMemRelease)(h));
    R(D(cuMemRelease)(h));
    R(D(cuMemUnmap)(p, 2 * g));
    R(D(cuMemUnmap)(p, 2 * g));
    R(D(cuMemAddressFree)(p, g));
    R(D(cuMemAddressFree)(p, 4 * g));
    R(D(cuMemAddressFree)(p, 4 * g));
    R(D(cuMemAddressReserve)(&q, g, 0, 0, 0));
    R(D(cuMemsetD8)(q, 1, 16));
    int fd = -1;
    R(D(cuMemCreate)(&h, g, &prop, 0));
    R(D(cuMemExportToShareableHandle)(&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    R(D(cuMemImportFromShareableHandle)(&again, (void *)(uintptr_t)12345, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
}
