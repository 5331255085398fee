/* SPDX-License-Identifier: Apache-2.0 */
/* One thread of the block writes for all. */
#include "../run.h"

__global__ void clear(int *out)
{
    __shared__ int flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    out[threadIdx.x] = flag;
}

int main()
{
    clear<<<1, 64>>>(device_array<int>(64));
    return finish();
}
