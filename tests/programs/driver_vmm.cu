/* SPDX-License-Identifier: Apache-2.0
 *
 * Driver interface: virtual memory management (a growing array, one memory mapped twice, access, export to a descriptor), attributes of
 * pointers. */
#include <cuda.h>
#include <unistd.h>

#include "check.h"

__global__ void fill(int *p, size_t n)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        p[i] = (int)i;
}

int main()
{
    CUdevice  device;
    CUcontext context, of;
    size_t    granule, n;
    CU(cuInit(0));
    CU(cuDeviceGet(&device, 0));
    CUmemAllocationProp prop = {};
    prop.type                 = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location             = {CU_MEM_LOCATION_TYPE_DEVICE, device};
    prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    CU(cuMemGetAllocationGranularity(&granule, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM)); /* asks for no context */
    int there;
    CU(cuDeviceGetAttribute(&there, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, device));
    CHECK(there);
    CU(cuDevicePrimaryCtxRetain(&context, device));
    CU(cuCtxSetCurrent(context));
    CHECK(granule && (granule & (granule - 1)) == 0);
    n = granule / sizeof(int);

    CUdeviceptr                  space, again;
    CUmemGenericAllocationHandle a, b, c;
    CUmemAccessDesc              access = {prop.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CU(cuMemAddressReserve(&space, 4 * granule, 0, 0, 0));
    CHECK(cuMemAddressReserve(&again, granule + 1, 0, 0, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemCreate(&a, granule / 2, &prop, 0) == CUDA_ERROR_INVALID_VALUE);
    CU(cuMemCreate(&a, granule, &prop, 0));
    CU(cuMemCreate(&b, granule, &prop, 0));
    CU(cuMemMap(space, granule, 0, a, 0));
    CHECK(cuMemMap(space, granule, 0, b, 0) == CUDA_ERROR_INVALID_VALUE);
    CU(cuMemSetAccess(space, granule, &access, 1));
    CU(cuMemMap(space + granule, granule, 0, b, 0));
    CU(cuMemSetAccess(space + granule, granule, &access, 1));
    unsigned long long flags = 0;
    CU(cuMemGetAccess(&flags, &prop.location, space + granule));
    CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    fill<<<4, 128>>>((int *)space, 2 * n); /* across both */
    int h[8];
    CU(cuMemcpyDtoH(h, space + granule - 16, 32)); /* a copy, too */
    for (int i = 0; i < 8; i++)
        CHECK(h[i] == (int)n - 4 + i);

    CU(cuMemAddressReserve(&again, granule, 0, 0, 0));
    CU(cuMemMap(again, granule, 0, b, 0));
    CU(cuMemSetAccess(again, granule, &access, 1));
    CU(cuMemsetD32(again, 77, 4));
    CU(cuMemcpyDtoH(h, space + granule, 16));
    CHECK(h[3] == 77);

    int fd = -1;
    CU(cuMemExportToShareableHandle(&fd, b, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    CU(cuMemImportFromShareableHandle(&c, (void *)(size_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    close(fd);
    CU(cuMemMap(space + 2 * granule, granule, 0, c, 0));
    CU(cuMemSetAccess(space + 2 * granule, granule, &access, 1));
    CU(cuMemcpyDtoH(h, space + 2 * granule, 16));
    CHECK(h[0] == 77);
    CUmemAllocationProp got;
    CU(cuMemGetAllocationPropertiesFromHandle(&got, a));
    CHECK(got.type == prop.type && got.location.id == device);

    size_t      bytes;
    unsigned    type;
    CUdeviceptr base;
    CU(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, space + 8));
    CU(cuPointerGetAttribute(&bytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE, space + 8));
    CHECK(type == CU_MEMORYTYPE_DEVICE && bytes == 3 * granule);

    CU(cuMemRelease(a));
    CHECK(cuMemRelease(a) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemAddressFree(space, 4 * granule) == CUDA_ERROR_INVALID_VALUE); /* still mapped */
    CHECK(cuMemUnmap(space, 4 * granule) == CUDA_ERROR_INVALID_VALUE);       /* not all of it is mapped */
    CU(cuMemUnmap(space, 3 * granule));
    CHECK(cuMemcpyDtoH(h, space, 16) == CUDA_ERROR_INVALID_VALUE);
    CU(cuMemUnmap(again, granule));
    CU(cuMemRelease(b));
    CU(cuMemRelease(c));
    CU(cuMemAddressFree(space, 4 * granule));
    CU(cuMemAddressFree(again, granule));

    void *host;
    CU(cuMemAlloc(&base, 1000));
    CU(cuMemHostAlloc(&host, 64, 0));
    int                 ordinal = -1, managed = 1;
    CUdeviceptr         start;
    CUpointer_attribute which[] = {CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                   CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_CONTEXT};
    void *out[] = {&ordinal, &managed, &start, &of};
    CU(cuPointerGetAttributes(4, which, out, base + 100));
    CHECK(ordinal == 0 && managed == 0 && start == base && of == context);
    CU(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)host));
    CHECK(type == CU_MEMORYTYPE_HOST);
    CHECK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)h) == CUDA_ERROR_INVALID_VALUE);
    CU(cuPointerGetAttributes(4, which, out, (CUdeviceptr)h));
    CHECK(start == 0 && of == nullptr);
    CU(cuMemFree(base));
    CHECK(cuMemFree(base) == CUDA_ERROR_INVALID_VALUE);
    return passed();
}
