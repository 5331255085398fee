/* SPDX-License-Identifier: Apache-2.0 */
/* The lanes of a warp write one value to one place. */
#include "../run.h"

__global__ void lanes(float *out, float v)
{
    out[blockIdx.x] = v * 2; // expect: race-same-value, other end 7
}

int main()
{
    lanes<<<3, 32>>>(device_array<float>(3), 1.5f);
    return finish();
}
