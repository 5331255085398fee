/* SPDX-License-Identifier: Apache-2.0 */
/* A programmatic launch writes what the kernel before it still reads. */
#include "../programmatic.h"

__global__ void produce(int *a)
{
    cudaTriggerProgrammaticLaunchCompletion();
    a[threadIdx.x + 64] = a[threadIdx.x];
}

__global__ void consume(const int *a, int *b)
{
    const_cast<int *>(a)[threadIdx.x] = 1; // expect: race-stream, other end 8
}

int main()
{
    int *a = device_array<int>(128), *b = device_array<int>(64);
    produce<<<1, 64>>>(a);
    launch_programmatic(consume, a, b);
    return finish();
}
