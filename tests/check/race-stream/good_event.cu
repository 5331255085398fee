/* SPDX-License-Identifier: Apache-2.0 */
/* An event orders the two streams; another one the next round behind this one. */
#include "../run.h"

__global__ void produce(int *a)
{
    a[threadIdx.x]++;
}

__global__ void consume(const int *a, int *b)
{
    b[threadIdx.x] = a[threadIdx.x];
}

int main()
{
    int         *a = device_array<int>(64), *b = device_array<int>(64);
    cudaStream_t s, t;
    cudaEvent_t  made, used;
    cudaDeviceSynchronize();
    cudaStreamCreate(&s);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaEventCreate(&made);
    cudaEventCreate(&used);
    for (int round = 0; round < 3; round++) {
        cudaStreamWaitEvent(s, used, 0);
        produce<<<1, 64, 0, s>>>(a);
        cudaEventRecord(made, s);
        cudaStreamWaitEvent(t, made, 0);
        consume<<<1, 64, 0, t>>>(a, b);
        cudaEventRecord(used, t);
    }
    return finish();
}
