/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread goes ahead of others that wait at an mbarrier: it initialises the mbarrier again, or ends it, before they have looked.  A card wakes
 * whoever waits when a phase completes, and ends nothing of an mbarrier's state, so both programs end there; the report has a warning for
 * the second, and --check makes it an error.
 * warns: mbarrier
 * warns: mbarrier */
#include "check.h"

#define THREADS 256

__device__ static void arrive_and_wait(unsigned at)
{
    unsigned long long state;
    int                over;
    asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
    do
        asm volatile("{ .reg .pred p; mbarrier.try_wait.shared::cta.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }"
                     : "=r"(over)
                     : "r"(at), "l"(state)
                     : "memory");
    while (!over);
}

__device__ static void begin(unsigned at, int count)
{
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at), "r"(count) : "memory");
}

__global__ void again(int *out)
{
    __shared__ unsigned long long bar;
    unsigned                      at = (unsigned)__cvta_generic_to_shared(&bar);
    begin(at, THREADS);
    __syncthreads();
    arrive_and_wait(at);
    for (int i = 0; i < 8; i++)
        arrive_and_wait(at);
    begin(at, THREADS / 2); /* no barrier: whoever waited is through */
    __syncthreads();
    if (threadIdx.x < THREADS / 2)
        arrive_and_wait(at);
    out[threadIdx.x] = (int)threadIdx.x + 1;
}

__global__ void ended(int *out)
{
    __shared__ unsigned long long bar;
    unsigned                      at = (unsigned)__cvta_generic_to_shared(&bar);
    begin(at, THREADS);
    __syncthreads();
    arrive_and_wait(at);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(at) : "memory");
    __syncthreads();
    arrive_and_wait(at);
    out[threadIdx.x] = (int)threadIdx.x + 1;
}

static void run(void (*kernel)(int *))
{
    int *out, v[THREADS];
    OK(cudaMalloc(&out, sizeof v));
    OK(cudaMemset(out, 0, sizeof v));
    kernel<<<1, THREADS>>>(out);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(v, out, sizeof v, cudaMemcpyDeviceToHost));
    for (int i = 0; i < THREADS; i++)
        CHECK(v[i] == i + 1);
    OK(cudaFree(out));
}

int main()
{
    run(again);
    run(ended);
    return passed();
}
