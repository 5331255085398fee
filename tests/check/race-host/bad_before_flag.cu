/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel says when its result is there, but the host takes the result first and looks at the flag afterwards (host lines). */
#include "../run.h"

__global__ void answer(volatile int *result, volatile int *ready, int *more)
{
    more[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        *result = 42;
        __threadfence_system();
        *ready = 1;
    }
}

int main()
{
    volatile int *box;
    int          *more;
    cudaHostAlloc((void **)&box, 2 * sizeof *box, cudaHostAllocMapped);
    cudaMallocManaged(&more, 32 * sizeof *more);
    box[1] = 0;
    answer<<<1, 32>>>(&box[0], &box[1], more);
    int early = *(volatile int *)&more[7]; // expect: race-host, other end 7
    while (box[1] == 0) {}
    int late = more[7] + box[0];
    int r    = finish();
    cudaFreeHost((void *)box);
    cudaFree(more);
    return r + (late != 49) + (early > 7);
}
