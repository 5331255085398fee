/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the host behind the kernels whose memory they use, by their stream or by an event, and a thread that waits for one of them by a
 * variable; host lines. */
#include "../run.h"

__global__ void fill(int *p)
{
    p[threadIdx.x] = threadIdx.x;
}

struct Told {
    int         *p;
    volatile int sum, done;
};

static void sum(void *user)
{
    Told *t = (Told *)user;
    int   n = 0;
    for (int i = 0; i < 64; i++)
        n += t->p[i]++;
    t->sum  = n;
    t->done = 1;
}

int main()
{
    int         *p, *q;
    cudaStream_t s, t;
    cudaEvent_t  e;
    cudaMallocHost(&p, 64 * sizeof(int));
    cudaMallocManaged(&q, 64 * sizeof(int));
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaEventCreate(&e);
    Told a = {p, 0, 0}, b = {q, 0, 0};
    fill<<<1, 64, 0, s>>>(p);
    cudaLaunchHostFunc(s, sum, &a);
    fill<<<1, 64, 0, s>>>(q);
    cudaEventRecord(e, s);
    cudaStreamWaitEvent(t, e);
    cudaLaunchHostFunc(t, sum, &b);
    while (!b.done)
        ;
    int code = a.sum != 2016 || b.sum != 2016 || p[1] != 2 || q[1] != 2;
    code += finish();
    cudaFreeHost(p);
    cudaFree(q);
    return code;
}
