/* SPDX-License-Identifier: Apache-2.0 */
/* The second kernel uses the memory when the first one has said, through memory, that it is done with it. */
#include "../run.h"

__global__ void first(int *x, volatile int *flag)
{
    x[threadIdx.x] = (int)threadIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        *flag = 1;
}

__global__ void second(int *x, volatile int *flag)
{
    if (threadIdx.x == 0)
        while (*flag == 0) {}
    __syncthreads();
    __threadfence();
    x[threadIdx.x] += 1;
}

int main()
{
    cudaStream_t a, b;
    int         *x = device_array<int>(64), *flag = device_array<int>(1);
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaDeviceSynchronize();
    second<<<1, 64, 0, b>>>(x, flag);
    first<<<1, 64, 0, a>>>(x, flag);
    return finish();
}
