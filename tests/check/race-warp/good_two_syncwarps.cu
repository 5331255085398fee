/* SPDX-License-Identifier: Apache-2.0 */
/* Both sides of a branch wait for each other at different __syncwarp() calls with the same mask. */
#include "../run.h"

__global__ void sides(int *out)
{
    __shared__ int s[32];
    int i = threadIdx.x;
    s[i] = i;
    if (i < 16) {
        __syncwarp();
        out[i] = s[i + 16];
    } else {
        __syncwarp();
        out[i] = s[i - 16] + 1;
    }
}

int main()
{
    sides<<<1, 32>>>(device_array<int>(32));
    return finish();
}
