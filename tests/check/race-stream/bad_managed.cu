/* SPDX-License-Identifier: Apache-2.0 */
/* Managed memory that two streams use. */
#include "../run.h"

__global__ void add(int *a)
{
    a[threadIdx.x]++; // expect: race-stream
}

int main()
{
    int         *a;
    cudaStream_t s, t;
    cudaMallocManaged(&a, 64 * sizeof(int));
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaDeviceSynchronize();
    add<<<1, 64, 0, s>>>(a);
    cudaMemsetAsync(a, 0, 64 * sizeof(int), t);
    return finish();
}
