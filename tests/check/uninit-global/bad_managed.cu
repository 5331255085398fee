/* SPDX-License-Identifier: Apache-2.0 */
/* What nobody wrote is copied to memory that the host reads by itself. */
#include "../run.h"

__global__ void publish(const int *from, int *to)
{
    to[threadIdx.x] = from[threadIdx.x]; // expect: uninit-global
}

int main()
{
    int *a, *m, sum = 0;
    cudaMalloc(&a, 128);
    cudaMallocManaged(&m, 128);
    publish<<<1, 32>>>(a, m);
    cudaDeviceSynchronize();
    for (int i = 0; i < 32; i++)
        sum |= m[i];
    cudaFree(a);
    cudaFree(m);
    return finish() + (sum == 12345);
}
