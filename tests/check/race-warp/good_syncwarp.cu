/* SPDX-License-Identifier: Apache-2.0 */
/* The last steps of a reduction with a __syncwarp() between reading and writing, and writing and reading. */
#include "../run.h"

__global__ void reduce(float *a)
{
    __shared__ float s[64];
    int i = threadIdx.x;
    s[i] = a[i];
    s[i + 32] = a[i + 32];
    __syncwarp();
    for (int n = 32; n; n /= 2) {
        float v = s[i + n];
        __syncwarp();
        s[i] += v;
        __syncwarp();
    }
    a[i] = s[0];
}

int main()
{
    reduce<<<1, 32>>>(device_array<float>(64));
    return finish();
}
