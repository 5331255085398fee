/* SPDX-License-Identifier: Apache-2.0 */
/* Failures that are answers: what is not ready yet, peers, pointers of the host, symbols, occupancy, devices that are not there (host lines). */
#include "../run.h"

__global__ void until(volatile int *go)
{
    while (!*go)
        ;
}

int main()
{
    int n, device, can, blocks, local, *go;
    cudaPointerAttributes a;
    cudaFuncAttributes f;
    cudaFree(0);
    cudaFree(nullptr);
    cudaGetDeviceCount(&n);
    cudaGetDevice(&device);
    cudaDeviceCanAccessPeer(&can, 0, 7);
    cudaDeviceEnablePeerAccess(0, 0);
    cudaPointerGetAttributes(&a, &local);
    cudaFuncGetAttributes(&f, (const void *)main);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, until, 1 << 20, 0);
    cudaHostAlloc(&go, sizeof *go, cudaHostAllocDefault);
    *go = 0;
    cudaEvent_t done;
    cudaEventCreate(&done);
    until<<<1, 1>>>(go);
    cudaEventRecord(done);
    while (cudaEventQuery(done) == cudaErrorNotReady || cudaStreamQuery(0) == cudaErrorNotReady)
        *(volatile int *)go = 1;
    cudaDeviceSynchronize();
    cudaFreeHost(go);
    return 0;
}
