/* SPDX-License-Identifier: Apache-2.0 */
/* The last thread of the block leaves at once. */
#include "../run.h"

__global__ void most(int *a)
{
    if (threadIdx.x == blockDim.x - 1)
        return;
    a[threadIdx.x] = 1;
    __syncthreads(); // expect: exited-threads
    a[threadIdx.x + 64] = a[(threadIdx.x + 1) % 63];
}

int main()
{
    most<<<1, 64>>>(device_array<int>(128));
    return finish();
}
