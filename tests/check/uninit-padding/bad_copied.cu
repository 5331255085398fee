/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel copies structures with their padding, and the host reads the copy. */
#include "../run.h"

struct Pair { short s; int i; };

__global__ void set(Pair *p)
{
    p[threadIdx.x].s = 1;
    p[threadIdx.x].i = (int)threadIdx.x;
}

__global__ void copy(const long long *from, long long *to)
{
    to[threadIdx.x] = from[threadIdx.x]; // expect: uninit-padding
}

int main()
{
    Pair *a, *b, h[32];
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&b, sizeof h);
    set<<<1, 32>>>(a);
    copy<<<1, 32>>>((long long *)a, (long long *)b);
    cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    return finish();
}
