/* SPDX-License-Identifier: Apache-2.0 */
/* Each thread adds its neighbour's element to its own, in place, with no barrier between reading and writing. */
#include "../run.h"

__global__ void smooth(float *a)
{
    __shared__ float s[257];
    int i = threadIdx.x;
    s[i] = a[i];
    __syncthreads();
    float sum = s[i] + s[i + 1];
    s[i] = sum; // expect: race-shared, other end 11
    __syncthreads();
    a[i] = s[i];
}

int main()
{
    smooth<<<1, 256>>>(device_array<float>(257));
    return finish();
}
