/* SPDX-License-Identifier: Apache-2.0 */
/* Two buffers take turns: one barrier in each round is enough. */
#include "../run.h"

__global__ void rounds(int *out)
{
    __shared__ int s[2][64];
    int v = threadIdx.x;
    for (int r = 0; r < 6; r++) {
        s[r & 1][threadIdx.x] = v;
        __syncthreads();
        v += s[r & 1][(threadIdx.x + 33) % 64];
    }
    out[threadIdx.x] = v;
}

int main()
{
    rounds<<<1, 64>>>(device_array<int>(64));
    return finish();
}
