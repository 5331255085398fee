/* SPDX-License-Identifier: Apache-2.0 */
/* The same with fences, whose scope is the block. */
#include "../run.h"

__global__ void total(float *part, unsigned *done, float *out)
{
    part[blockIdx.x] = (float)blockIdx.x;
    __threadfence_block();
    if (atomicAdd(done, 1u) == gridDim.x - 1) {
        __threadfence_block();
        float sum = 0;
        for (unsigned b = 0; b < gridDim.x; b++)
            sum += part[b]; // expect: race-global, other end 7
        *out = sum;
    }
}

int main()
{
    total<<<6, 1>>>(device_array<float>(6), device_array<unsigned>(1), device_array<float>(1));
    return finish();
}
