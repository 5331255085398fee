/* SPDX-License-Identifier: Apache-2.0 */
/* What is offered to the block lies in shared memory. */
#include "../run.h"

__global__ void look(int *out, int k)
{
    __shared__ const int *offered;
    __shared__ int        shared[8];
    int                   own[8];
    int                  *mine = own;
    for (int i = 0; i < 8; i++)
        mine[(i + k) % 8] = i;
    if (threadIdx.x == 0) {
        for (int i = 0; i < 8; i++)
            shared[i] = own[i];
        offered = shared;
    }
    __syncthreads();
    out[threadIdx.x] = offered[k] + own[k % 3];
}

int main()
{
    look<<<1, 64>>>(device_array<int>(64), 3);
    return finish();
}
