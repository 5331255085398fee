/* SPDX-License-Identifier: Apache-2.0 */
/* What the host reads too early lies behind a third of a gigabyte of other shared memory (host lines). */
#include "../run.h"

static const size_t N = (size_t)80 << 20;

__global__ void mark(int *x, size_t n)
{
    x[n - 1 - threadIdx.x] = 1;
}

int main()
{
    int *x;
    cudaMallocManaged(&x, N * sizeof *x);
    mark<<<1, 32>>>(x, N);
    int v = ((volatile int *)x)[N - 5]; // expect: race-host, other end 9
    int r = finish();
    cudaFree(x);
    return r + (v > 1);
}
