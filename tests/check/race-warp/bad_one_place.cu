/* SPDX-License-Identifier: Apache-2.0 */
/* All lanes write their number to one place. */
#include "../run.h"

__global__ void last(int *out)
{
    __shared__ int who;
    who = threadIdx.x; // expect: race-warp, other end 8
    __syncthreads();
    out[threadIdx.x] = who;
}

int main()
{
    last<<<1, 32>>>(device_array<int>(32));
    return finish();
}
