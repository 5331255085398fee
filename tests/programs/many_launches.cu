/* SPDX-License-Identifier: Apache-2.0
 *
 * Many launches of few kernels: one is always the same, one has seven shapes, one does another amount of work each time and has as many
 * shapes as launches.  How often each runs is the program's argument (default: 300).
 * options: --keep-launches 100 */
#include "check.h"

__global__ void same(int *p)
{
    p[threadIdx.x] += 1;
}

__global__ void shapes(int *p)
{
    atomicAdd(p + 32, 1);
}

__global__ void work(int *p, int n)
{
    if (threadIdx.x == 0)
        for (int i = 0; i < n % 13; i++)
            atomicAdd(p + 33, 1);
}

int main(int argc, char **argv)
{
    int  n = argc > 1 ? atoi(argv[1]) : 300, expect = 0, more = 0, got[34];
    int *p;
    OK(cudaMalloc(&p, sizeof got));
    OK(cudaMemset(p, 0, sizeof got));
    for (int i = 0; i < n; i++) {
        same<<<1, 32>>>(p);
        shapes<<<1 + i % 7, 1>>>(p);
        work<<<dim3(1, 1 + i / 1024), 1 + i % 1024>>>(p, i);
        expect += 1 + i % 7;
        more += (1 + i / 1024) * (i % 13);
    }
    OK(cudaMemcpy(got, p, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(got[0] == n && got[31] == n && got[32] == expect && got[33] == more);
    return passed();
}
