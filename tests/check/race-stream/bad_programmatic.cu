/* SPDX-License-Identifier: Apache-2.0 */
/* A programmatic launch reads what the kernel before it writes, and never waits for it. */
#include "../programmatic.h"

__global__ void produce(int *a)
{
    cudaTriggerProgrammaticLaunchCompletion();
    a[threadIdx.x] = threadIdx.x;
}

__global__ void consume(const int *a, int *b)
{
    b[threadIdx.x] = a[threadIdx.x]; // expect: race-stream, other end 8
}

int main()
{
    int *a = device_array<int>(64), *b = device_array<int>(64);
    produce<<<1, 64>>>(a);
    launch_programmatic(consume, a, b);
    return finish();
}
