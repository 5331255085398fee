/* SPDX-License-Identifier: Apache-2.0 */
/* A programmatic launch reads what the kernel before it writes, and one of its two warps waits for it, with no barrier behind. */
#include "../run.h"

__global__ void produce(int *a)
{
    cudaTriggerProgrammaticLaunchCompletion();
    a[threadIdx.x] = threadIdx.x;
}

__global__ void consume(const int *a, int *b)
{
    if (threadIdx.x < 32)
        cudaGridDependencySynchronize();
    b[threadIdx.x] = a[threadIdx.x]; // expect: race-stream, other end 8
}

int main()
{
    int                *a = device_array<int>(64), *b = device_array<int>(64);
    cudaLaunchConfig_t  c = {};
    cudaLaunchAttribute p = {};
    p.id                  = cudaLaunchAttributeProgrammaticStreamSerialization;
    p.val.programmaticStreamSerializationAllowed = 1;
    c.gridDim                                    = 1;
    c.blockDim                                   = 64;
    c.attrs                                      = &p;
    c.numAttrs                                   = 1;
    produce<<<1, 64>>>(a);
    cudaLaunchKernelEx(&c, consume, (const int *)a, b);
    return finish();
}
