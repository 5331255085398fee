/* SPDX-License-Identifier: Apache-2.0 */
/* The host reads while a function of its own still waits in the kernel's stream; host lines. */
#include "../run.h"

__global__ void fill(int *p)
{
    p[threadIdx.x] = threadIdx.x;
}

static void wait(void *user)
{
    while (!*(volatile int *)user)
        ;
}

int main()
{
    int         *p, go = 0;
    cudaStream_t s, t;
    cudaMallocHost(&p, 64 * sizeof(int));
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    fill<<<1, 64, 0, s>>>(p);
    cudaLaunchHostFunc(t, wait, &go);
    int first = ((volatile int *)p)[1]; // expect: race-host, other end 7
    *(volatile int *)&go = 1;
    int code = finish();
    cudaFreeHost(p);
    return code + (first > 64);
}
