/* SPDX-License-Identifier: Apache-2.0 */
/* The last block adds up what the others wrote; its pointer says that nobody writes there. */
#include "../run.h"

__device__ float total(const float *__restrict__ part, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += __ldg(part + i); // expect: race-read-only
    return sum;
}

__global__ void reduce(float *part, unsigned *done, float *out)
{
    if (threadIdx.x == 0) {
        part[blockIdx.x] = blockIdx.x;
        __threadfence();
        if (atomicAdd(done, 1) == gridDim.x - 1) {
            __threadfence();
            *out = total(part, (int)gridDim.x);
        }
    }
}

int main()
{
    reduce<<<8, 32>>>(device_array<float>(8), device_array<unsigned>(1), device_array<float>(1));
    return finish();
}
