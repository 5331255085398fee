/* SPDX-License-Identifier: Apache-2.0 */
/* The old warp reduction: volatile instead of __syncwarp(). */
#include "../run.h"

__global__ void reduce(float *a)
{
    __shared__ float s[64];
    volatile float *v = s;
    int i = threadIdx.x;
    v[i] = a[i];
    v[i + 32] = a[i + 32];
    __syncwarp();
    if (i < 16)
        v[i] = v[i] + v[i + 16];
    if (i < 8)
        v[i] = v[i] + v[i + 8]; // expect: race-volatile, other end 14
    __syncwarp();
    a[i] = v[0];
}

int main()
{
    reduce<<<1, 32>>>(device_array<float>(64));
    return finish();
}
