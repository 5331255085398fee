/* SPDX-License-Identifier: Apache-2.0 */
/* The event is recorded before the kernel that it should stand behind. */
#include "../run.h"

__global__ void produce(int *a)
{
    a[threadIdx.x]++;
}

__global__ void consume(const int *a, int *b)
{
    b[threadIdx.x] = a[threadIdx.x]; // expect: race-stream, other end 7
}

int main()
{
    int         *a = device_array<int>(64), *b = device_array<int>(64);
    cudaStream_t s, t;
    cudaEvent_t  made;
    cudaDeviceSynchronize();
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaEventCreate(&made);
    cudaEventRecord(made, s);
    produce<<<1, 64, 0, s>>>(a);
    cudaStreamWaitEvent(t, made, 0);
    consume<<<1, 64, 0, t>>>(a, b);
    return finish();
}
