/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels of several streams that wait for each other, while the program waits for all of them: each stands still most of the time, and none
 * may be taken for one that hangs.
 * varies: blocks wait for each other in loops */
#include "check.h"

enum { STREAMS = 4, ROUNDS = 150 };

/* Plain looks and stores between the fences of a hand-made queue. */
__global__ void pass_on(volatile int *turn, int me, int *sum)
{
    for (int i = 0; i < ROUNDS; i++) {
        if (threadIdx.x == 0)
            while (*turn != i * STREAMS + me)
                ;
        __syncthreads();
        sum[threadIdx.x] += me;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0)
            *turn = i * STREAMS + me + 1;
    }
}

/* Waits for a kernel that has not begun when it does. */
__global__ void wait_for(const volatile int *turn, int value)
{
    while (*turn != value)
        ;
}

static void CUDART_CB begin(void *turn)
{
    *(volatile int *)turn = 0;
}

int main()
{
    int         *turn, *sum, h[64];
    cudaStream_t s[STREAMS], first, last;
    OK(cudaHostAlloc(&turn, sizeof *turn, cudaHostAllocMapped));
    OK(cudaMalloc(&sum, sizeof h));
    OK(cudaMemset(sum, 0, sizeof h));
    OK(cudaDeviceSynchronize());
    *turn = -1;
    for (auto &one : s)
        OK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&last, cudaStreamNonBlocking));
    wait_for<<<3, 32, 0, last>>>(turn, STREAMS * ROUNDS);
    for (int i = STREAMS - 1; i >= 0; i--)
        pass_on<<<1, 64, 0, s[i]>>>(turn, i, sum);
    OK(cudaLaunchHostFunc(first, begin, turn));
    OK(cudaDeviceSynchronize());
    CHECK(*turn == STREAMS * ROUNDS);
    OK(cudaMemcpy(h, sum, sizeof h, cudaMemcpyDeviceToHost));
    for (int v : h)
        CHECK(v == ROUNDS * STREAMS * (STREAMS - 1) / 2);
    return passed();
}
