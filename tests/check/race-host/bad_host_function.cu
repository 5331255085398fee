/* SPDX-License-Identifier: Apache-2.0 */
/* A function of the host, behind its own stream's work alone, touches what another stream's kernel wrote; host lines. */
#include "../run.h"

__global__ void fill(int *p)
{
    p[threadIdx.x] = threadIdx.x;
}

static void sum(void *user)
{
    int *p = (int *)user;
    p[1]++; // expect: race-host, other end 7
}

int main()
{
    int         *p;
    cudaStream_t s, t;
    cudaMallocHost(&p, 64 * sizeof(int));
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaDeviceSynchronize();
    fill<<<1, 64, 0, s>>>(p);
    cudaLaunchHostFunc(t, sum, p);
    int code = finish();
    cudaFreeHost(p);
    return code;
}
