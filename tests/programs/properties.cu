/* SPDX-License-Identifier: Apache-2.0
 *
 * What a device says of itself, three ways that must agree. */
#include "check.h"

int main()
{
    int n = 0, value = 0, device = -1, version = 0;
    cudaDeviceProp p;
    OK(cudaGetDeviceCount(&n));
    CHECK(n >= 1);
    OK(cudaSetDevice(0));
    OK(cudaGetDevice(&device));
    CHECK(device == 0);
    OK(cudaGetDeviceProperties(&p, 0));
    CHECK(p.major >= 1 && strlen(p.name) > 0 && p.totalGlobalMem > (1u << 20));
    CHECK(p.warpSize == 32 && p.maxThreadsPerBlock == 1024 && p.maxThreadsDim[2] == 64);
    CHECK(p.maxGridSize[0] == 2147483647 && p.maxGridSize[1] == 65535);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    CHECK(value == p.multiProcessorCount);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    CHECK((size_t)value == p.sharedMemPerBlockOptin);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrL2CacheSize, 0));
    CHECK(value == p.l2CacheSize);
    CHECK(p.cooperativeLaunch && p.managedMemory && p.unifiedAddressing && p.canMapHostMemory && p.concurrentKernels);
    size_t f = 0, t = 0;
    OK(cudaMemGetInfo(&f, &t));
    CHECK(f > 0 && f <= t && t == p.totalGlobalMem);
    OK(cudaRuntimeGetVersion(&version));
    CHECK(version >= 11000);
    FAILS(cudaGetDeviceProperties(&p, 99), cudaErrorInvalidDevice);
    FAILS(cudaSetDevice(-1), cudaErrorInvalidDevice);
    OK(cudaSetDeviceFlags(cudaDeviceScheduleAuto));
    OK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 21));
    OK(cudaDeviceGetLimit(&f, cudaLimitPrintfFifoSize));
    CHECK(f == 1 << 21);
    OK(cudaDeviceReset());
    return passed();
}
