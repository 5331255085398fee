/* SPDX-License-Identifier: Apache-2.0 */
/* A barrier in a branch that all threads take, or none. */
#include "../run.h"

__global__ void uniform(int *out, int rounds)
{
    __shared__ int s[64];
    for (int r = 0; r < rounds; r++) {
        s[threadIdx.x] = r + threadIdx.x;
        if (r & 1)
            __syncthreads();
        else
            out[blockIdx.x * 64 + threadIdx.x] += s[threadIdx.x];
    }
}

int main()
{
    uniform<<<2, 64>>>(device_array<int>(128), 4);
    return finish();
}
