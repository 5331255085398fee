/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels that wait: for the host, for another stream's kernel, for each other; what queries answer meanwhile, and that order holds.
 * varies: the program writes flags that its kernels wait for */
#include <pthread.h>
#include <unistd.h>

#include "check.h"

__global__ void wait_for(volatile int *flag, int value, int *out)
{
    if (threadIdx.x == 0)
        while (*flag != value)
            ;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

__global__ void set(volatile int *flag, int value)
{
    *flag = value;
}

__global__ void ping_pong(int *turn, int me, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        while (atomicAdd(turn, 0) != 2 * i + me)
            __nanosleep(100);
        atomicAdd(turn, 1);
    }
}

/* Nothing but plain work, for a while. */
__global__ void compute(unsigned *out, int n)
{
    unsigned x = threadIdx.x;
    for (int i = 0; i < n; i++)
        x = x * 1664525u + 1013904223u;
    out[threadIdx.x] = x;
}

static volatile int *flag;
static int           order[8], called;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void CUDART_CB note(void *what)
{
    order[called++] = (int)(size_t)what;
}

static void CUDART_CB blocked(void *)
{
    pthread_mutex_lock(&lock); /* the main thread has it until after the call */
    order[called++] = 100;
    pthread_mutex_unlock(&lock);
}

int main()
{
    int         *out, *device, h[256], *pinned;
    cudaStream_t a, b;
    cudaEvent_t  e, f;
    OK(cudaHostAlloc((void **)&flag, sizeof(int), cudaHostAllocMapped));
    OK(cudaMallocHost(&pinned, sizeof h));
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMalloc(&device, 2 * sizeof(int)));
    OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    OK(cudaEventCreate(&e));
    OK(cudaEventCreate(&f));

    /* the host lets a kernel of the default stream go on; what stands behind waits its turn */
    *flag = 0;
    OK(cudaMemset(out, 0, sizeof h));
    wait_for<<<4, 64>>>(flag, 1, out);
    OK(cudaEventRecord(e));
    OK(cudaLaunchHostFunc(0, note, (void *)1));
    FAILS(cudaStreamQuery(0), cudaErrorNotReady);
    FAILS(cudaEventQuery(e), cudaErrorNotReady);
    FAILS(cudaGetLastError(), cudaSuccess);
    CHECK(called == 0);
    *flag = 1;
    OK(cudaDeviceSynchronize());
    CHECK(called == 1 && order[0] == 1);
    OK(cudaEventQuery(e));
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 256; i++)
        CHECK(h[i] == 1);

    /* a copy in another stream, then a kernel in another stream */
    OK(cudaMemset(device, 0, 2 * sizeof(int)));
    wait_for<<<4, 64, 0, a>>>(device, 7, out);
    OK(cudaMemcpyAsync(pinned, out, sizeof h, cudaMemcpyDeviceToHost, a));
    FAILS(cudaStreamQuery(a), cudaErrorNotReady);
    OK(cudaStreamQuery(b));
    int seven = 7;
    OK(cudaMemcpyAsync(device, &seven, sizeof seven, cudaMemcpyHostToDevice, b));
    OK(cudaStreamSynchronize(a));
    CHECK(pinned[0] == 7 && pinned[255] == 7);
    wait_for<<<1, 64, 0, a>>>(device, 8, out);
    set<<<1, 1, 0, b>>>(device, 8);
    OK(cudaStreamSynchronize(a));

    /* an event of a stream that waits holds back another stream; the source of a pageable copy is taken at the call */
    called = 0;
    int source[256];
    for (int i = 0; i < 256; i++)
        source[i] = i;
    wait_for<<<1, 64, 0, a>>>(device, 9, out);
    OK(cudaMemcpyAsync(out, source, sizeof source, cudaMemcpyHostToDevice, a));
    memset(source, 0xff, sizeof source);
    OK(cudaLaunchHostFunc(a, note, (void *)2));
    OK(cudaEventRecord(e, a));
    OK(cudaStreamWaitEvent(b, e, 0));
    OK(cudaLaunchHostFunc(b, note, (void *)3));
    OK(cudaEventRecord(f, b));
    usleep(20000);
    CHECK(called == 0);
    set<<<1, 1>>>(device, 9);
    OK(cudaEventSynchronize(f));
    CHECK(called == 2 && order[0] == 2 && order[1] == 3);
    float ms = -1;
    OK(cudaEventElapsedTime(&ms, e, f));
    CHECK(ms >= 0);
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 256; i++)
        CHECK(h[i] == i);

    /* two kernels that wait for each other in turn */
    OK(cudaMemset(device, 0, sizeof(int)));
    ping_pong<<<1, 1, 0, a>>>(device, 0, 20);
    ping_pong<<<1, 1, 0, b>>>(device, 1, 20);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(h, device, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(h[0] == 40);

    /* blocking streams and the default stream keep each other's order */
    cudaStream_t c;
    OK(cudaStreamCreate(&c));
    OK(cudaMemset(device, 0, 2 * sizeof(int)));
    wait_for<<<1, 64, 0, c>>>(device, 5, out);
    called = 0;
    OK(cudaLaunchHostFunc(0, note, (void *)4));
    usleep(10000);
    CHECK(called == 0);
    set<<<1, 1, 0, a>>>(device, 5);
    OK(cudaStreamSynchronize(0));
    CHECK(called == 1);

    /* a host function that waits for the program */
    pthread_mutex_lock(&lock);
    OK(cudaLaunchHostFunc(a, blocked, nullptr));
    set<<<1, 1, 0, a>>>(device, 6);
    CHECK(called == 1);
    pthread_mutex_unlock(&lock);
    OK(cudaStreamSynchronize(a));
    CHECK(called == 2 && order[1] == 100);

    /* a long kernel is left to run, and waited for */
    compute<<<1, 32, 0, a>>>((unsigned *)out, 20000000);
    OK(cudaStreamDestroy(a));
    OK(cudaDeviceSynchronize());
    unsigned x = 3;
    for (int i = 0; i < 20000000; i++)
        x = x * 1664525u + 1013904223u;
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    CHECK((unsigned)h[3] == x);
    return passed();
}
