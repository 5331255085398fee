/* SPDX-License-Identifier: Apache-2.0
 *
 * Two devices, when there are: memory of one used by a kernel of the other; and which a thread has that chose none.
 * options: --devices 2
 * fails: 1 */
#include "check.h"

__global__ void twice(const int *from, int *to, int n)
{
    int i = threadIdx.x;
    if (i < n)
        to[i] = 2 * from[i];
}

int main()
{
    int n = 0, can = 0, *a, *b, v[32];
    OK(cudaGetDeviceCount(&n));
    if (n < 2)
        return passed();
    OK(cudaDeviceCanAccessPeer(&can, 1, 0));
    CHECK(can);
    int list[] = {1, 0}, device;
    OK(cudaSetValidDevices(list, 2));
    OK(cudaGetDevice(&device));
    CHECK(device == 1);
    OK(cudaSetValidDevices(nullptr, 0));
    OK(cudaGetDevice(&device));
    CHECK(device == 0);
    for (int i = 0; i < 32; i++)
        v[i] = i;
    OK(cudaSetDevice(0));
    OK(cudaMalloc(&a, sizeof v));
    OK(cudaMemcpy(a, v, sizeof v, cudaMemcpyHostToDevice));
    OK(cudaSetDevice(1));
    OK(cudaMalloc(&b, sizeof v));
    OK(cudaDeviceEnablePeerAccess(0, 0));
    FAILS(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessAlreadyEnabled);
    cudaGetLastError();
    twice<<<1, 32>>>(a, b, 32);
    OK(cudaMemcpy(v, b, sizeof v, cudaMemcpyDeviceToHost));
    CHECK(v[31] == 62);
    OK(cudaMemcpyPeer(a, 0, b, 1, sizeof v));
    OK(cudaDeviceDisablePeerAccess(0));
    twice<<<1, 32>>>(a, b, 32);
    FAILS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    return passed();
}
