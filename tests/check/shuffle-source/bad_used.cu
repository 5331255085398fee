/* SPDX-License-Identifier: Apache-2.0 */
/* What is taken from lanes that take no part is an index, decides a branch, is added to by others, goes to shared memory, and out of a function. */
#include "../run.h"

__global__ void index(const int *in, int *out)
{
    int v = threadIdx.x;
    if (threadIdx.x < 16) {
        int k = __shfl_down_sync(0x0000ffffu, v, 8); // expect: shuffle-source
        out[threadIdx.x] = in[k & 31];
    }
}

__global__ void branch(int *out)
{
    int v = threadIdx.x;
    if (threadIdx.x < 16) {
        int k = __shfl_xor_sync(0x0000ffffu, v, 16); // expect: shuffle-source
        if (k > 3)
            atomicExch(out, out[1]);
    }
}

__global__ void adds(int *out)
{
    int v = threadIdx.x;
    if (threadIdx.x < 16)
        atomicAdd(out + threadIdx.x, __shfl_xor_sync(0x0000ffffu, v, 16)); // expect: shuffle-source
}

__device__ __noinline__ int from_above(int v)
{
    return __shfl_xor_sync(0x0000ffffu, v, 16); // expect: shuffle-source
}

__global__ void shared(int *out)
{
    __shared__ int s[16];
    int            v = threadIdx.x;
    if (threadIdx.x < 16) {
        s[threadIdx.x] = 3 * from_above(v);
        __syncwarp(0x0000ffffu);
        out[threadIdx.x] = s[threadIdx.x ^ 1];
    }
}

int main()
{
    int *out = device_array<int>(32);
    index<<<1, 32>>>(device_array<int>(32), out);
    branch<<<1, 32>>>(out);
    adds<<<1, 32>>>(out);
    shared<<<1, 32>>>(out);
    return finish();
}
