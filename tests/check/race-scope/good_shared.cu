/* SPDX-License-Identifier: Apache-2.0 */
/* Block-scope atomics in shared memory. */
#include "../run.h"

__global__ void count(int *out)
{
    __shared__ int n;
    if (threadIdx.x == 0)
        n = 0;
    __syncthreads();
    atomicAdd_block(&n, 1);
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = n;
}

int main()
{
    count<<<4, 64>>>(device_array<int>(4));
    return finish();
}
