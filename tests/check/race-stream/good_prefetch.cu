/* SPDX-License-Identifier: Apache-2.0 */
/* Prefetching moves managed memory and changes nothing in it. */
#include "../run.h"

__global__ void add(int *a)
{
    a[threadIdx.x]++;
}

int main()
{
    int            *a;
    cudaStream_t    s, t;
    cudaMemLocation device = {};
    device.type            = cudaMemLocationTypeDevice;
    cudaMallocManaged(&a, 64 * sizeof(int));
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaDeviceSynchronize();
    add<<<1, 64, 0, s>>>(a);
    cudaMemPrefetchAsync(a, 64 * sizeof(int), device, 0, t);
    return finish();
}
