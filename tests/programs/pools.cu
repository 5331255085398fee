/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory pools between two devices: access, attributes that follow the allocations, batches of copies; advice and prefetching.
 * options: --devices 2 */
#include <cstdint>

#include "check.h"

__global__ void one(int *p)
{
    p[threadIdx.x] = 1;
}

int main()
{
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location  = {cudaMemLocationTypeDevice, 0};
    cudaMemPool_t pool, standard;
    cudaStream_t  s, t;
    int          *p, *q, h[64];
    OK(cudaMemPoolCreate(&pool, &props));
    OK(cudaDeviceGetDefaultMemPool(&standard, 0));
    CHECK(pool != standard);
    OK(cudaStreamCreate(&s));
    OK(cudaMallocFromPoolAsync((void **)&p, 4096, pool, s));
    uint64_t used = 0;
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    CHECK(used == 4096);

    cudaMemAccessDesc   desc = {{cudaMemLocationTypeDevice, 1}, cudaMemAccessFlagsProtReadWrite};
    cudaMemAccessFlags  flags;
    OK(cudaMemPoolGetAccess(&flags, pool, &desc.location));
    CHECK(flags == cudaMemAccessFlagsProtNone);
    OK(cudaMemPoolSetAccess(pool, &desc, 1));
    OK(cudaMemPoolGetAccess(&flags, pool, &desc.location));
    CHECK(flags == cudaMemAccessFlagsProtReadWrite);
    OK(cudaMallocFromPoolAsync((void **)&q, 256, pool, s)); /* made after access was given */
    OK(cudaStreamSynchronize(s));
    OK(cudaSetDevice(1));
    OK(cudaStreamCreate(&t));
    one<<<1, 64, 0, t>>>(p);
    one<<<1, 64, 0, t>>>(q);
    OK(cudaStreamSynchronize(t));
    OK(cudaSetDevice(0));
    OK(cudaMemcpy(h, q, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[63] == 1);

    void       *dst[2] = {q, h};
    const void *src[2] = {p, q};
    size_t      bytes[2] = {256, 256}, first = 0;
    cudaMemcpyAttributes attributes = {};
    attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    OK(cudaMemcpyBatchAsync(dst, src, bytes, 2, &attributes, &first, 1, s));
    OK(cudaStreamSynchronize(s));
    CHECK(h[0] == 1);
    FAILS(cudaMemcpyBatchAsync(dst, src, bytes, 2, &attributes, &first, 1, 0), cudaErrorInvalidValue);
    OK(cudaFreeAsync(p, s));
    OK(cudaFreeAsync(q, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    CHECK(used == 0);
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &used));
    CHECK(used == 4096 + 256);
    OK(cudaMemPoolDestroy(pool));

    int *m, value = -5, list[3];
    OK(cudaMallocManaged(&m, 1 << 16));
    cudaMemLocation device = {cudaMemLocationTypeDevice, 1}, host = {cudaMemLocationTypeHost, 0};
    OK(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeLastPrefetchLocation, m, 1 << 16));
    CHECK(value == cudaInvalidDeviceId);
    OK(cudaMemAdvise(m, 1 << 16, cudaMemAdviseSetReadMostly, host));
    OK(cudaMemAdvise(m, 1 << 16, cudaMemAdviseSetPreferredLocation, device));
    OK(cudaMemAdvise(m, 1 << 16, cudaMemAdviseSetAccessedBy, device));
    OK(cudaMemPrefetchAsync(m, 1 << 16, host, 0, 0));
    OK(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, m, 1 << 16));
    CHECK(value == 1);
    OK(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributePreferredLocation, m, 100));
    CHECK(value == 1);
    OK(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeLastPrefetchLocation, m, 100));
    CHECK(value == cudaCpuDeviceId);
    OK(cudaMemRangeGetAttribute(list, 12, cudaMemRangeAttributeAccessedBy, m, 100));
    CHECK(list[0] == 1 && list[1] == cudaInvalidDeviceId);
    FAILS(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, h, 100), cudaErrorInvalidValue);
    OK(cudaFree(m));
    return passed();
}
