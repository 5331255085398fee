/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel launches kernels side by side that use the same memory: in two streams of its own, from two blocks, and with cudaStreamFireAndForget. */
#include "../run.h"

__global__ void writes(int *a)
{
    a[threadIdx.x] = 1;
}

__global__ void reads(const int *a, int *out)
{
    out[threadIdx.x] = a[threadIdx.x]; // expect: race-stream, other end 7
}

__global__ void adds(int *a)
{
    a[threadIdx.x] += 2; // expect: race-stream, other end 17
}

__global__ void both_streams(int *a, int *out)
{
    cudaStream_t s, t;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    writes<<<1, 32, 0, s>>>(a);
    reads<<<1, 32, 0, t>>>(a, out);
}

__global__ void both_blocks(int *a)
{
    adds<<<1, 32>>>(a);
}

__global__ void at_once(int *a)
{
    adds<<<1, 32, 0, cudaStreamFireAndForget>>>(a);
    adds<<<1, 32, 0, cudaStreamFireAndForget>>>(a);
}

int main()
{
    both_streams<<<1, 1>>>(device_array<int>(32), device_array<int>(32));
    both_blocks<<<2, 1>>>(device_array<int>(32));
    at_once<<<1, 1>>>(device_array<int>(32));
    return finish();
}
