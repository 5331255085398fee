/* SPDX-License-Identifier: Apache-2.0 */
/* Whole warps go around a barrier that counts the others. */
#include "../run.h"

__global__ void warps(int *out)
{
    __shared__ int s[64];
    if (threadIdx.x < 64) {
        s[threadIdx.x] = threadIdx.x;
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[threadIdx.x] = s[63 - threadIdx.x];
    }
    __syncthreads();
    out[threadIdx.x] += 1;
}

int main()
{
    warps<<<1, 128>>>(device_array<int>(128));
    return finish();
}
