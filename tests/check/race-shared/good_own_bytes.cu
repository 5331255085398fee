/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbours write neighbouring bytes of one word: different places, no race, and no barrier needed. */
#include "../run.h"

__global__ void bytes(unsigned char *out)
{
    __shared__ unsigned char s[128];
    s[threadIdx.x] = (unsigned char)threadIdx.x;
    out[threadIdx.x] = (unsigned char)(s[threadIdx.x] + 1);
}

int main()
{
    bytes<<<1, 128>>>(device_array<unsigned char>(128));
    return finish();
}
