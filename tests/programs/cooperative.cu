/* SPDX-License-Identifier: Apache-2.0
 *
 * A grid-wide barrier and the launch that it needs.
 * varies: blocks wait for each other in loops */
#include "check.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void two_phases(int *a, int *sum, int n)
{
    cg::grid_group g = cg::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = i;
    g.sync();
    if (i < n)
        atomicAdd(sum, a[n - 1 - i]);
}

/* 48 registers at the barrier: of blocks of 1024 threads a card holds one, where the occupancy, which knows no registers of PTX, says two. */
__global__ void wide(const int *a, int *sum)
{
    int v[48], all = 0;
#pragma unroll
    for (int i = 0; i < 48; i++)
        v[i] = a[(threadIdx.x + i) % 2000];
    cg::this_grid().sync();
#pragma unroll
    for (int i = 0; i < 48; i++)
        all += v[i] * (i + 1);
    if (all < 0)
        *sum = 0;
}

int main()
{
    int *a, *sum, n = 2000, got = 0, blocks = 0;
    OK(cudaMalloc(&a, n * sizeof(int)));
    OK(cudaMalloc(&sum, sizeof(int)));
    OK(cudaMemset(sum, 0, sizeof(int)));
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, two_phases, 128, 0));
    CHECK(blocks >= 1);
    void *args[] = {&a, &sum, &n};
    OK(cudaLaunchCooperativeKernel(two_phases, dim3(16), dim3(128), args));
    OK(cudaMemcpy(&got, sum, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(got == n * (n - 1) / 2);
    cudaDeviceProp p;
    OK(cudaGetDeviceProperties(&p, 0));
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, wide, 1024, 0));
    void *few[] = {&a, &sum};
    OK(cudaLaunchCooperativeKernel(wide, dim3(blocks * p.multiProcessorCount), dim3(1024), few));
    OK(cudaDeviceSynchronize());
    FAILS(cudaLaunchCooperativeKernel(two_phases, dim3(1000000), dim3(128), args), cudaErrorCooperativeLaunchTooLarge);
    return passed();
}
