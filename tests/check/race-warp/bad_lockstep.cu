/* SPDX-License-Identifier: Apache-2.0 */
/* The last steps of a reduction, as they were written when the lanes of a warp ran in step. */
#include "../run.h"

__global__ void reduce(float *a)
{
    __shared__ float s[64];
    int i = threadIdx.x;
    s[i] = a[i];
    s[i + 32] = a[i + 32];
    __syncwarp();
    if (i < 16)
        s[i] += s[i + 16];
    if (i < 8)
        s[i] += s[i + 8]; // expect: race-warp, other end 13
    __syncwarp();
    a[i] = s[0];
}

int main()
{
    reduce<<<1, 32>>>(device_array<float>(64));
    return finish();
}
