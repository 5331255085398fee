/* SPDX-License-Identifier: Apache-2.0 */
/* A plain read before a compare-and-swap is not a guess when it is of another place, and a swap still races with a plain write. */
#include "../run.h"

__global__ void ticket(int *next, int *last)
{
    int seen = *last;
    if (atomicCAS(next, seen, seen + 1) == seen)
        atomicMax(last, seen + 1); // expect: race-global, other end 7
}

__global__ void reset(int *n)
{
    int old = *n;
    if (threadIdx.x == 32)
        *n = 0;
    else
        atomicCAS(n, old, old + 1); // expect: race-global, other end 16
}

int main()
{
    int *n = device_array<int>(3);
    ticket<<<4, 64>>>(n, n + 1);
    reset<<<1, 64>>>(n + 2);
    return finish();
}
