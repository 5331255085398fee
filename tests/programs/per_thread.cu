/* SPDX-License-Identifier: Apache-2.0
 *
 * A default stream for each thread: kernels of two threads that wait for each other, copies and events in each thread's own.
 * nvcc: --default-stream per-thread
 * varies: two threads of the program launch */
#include <pthread.h>

#include "check.h"

__global__ void ping_pong(int *turn, int me, int rounds, int *done)
{
    for (int i = 0; i < rounds; i++) {
        while (atomicAdd(turn, 0) != 2 * i + me)
            ;
        atomicAdd(turn, 1);
    }
    *done = rounds;
}

static int *turn;

static void *thread(void *me)
{
    int        *done, h = 0;
    cudaEvent_t e;
    OK(cudaMalloc(&done, sizeof *done));
    OK(cudaMemset(done, 0, sizeof *done));
    OK(cudaEventCreate(&e));
    ping_pong<<<1, 1>>>(turn, (int)(size_t)me, 30, done);
    OK(cudaEventRecord(e));
    OK(cudaMemcpy(&h, done, sizeof h, cudaMemcpyDeviceToHost)); /* waits for this thread's stream */
    CHECK(h == 30);
    OK(cudaEventQuery(e));
    OK(cudaStreamSynchronize(cudaStreamPerThread));
    OK(cudaFree(done));
    return nullptr;
}

int main()
{
    pthread_t other;
    int       h = 0;
    OK(cudaMalloc(&turn, sizeof *turn));
    OK(cudaMemset(turn, 0, sizeof *turn));
    OK(cudaStreamSynchronize(0));
    CHECK(pthread_create(&other, nullptr, thread, (void *)1) == 0);
    thread(nullptr);
    pthread_join(other, nullptr);
    OK(cudaMemcpy(&h, turn, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h == 60);
    OK(cudaFree(turn));
    return passed();
}
