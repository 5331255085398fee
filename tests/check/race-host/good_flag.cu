/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel says through pinned memory, behind a fence for the system, that its result is there. */
#include "../run.h"

__global__ void answer(volatile int *result, volatile int *ready)
{
    *result = 42;
    __threadfence_system();
    *ready = 1;
}

int main()
{
    volatile int *box;
    cudaHostAlloc((void **)&box, 2 * sizeof *box, cudaHostAllocMapped);
    box[1] = 0;
    answer<<<1, 1>>>(&box[0], &box[1]);
    while (box[1] == 0) {}
    int v = box[0];
    int r = finish();
    cudaFreeHost((void *)box);
    return r + (v != 42);
}
