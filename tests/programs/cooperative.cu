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
    FAILS(cudaLaunchCooperativeKernel(two_phases, dim3(1000000), dim3(128), args), cudaErrorCooperativeLaunchTooLarge);
    return passed();
}
