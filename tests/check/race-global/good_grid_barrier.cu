/* SPDX-License-Identifier: Apache-2.0 */
/* A cooperative launch: steps of a stencil in place, with grid barriers between reading and writing. */
#include <cooperative_groups.h>
#include "../run.h"

__global__ void steps(float *a, int n)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 3; k++) {
        float right = i + 1 < n ? a[i + 1] : 0;
        grid.sync();
        a[i] = right + 1;
        grid.sync();
    }
}

int main()
{
    float *a = device_array<float>(256);
    int n = 256;
    void *args[] = {&a, &n};
    cudaLaunchCooperativeKernel((void *)steps, 4, 64, args);
    return finish();
}
