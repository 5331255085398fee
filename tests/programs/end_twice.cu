/* SPDX-License-Identifier: Apache-2.0
 *
 * An mbarrier is ended twice, as libcu++'s pipeline and its state do when both are destroyed.  A card lets it pass, so the program goes on; the report
 * holds a warning, and --check makes it an error.
 * warns: mbarrier */
#include "check.h"

__global__ void twice(int *out)
{
    __shared__ unsigned long long bar;
    unsigned                      at = (unsigned)__cvta_generic_to_shared(&bar);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at) : "memory");
        asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(at) : "memory");
        asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(at) : "memory");
    }
    out[threadIdx.x] = (int)threadIdx.x + 1;
}

int main()
{
    int *out, v[32];
    OK(cudaMalloc(&out, sizeof v));
    twice<<<1, 32>>>(out);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(v, out, sizeof v, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++)
        CHECK(v[i] == i + 1);
    OK(cudaFree(out));
    return passed();
}
