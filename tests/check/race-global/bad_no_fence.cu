/* SPDX-License-Identifier: Apache-2.0 */
/* The last block adds up what the others left, counted with an atomic; nobody released the partial sums. */
#include "../run.h"

__global__ void total(float *part, unsigned *done, float *out)
{
    part[blockIdx.x] = (float)blockIdx.x;
    if (atomicAdd(done, 1u) == gridDim.x - 1) {
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
