/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual memory management: a range of addresses of which the first part is mapped, and used past it; then memory that is mapped, with no
 * access given. */
#include <cuda.h>

#include "../run.h"

__global__ void set(int *x, size_t n)
{
    x[n + threadIdx.x] = 1; // expect: out-of-bounds
}

__global__ void past(int *x, size_t n)
{
    x[n + threadIdx.x] = 1; // expect: out-of-bounds
}

template <typename F> static F *entry(const char *name)
{
    void                           *p = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion(name, &p, 12000, cudaEnableDefault, &found);
    return (F *)p;
}

#define CALL(name, ...)                                                                                                \
    if (entry<decltype(name)>(#name)(__VA_ARGS__) != CUDA_SUCCESS)                                                             \
    return printf("%s failed\n", #name)

int main()
{
    cudaFree(nullptr);
    size_t              granule;
    CUmemAllocationProp prop = {};
    prop.type                = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location            = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    CUmemAccessDesc              access = {prop.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle memory[2];
    CUdeviceptr                  at;
    CALL(cuMemGetAllocationGranularity, &granule, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
    CALL(cuMemAddressReserve, &at, 4 * granule, 0, 0, 0);
    for (int i = 0; i < 2; i++) {
        CALL(cuMemCreate, &memory[i], granule, &prop, 0);
        CALL(cuMemMap, at + i * granule, granule, 0, memory[i], 0);
    }
    CALL(cuMemSetAccess, at, granule, &access, 1);
    set<<<1, 32>>>((int *)at, 0);
    set<<<1, 32>>>((int *)at, granule / sizeof(int));     /* mapped, no access */
    past<<<1, 32>>>((int *)at, 2 * granule / sizeof(int)); /* nothing is mapped */
    return finish();
}
