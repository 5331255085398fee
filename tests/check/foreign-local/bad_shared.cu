/* SPDX-License-Identifier: Apache-2.0 */
/* One thread offers its array to the block. */
#include "../run.h"

__global__ void look(int *out, int k)
{
    __shared__ const int *offered;
    int own[8];
    for (int i = 0; i < 8; i++)
        own[(i + k) % 8] = i + (int)threadIdx.x;
    if (threadIdx.x == 0)
        offered = own;
    __syncthreads();
    out[threadIdx.x] = offered[k] + own[k % 3]; // expect: foreign-local, other end 12
}

int main()
{
    look<<<1, 64>>>(device_array<int>(64), 3);
    return finish();
}
