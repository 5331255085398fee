/* SPDX-License-Identifier: Apache-2.0 */
/* Every block has a flag of its own, and one thread that sets it. */
#include "../run.h"

__global__ void search(const int *a, int *found)
{
    int any = __syncthreads_or(a[blockIdx.x * blockDim.x + threadIdx.x] == 0);
    if (threadIdx.x == 0)
        found[blockIdx.x] = any;
}

int main()
{
    search<<<4, 64>>>(device_array<int>(256), device_array<int>(4));
    return finish();
}
