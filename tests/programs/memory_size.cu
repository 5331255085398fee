/* SPDX-License-Identifier: Apache-2.0
 *
 * A device has as much memory as it says, and not more; with an argument, as many MiB as that. */
#include "check.h"

int main(int argc, char **argv)
{
    size_t         free_bytes, total;
    void          *p;
    cudaDeviceProp prop;
    OK(cudaMemGetInfo(&free_bytes, &total));
    OK(cudaGetDeviceProperties(&prop, 0));
    CHECK(prop.totalGlobalMem == total && free_bytes <= total);
    CHECK(argc < 2 || total == (size_t)atoll(argv[1]) << 20);
    FAILS(cudaMalloc(&p, total + (size_t(4) << 30)), cudaErrorMemoryAllocation);
    CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
    OK(cudaMalloc(&p, free_bytes / 2));
    OK(cudaFree(p));
    return passed();
}
