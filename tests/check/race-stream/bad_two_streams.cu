/* SPDX-License-Identifier: Apache-2.0 */
/* Two streams work on one array and nothing orders them. */
#include "../run.h"

__global__ void produce(int *a)
{
    a[threadIdx.x] = threadIdx.x;
}

__global__ void consume(const int *a, int *b)
{
    b[threadIdx.x] = a[threadIdx.x]; // expect: race-stream, other end 7
}

int main()
{
    int         *a = device_array<int>(64), *b = device_array<int>(64);
    cudaStream_t s, t;
    cudaDeviceSynchronize();
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    produce<<<1, 64, 0, s>>>(a);
    consume<<<1, 64, 0, t>>>(a, b);
    return finish();
}
