/* SPDX-License-Identifier: Apache-2.0 */
/* Each thread writes into the array of its neighbour. */
#include "../run.h"

__global__ void give(int *out, int k)
{
    __shared__ float *box[64];
    float             own[4];
    for (int i = 0; i < 4; i++)
        own[(i + k) % 4] = i;
    box[threadIdx.x] = own;
    __syncthreads();
    box[(threadIdx.x + 1) % 64][k] = 5; // expect: foreign-local
    __syncthreads();
    out[threadIdx.x] = (int)own[k];
}

int main()
{
    give<<<1, 64>>>(device_array<int>(64), 3);
    return finish();
}
