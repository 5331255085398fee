/* SPDX-License-Identifier: Apache-2.0
 *
 * The limits that a kernel depends on: the device-side heap is as large as it was asked to be, until a kernel had memory of it, and again
 * after a reset; a deep recursion has the stack that was asked for. */
#include "check.h"

__global__ void take(size_t bytes, int *got)
{
    void *p = malloc(bytes);
    *got    = p != nullptr;
    free(p);
}

static int taken(size_t mib)
{
    int *got, n = 0;
    OK(cudaMalloc(&got, sizeof n));
    take<<<1, 1>>>(mib << 20, got);
    OK(cudaMemcpy(&n, got, sizeof n, cudaMemcpyDeviceToHost));
    OK(cudaFree(got));
    return n;
}

/* A thread's frame holds 256 bytes at least, all of them read. */
__device__ __noinline__ int deep(int n)
{
    volatile int kept[64];
    for (int i = 0; i < 64; i++)
        kept[i] = n;
    return n ? deep(n - 1) + kept[n % 64] : 0;
}

__global__ void dive(int n, int *sum)
{
    *sum = deep(n);
}

int main()
{
    size_t bytes = 0;
    CHECK(taken(4) == 1);
    CHECK(taken(24) == 0);
    OK(cudaDeviceReset());
    OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, (size_t)64 << 20));
    OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, (size_t)32 << 20));
    FAILS(cudaDeviceSetLimit(cudaLimitMallocHeapSize, (size_t)1 << 50), cudaErrorMemoryAllocation);
    CHECK(taken(24) == 1);
    CHECK(taken(40) == 0);
    FAILS(cudaDeviceSetLimit(cudaLimitMallocHeapSize, (size_t)64 << 20), cudaErrorInvalidValue);
    OK(cudaDeviceGetLimit(&bytes, cudaLimitMallocHeapSize));
    CHECK(bytes == (size_t)32 << 20);

    int *sum, n = 0;
    OK(cudaDeviceSetLimit(cudaLimitStackSize, 400 << 10));
    OK(cudaMalloc(&sum, sizeof n));
    dive<<<1, 1>>>(1000, sum);
    OK(cudaMemcpy(&n, sum, sizeof n, cudaMemcpyDeviceToHost));
    CHECK(n == 1000 * 1001 / 2);

    OK(cudaDeviceReset());
    OK(cudaDeviceGetLimit(&bytes, cudaLimitMallocHeapSize));
    CHECK(bytes == (size_t)8 << 20);
    OK(cudaDeviceGetLimit(&bytes, cudaLimitStackSize));
    CHECK(bytes == 1024);
    CHECK(taken(24) == 0);
    CHECK(taken(4) == 1);
    return passed();
}
