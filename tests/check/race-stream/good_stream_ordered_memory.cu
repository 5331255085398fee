/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of one stream that another uses between two events, then one behind a wait of the host, and the default stream's. */
#include "../run.h"

__global__ void fill(int *a)
{
    a[threadIdx.x] = 1;
}

int main()
{
    int         *a, *b, *c, h[64];
    cudaStream_t s, t, blocking;
    cudaEvent_t  allocated, used;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaStreamCreate(&blocking);
    cudaEventCreate(&allocated);
    cudaEventCreate(&used);
    cudaMallocAsync(&a, 64 * sizeof *a, s);
    cudaEventRecord(allocated, s);
    cudaStreamWaitEvent(t, allocated, 0);
    fill<<<1, 64, 0, t>>>(a);
    cudaEventRecord(used, t);
    cudaStreamWaitEvent(s, used, 0);
    cudaFreeAsync(a, s);
    cudaMallocAsync(&b, 64 * sizeof *b, s);
    cudaStreamSynchronize(s);
    fill<<<1, 64, 0, t>>>(b);
    cudaMemcpyAsync(h, b, sizeof h, cudaMemcpyDeviceToHost, t);
    cudaStreamSynchronize(t);
    cudaFreeAsync(b, s);
    cudaMallocAsync(&c, 64 * sizeof *c, 0);
    fill<<<1, 64, 0, blocking>>>(c);
    cudaFreeAsync(c, 0);
    return finish();
}
