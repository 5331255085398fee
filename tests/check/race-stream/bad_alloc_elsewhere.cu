/* SPDX-License-Identifier: Apache-2.0 */
/* A stream uses memory that another one allocates in its order. */
#include "../run.h"

__global__ void fill(int *a)
{
    a[threadIdx.x] = 1; // expect: race-stream
}

int main()
{
    int         *a;
    cudaStream_t s, t;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaMallocAsync(&a, 64 * sizeof *a, s);
    fill<<<1, 64, 0, t>>>(a);
    cudaDeviceSynchronize();
    cudaFreeAsync(a, t);
    return finish();
}
