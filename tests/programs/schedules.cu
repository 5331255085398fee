/* SPDX-License-Identifier: Apache-2.0
 *
 * Three faults that the plain order of blocks and warps does not show: command.py finds them with --schedules and shows each again with its
 * seed.  Whoever draws the first ticket is block 0, or warp 0, in that order.  Two workers may run blocks in any other.
 * options: --threads 1
 * varies: its blocks race */
#include "check.h"

__global__ void blocks(int *ticket, int *out)
{
    int mine = threadIdx.x ? 1 : atomicAdd(ticket, 1);
    if (blockIdx.x == 1 && mine == 0)
        out[1 << 20] = 1; /* only where block 1 comes first */
}

__global__ void warps(int *ticket, int *out)
{
    int mine = threadIdx.x % 32 ? 1 : atomicAdd(ticket, 1);
    if (threadIdx.x == 64 && mine == 0)
        out[1 << 20] = 2; /* only where warp 2 comes first */
}

/* One block sees the other between its two steps. */
__global__ void turns(volatile int *step, int *out)
{
    if (threadIdx.x)
        return;
    if (blockIdx.x == 1) {
        step[0] = 1;
#pragma unroll 1
        for (int i = 0; i < 100; i++)
            step[1] = i;
        step[0] = 2;
    } else if (step[0] == 1) {
        out[1 << 20] = 3; /* only where block 0 runs while block 1 does */
    }
}

int main()
{
    int *ticket, *out;
    OK(cudaMalloc(&ticket, 4 * sizeof(int)));
    OK(cudaMalloc(&out, 4));
    OK(cudaMemset(ticket, 0, 4 * sizeof(int)));
    blocks<<<2, 32>>>(ticket, out);
    warps<<<1, 96>>>(ticket + 1, out);
    turns<<<2, 32>>>(ticket + 2, out);
    OK(cudaDeviceSynchronize());
    OK(cudaFree(ticket));
    OK(cudaFree(out));
    printf("passed\n");
    return 0;
}
