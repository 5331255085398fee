/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels that wait for memory which nobody is left to change, each in a process of its own: the program waits for the device too, so the launch
 * ends, and with it the program's wait.
 * fails: 9
 * varies: how long a kernel waits before it is ended */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static const cudaError_t LOST = cudaErrorLaunchTimeout;

__global__ void wait_for(const volatile int *flag, int value)
{
    while (*flag != value)
        ;
}

__global__ void wait_then_set(int *flag, int *other)
{
    while (!atomicAdd(flag, 0))
        __nanosleep(20);
    atomicExch(other, 1);
}

__global__ void count_up(int *out, int n)
{
    for (int i = 0; i < n; i++)
        atomicAdd(out, 1);
}

static int *zeros(void)
{
    int *p;
    OK(cudaMalloc(&p, 64));
    OK(cudaMemset(p, 0, 64));
    OK(cudaDeviceSynchronize());
    return p;
}

static void flag_of_nobody(void)
{
    wait_for<<<3, 64>>>(zeros(), 1);
    FAILS(cudaDeviceSynchronize(), LOST);
}

static void mapped_flag(void)
{
    int *flag;
    OK(cudaHostAlloc(&flag, sizeof *flag, cudaHostAllocMapped));
    *flag = 0;
    wait_for<<<1, 1>>>(flag, 1);
    FAILS(cudaStreamSynchronize(0), LOST);
}

static void managed_flag(void)
{
    int *flag, host;
    OK(cudaMallocManaged(&flag, sizeof *flag));
    *flag = 0;
    wait_for<<<1, 96>>>(flag, 1);
    FAILS(cudaMemcpy(&host, flag, sizeof host, cudaMemcpyDefault), LOST);
}

/* Each of two kernels would set the other's flag. */
static void each_for_the_other(void)
{
    int         *flags = zeros();
    cudaStream_t a, b;
    OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    wait_then_set<<<1, 32, 0, a>>>(flags, flags + 1);
    wait_then_set<<<1, 32, 0, b>>>(flags + 1, flags);
    FAILS(cudaDeviceSynchronize(), LOST);
}

/* What would set the flag stands behind the kernel. */
static void behind_itself(void)
{
    int         *flag = zeros(), one = 1;
    cudaStream_t s;
    cudaEvent_t  e;
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    OK(cudaEventCreate(&e));
    wait_for<<<1, 32>>>(flag, 1);
    OK(cudaEventRecord(e));
    OK(cudaStreamWaitEvent(s, e, 0));
    OK(cudaMemcpyAsync(flag, &one, sizeof one, cudaMemcpyHostToDevice, s));
    FAILS(cudaStreamSynchronize(s), LOST);
}

/* It waits, and another kernel works for a while. */
static void after_work(void)
{
    int         *flag = zeros();
    cudaStream_t s;
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    wait_for<<<1, 32>>>(flag, -1);
    count_up<<<1, 32, 0, s>>>(flag + 1, 100000);
    FAILS(cudaDeviceSynchronize(), LOST);
}

static void *synchronise(void *stream)
{
    FAILS(cudaStreamSynchronize((cudaStream_t)stream), LOST);
    return nullptr;
}

static void two_threads(void)
{
    pthread_t    t;
    cudaStream_t s;
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    wait_for<<<1, 32, 0, s>>>(zeros(), 1);
    CHECK(pthread_create(&t, nullptr, synchronise, s) == 0);
    FAILS(cudaDeviceSynchronize(), LOST);
    CHECK(pthread_join(t, nullptr) == 0);
}

static void in_a_graph(void)
{
    int            *flag = zeros();
    cudaStream_t    s;
    cudaGraph_t     g;
    cudaGraphExec_t e;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    count_up<<<1, 32, 0, s>>>(flag + 1, 10);
    wait_for<<<1, 32, 0, s>>>(flag, 1);
    count_up<<<1, 32, 0, s>>>(flag + 1, 10);
    OK(cudaStreamEndCapture(s, &g));
    OK(cudaGraphInstantiate(&e, g, 0));
    OK(cudaGraphLaunch(e, s));
    FAILS(cudaStreamSynchronize(s), LOST);
}

/* Half of the block is at a barrier. */
__global__ void half(const int *flag)
{
    if (threadIdx.x < 32)
        while (atomicAdd((int *)flag, 0) == 0)
            ;
    __syncthreads();
}

static void half_a_block(void)
{
    half<<<20, 64>>>(zeros());
    FAILS(cudaDeviceSynchronize(), LOST);
}

int main()
{
    static void (*const all[])(void) = {flag_of_nobody, mapped_flag, managed_flag, each_for_the_other, behind_itself,
                                        after_work,     two_threads, in_a_graph,   half_a_block};
    for (auto one : all) {
        int   status;
        pid_t pid = fork();
        if (pid == 0) {
            one();
            exit(0);
        }
        CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    return passed();
}
