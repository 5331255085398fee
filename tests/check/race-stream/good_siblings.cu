/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel launches kernels, in order: in one stream, behind an event, last of all, and side by side with memory of their own. */
#include "../run.h"

__global__ void adds(int *a)
{
    a[threadIdx.x] += 2;
}

__global__ void one_stream(int *a, int *b)
{
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    adds<<<1, 32, 0, s>>>(a);
    adds<<<1, 32, 0, s>>>(a);
    adds<<<1, 32>>>(b);
    adds<<<1, 32>>>(b);
}

__global__ void last(int *a)
{
    adds<<<1, 32>>>(a);
    adds<<<1, 32, 0, cudaStreamTailLaunch>>>(a);
}

__global__ void behind_event(int *a)
{
    cudaStream_t s, t;
    cudaEvent_t  e;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    adds<<<1, 32, 0, s>>>(a);
    cudaEventRecord(e, s);
    cudaStreamWaitEvent(t, e, 0);
    adds<<<1, 32, 0, t>>>(a);
}

__global__ void own(int *a)
{
    adds<<<1, 32>>>(a + 32 * blockIdx.x);
}

int main()
{
    one_stream<<<1, 1>>>(device_array<int>(32), device_array<int>(32));
    last<<<1, 1>>>(device_array<int>(32));
    behind_event<<<1, 1>>>(device_array<int>(32));
    own<<<2, 1>>>(device_array<int>(64));
    return finish();
}
