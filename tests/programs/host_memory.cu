/* SPDX-License-Identifier: Apache-2.0
 *
 * Pinned, mapped and registered host memory as the device sees it. */
#include "check.h"

__global__ void square(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] *= p[i];
}

int main()
{
    const int n = 3000;
    int *pinned, *seen, *own = (int *)malloc(n * sizeof(int));
    OK(cudaHostAlloc(&pinned, n * sizeof(int), cudaHostAllocMapped));
    OK(cudaHostRegister(own, n * sizeof(int), cudaHostRegisterDefault));
    for (int i = 0; i < n; i++)
        pinned[i] = own[i] = i;
    OK(cudaHostGetDevicePointer(&seen, pinned, 0));
    square<<<(n + 127) / 128, 128>>>(seen, n);
    OK(cudaHostGetDevicePointer(&seen, own, 0));
    square<<<(n + 127) / 128, 128>>>(seen, n);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        CHECK(pinned[i] == i * i && own[i] == i * i);
    FAILS(cudaHostRegister(own, 64, 0), cudaErrorHostMemoryAlreadyRegistered);
    OK(cudaHostUnregister(own));
    FAILS(cudaHostUnregister(own), cudaErrorHostMemoryNotRegistered);
    cudaPointerAttributes a;
    OK(cudaPointerGetAttributes(&a, pinned));
    CHECK(a.type == cudaMemoryTypeHost);
    OK(cudaFreeHost(pinned));
    free(own);
    return passed();
}
