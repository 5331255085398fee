/* SPDX-License-Identifier: Apache-2.0 */
/* A tile is filled anew before everybody has read it: the barrier at the loop's end is missing. */
#include "../run.h"

__global__ void sums(const float *a, float *out, int tiles)
{
    __shared__ float tile[64];
    float sum = 0;
    for (int t = 0; t < tiles; t++) {
        tile[threadIdx.x] = a[t * 64 + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 64; k++)
            sum += tile[k]; // expect: race-shared, other end 10
    }
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}

int main()
{
    sums<<<2, 64>>>(device_array<float>(64 * 4), device_array<float>(128), 4);
    return finish();
}
