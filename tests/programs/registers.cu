/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers, where the program has machine code of the card: attributes, occupancy, and a launch that asks for more than there are.
 * nvcc: -gencode arch=compute_90,code=sm_90 */
#include "check.h"

enum { LIVE = 120, UNIT = 256 /* registers that a warp gets at once */, ALL = 65536, PARTS = 4 };

__global__ void many(float *a)
{
    float r[LIVE];
    for (int i = 0; i < LIVE; i++)
        r[i] = a[i * blockDim.x + threadIdx.x];
    for (int k = 0; k < 10; k++)
        for (int i = 0; i < LIVE; i++)
            r[i] = r[i] * r[(i + 7) % LIVE] + 1;
    for (int i = 0; i < LIVE; i++)
        a[i * blockDim.x + threadIdx.x] = r[i];
}

__global__ void __launch_bounds__(1024) bounded(float *a)
{
    a[threadIdx.x] = 1;
}

int main()
{
    float *a;
    OK(cudaMalloc(&a, LIVE * 1024 * sizeof(float)));
    OK(cudaMemset(a, 0, LIVE * 1024 * sizeof(float)));
    cudaFuncAttributes f;
    OK(cudaFuncGetAttributes(&f, many));
    CHECK(f.numRegs >= LIVE && f.numRegs < 256);
    int warps = ALL / ((f.numRegs * 32 + UNIT - 1) / UNIT * UNIT) / PARTS * PARTS, blocks, grid, block;
    CHECK(warps < 32 && f.maxThreadsPerBlock == warps * 32);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, many, 64, 0));
    CHECK(blocks == warps / 2);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, many, 1024, 0));
    CHECK(blocks == 0);
    OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, many, 0, 0));
    CHECK(block <= f.maxThreadsPerBlock && grid >= 1);
    many<<<1, 1024>>>(a);
    FAILS(cudaGetLastError(), cudaErrorLaunchOutOfResources);
    many<<<1, f.maxThreadsPerBlock>>>(a);
    OK(cudaDeviceSynchronize());
    OK(cudaFuncGetAttributes(&f, bounded));
    CHECK(f.numRegs > 0 && f.numRegs < 32 && f.maxThreadsPerBlock == 1024);
    bounded<<<1, 1024>>>(a);
    OK(cudaDeviceSynchronize());
    return passed();
}
