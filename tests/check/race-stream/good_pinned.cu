/* SPDX-License-Identifier: Apache-2.0 */
/* The buffer is used again when the event behind its last copy has been waited for; pageable memory is copied before the call returns. */
#include "../run.h"

__global__ void add(int *a)
{
    a[threadIdx.x]++;
}

int main()
{
    int         *a = device_array<int>(64), *b = device_array<int>(64), *h, pageable[64] = {0};
    cudaStream_t s, t;
    cudaEvent_t  copied;
    cudaMallocHost(&h, 64 * sizeof(int));
    cudaDeviceSynchronize();
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaEventCreate(&copied);
    add<<<1, 64, 0, s>>>(a);
    cudaMemcpyAsync(h, a, 64 * sizeof(int), cudaMemcpyDeviceToHost, s);
    cudaEventRecord(copied, s);
    cudaStreamWaitEvent(t, copied, 0);
    cudaMemcpyAsync(b, h, 64 * sizeof(int), cudaMemcpyHostToDevice, t);
    cudaMemcpyAsync(a, pageable, sizeof pageable, cudaMemcpyHostToDevice, s);
    cudaMemcpyAsync(pageable, b, sizeof pageable, cudaMemcpyDeviceToHost, t);
    add<<<1, 64, 0, s>>>(a);
    cudaDeviceSynchronize();
    cudaFreeHost(h);
    return finish();
}
