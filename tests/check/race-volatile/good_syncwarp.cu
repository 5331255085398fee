/* SPDX-License-Identifier: Apache-2.0 */
/* Volatile and __syncwarp(). */
#include "../run.h"

__global__ void reduce(float *a)
{
    __shared__ float s[64];
    volatile float *v = s;
    int i = threadIdx.x;
    v[i] = a[i];
    __syncwarp();
    for (int n = 16; n; n /= 2) {
        float sum = i < n ? v[i] + v[i + n] : 0;
        __syncwarp();
        if (i < n)
            v[i] = sum;
        __syncwarp();
    }
    a[i] = v[0];
}

int main()
{
    reduce<<<1, 32>>>(device_array<float>(64));
    return finish();
}
