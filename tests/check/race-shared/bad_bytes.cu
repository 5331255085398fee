/* SPDX-License-Identifier: Apache-2.0 */
/* Flags of one byte each: every thread reads the flag of the next warp. */
#include "../run.h"

__global__ void flags(unsigned char *out)
{
    __shared__ unsigned char flag[128];
    flag[threadIdx.x] = threadIdx.x & 1;
    out[threadIdx.x] = flag[(threadIdx.x + 32) % 128]; // expect: race-shared, other end 8
}

int main()
{
    flags<<<1, 128>>>(device_array<unsigned char>(128));
    return finish();
}
