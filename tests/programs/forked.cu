/* SPDX-License-Identifier: Apache-2.0
 *
 * A process forks before it uses CUDA: the child may use it.  It forks again while threads of its streams wait for each other: the child is
 * refused, as read on an H200, and ends without those threads, which are not in it; the parent goes on.
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

static int refused(int *p, cudaStream_t s, cudaEvent_t ended)
{
    int n, *q;
    OK(cudaDriverGetVersion(&n));
    OK(cudaRuntimeGetVersion(&n));
    OK(cudaGetDeviceCount(&n));
    OK(cudaEventQuery(ended));
    OK(cudaEventSynchronize(ended));
    CHECK(!strcmp(cudaGetErrorName(cudaErrorInitializationError), "cudaErrorInitializationError"));
    FAILS(cudaGetDevice(&n), cudaErrorInitializationError);
    FAILS(cudaSetDevice(0), cudaErrorInitializationError);
    FAILS(cudaMalloc(&q, 64), cudaErrorInitializationError);
    FAILS(cudaFree(p), cudaErrorInitializationError);
    FAILS(cudaMemset(p, 0, 4), cudaErrorInitializationError);
    FAILS(cudaStreamSynchronize(s), cudaErrorInitializationError);
    FAILS(cudaStreamQuery(s), cudaErrorInitializationError);
    FAILS(cudaEventRecord(ended, s), cudaErrorInitializationError);
    FAILS(cudaDeviceSynchronize(), cudaErrorInitializationError);
    FAILS(cudaDeviceReset(), cudaErrorInitializationError);
    FAILS(cudaGetLastError(), cudaErrorInitializationError);
    add<<<1, 32>>>(p);
    FAILS(cudaGetLastError(), cudaErrorInitializationError);
    pid_t pid = fork(); /* nor its own children */
    if (pid == 0)
        _exit(cudaFree(0) == cudaErrorInitializationError ? 3 : 0);
    CHECK(waitpid(pid, &n, 0) == pid && WIFEXITED(n) && WEXITSTATUS(n) == 3);
    return 7;
}

int main()
{
    volatile int *flag;
    int          *p, h, status;
    cudaEvent_t   ended;
    pid_t         first = fork();
    if (first == 0)
        _exit(child());
    CHECK(waitpid(first, &status, 0) == first && WIFEXITED(status) && WEXITSTATUS(status) == ROUNDS);
    OK(cudaEventCreate(&ended));
    OK(cudaEventRecord(ended));
    OK(cudaEventSynchronize(ended));
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
        _exit(refused(p, s[0], ended));
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 7);
    *flag = 1;
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(&h, p, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h == STREAMS - 1);
    return passed();
}
