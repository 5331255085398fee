/* SPDX-License-Identifier: Apache-2.0 */
/* All threads set a shared flag, to one and the same value. */
#include "../run.h"

__global__ void set(int *out)
{
    __shared__ int flag;
    flag = out[0]; // expect: race-same-value, other end 8
    __syncthreads();
    out[threadIdx.x] = flag;
}

int main()
{
    set<<<1, 64>>>(device_array<int>(64));
    return finish();
}
