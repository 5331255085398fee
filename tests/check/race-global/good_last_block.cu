/* SPDX-License-Identifier: Apache-2.0 */
/* The last block adds up what the others left: fence, atomic, barrier, fence. */
#include "../run.h"

__global__ void total(float *part, unsigned *done, float *out)
{
    __shared__ bool last;
    part[blockIdx.x * 64 + threadIdx.x] = (float)blockIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(done, 1u) == gridDim.x - 1;
    __syncthreads();
    if (last) {
        __threadfence();
        float sum = 0;
        for (unsigned b = 0; b < gridDim.x; b++)
            sum += part[b * 64 + threadIdx.x];
        out[threadIdx.x] = sum;
        if (threadIdx.x == 0)
            *done = 0; /* for the next launch */
    }
}

int main()
{
    total<<<6, 64>>>(device_array<float>(6 * 64), device_array<unsigned>(1), device_array<float>(64));
    return finish();
}
