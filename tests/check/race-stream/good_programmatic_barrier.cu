/* SPDX-License-Identifier: Apache-2.0 */
/* A programmatic launch reads what the kernel before it writes, behind a barrier behind one thread's wait. */
#include "../programmatic.h"

__global__ void produce(int *a)
{
    cudaTriggerProgrammaticLaunchCompletion();
    a[threadIdx.x] = threadIdx.x;
}

__global__ void consume(const int *a, int *b)
{
    if (threadIdx.x == 0)
        cudaGridDependencySynchronize();
    __syncthreads();
    b[threadIdx.x] = a[threadIdx.x];
}

int main()
{
    int *a = device_array<int>(64), *b = device_array<int>(64);
    produce<<<1, 64>>>(a);
    launch_programmatic(consume, a, b);
    return finish();
}
