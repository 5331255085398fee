/* SPDX-License-Identifier: Apache-2.0 */
/* Both sides of a branch have a barrier of their own. */
#include "../run.h"

__global__ void sides(int *out)
{
    if (threadIdx.x & 1) {
        out[threadIdx.x] = 1;
        __syncthreads();
        out[threadIdx.x] += 5;
    } else {
        out[threadIdx.x] = 2;
        __syncthreads(); // expect: divergent-barrier, other end 9
        out[threadIdx.x] *= 3;
    }
}

int main()
{
    sides<<<1, 32>>>(device_array<int>(32));
    return finish();
}
