/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads arrive at an mbarrier of a block of their cluster that has exited.  On a card this works silently, so the program goes on; the report holds a
 * warning, and --check makes it an error.
 * warns: out-of-bounds */
#include "check.h"

__device__ void cluster_sync()
{
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

__global__ void __cluster_dims__(2, 1, 1) late(int *out)
{
    __shared__ unsigned long long bar;
    unsigned                      at = (unsigned)__cvta_generic_to_shared(&bar), there, rank = blockIdx.x % 2;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;\nfence.mbarrier_init.release.cluster;" ::"r"(at) : "memory");
    cluster_sync();
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at), "r"(threadIdx.x % 2));
    if (rank == 0)
        return;
    for (int i = 0; i < 10; i++)
        __nanosleep(100000); /* the other block ends */
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there) : "memory");
    out[blockIdx.x / 2 * blockDim.x + threadIdx.x] = (int)threadIdx.x + 1;
}

int main()
{
    int *out, v[128];
    OK(cudaMalloc(&out, sizeof v));
    late<<<4, 64>>>(out);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(v, out, sizeof v, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 128; i++)
        CHECK(v[i] == i % 64 + 1);
    OK(cudaFree(out));
    return passed();
}
