/* SPDX-License-Identifier: Apache-2.0 */
/* Two reductions in two streams share the memory for their parts; both have fences and a counter of their own. */
#include "../run.h"

__global__ void reduce(const float *x, float *part, unsigned *done, float *out)
{
    if (threadIdx.x == 0) {
        part[blockIdx.x] = x[blockIdx.x]; // expect: race-stream
        __threadfence();
        if (atomicAdd(done, 1) == gridDim.x - 1) {
            __threadfence();
            float sum = 0;
            for (unsigned i = 0; i < gridDim.x; i++)
                sum += part[i];
            *out = sum;
        }
    }
}

int main()
{
    cudaStream_t a, b;
    float       *x = device_array<float>(8), *part = device_array<float>(8), *out = device_array<float>(2);
    unsigned    *done = device_array<unsigned>(2);
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaDeviceSynchronize();
    reduce<<<8, 32, 0, a>>>(x, part, done, out);
    reduce<<<8, 32, 0, b>>>(x, part, done + 1, out + 1);
    return finish();
}
