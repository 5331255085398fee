/* SPDX-License-Identifier: Apache-2.0 */
/* A stream frees memory that another one may still use. */
#include "../run.h"

__global__ void fill(int *a)
{
    a[threadIdx.x] = 1; // expect: race-stream
}

int main()
{
    int         *a;
    cudaStream_t s, t;
    cudaEvent_t  allocated;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaEventCreate(&allocated);
    cudaMallocAsync(&a, 64 * sizeof *a, s);
    cudaEventRecord(allocated, s);
    cudaStreamWaitEvent(t, allocated, 0);
    fill<<<1, 64, 0, t>>>(a);
    cudaFreeAsync(a, s);
    return finish();
}
