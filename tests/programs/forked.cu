/* SPDX-License-Identifier: Apache-2.0
 *
 * A process forks while threads of its streams wait for each other.  On a card the child could not use CUDA; here it can, and waits for streams of
 * its own: those threads are not in it.
 * varies: the program writes a flag that its kernel waits for */
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { STREAMS = 6, ROUNDS = 20 };

__global__ void wait_for(volatile int *flag)
{
    while (!*flag)
        ;
}

__global__ void add(int *p)
{
    p[threadIdx.x] += 1;
}

/* The last streams go on when the first one's kernel has seen the flag. */
static void wait_behind(cudaStream_t *s, int n, volatile int *flag, int *p)
{
    cudaEvent_t e;
    OK(cudaEventCreate(&e));
    *flag = 0;
    wait_for<<<1, 1, 0, s[0]>>>(flag);
    OK(cudaEventRecord(e, s[0]));
    for (int i = 1; i < n; i++) {
        OK(cudaStreamWaitEvent(s[i], e, 0));
        add<<<1, 32, 0, s[i]>>>(p);
    }
}

static int child(void)
{
    volatile int *flag;
    int          *p, h;
    cudaStream_t  s[2];
    OK(cudaHostAlloc((void **)&flag, sizeof *flag, cudaHostAllocDefault));
    OK(cudaMalloc(&p, 32 * sizeof *p));
    OK(cudaMemset(p, 0, 32 * sizeof *p));
    for (cudaStream_t &one : s)
        OK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    for (int i = 0; i < ROUNDS; i++) {
        wait_behind(s, 2, flag, p);
        *flag = 1;
        OK(cudaStreamSynchronize(s[1]));
    }
    OK(cudaMemcpy(&h, p, sizeof h, cudaMemcpyDeviceToHost));
    return h;
}

int main()
{
    volatile int *flag;
    int          *p, h, status;
    cudaStream_t  s[STREAMS];
    OK(cudaHostAlloc((void **)&flag, sizeof *flag, cudaHostAllocDefault));
    OK(cudaMalloc(&p, 32 * sizeof *p));
    OK(cudaMemset(p, 0, 32 * sizeof *p));
    for (cudaStream_t &one : s)
        OK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    wait_behind(s, STREAMS, flag, p);
    usleep(10000); /* their threads wait by then; if not, nothing is tried */
    pid_t pid = fork();
    if (pid == 0)
        _exit(child());
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == ROUNDS);
    *flag = 1;
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(&h, p, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h == STREAMS - 1);
    return passed();
}
