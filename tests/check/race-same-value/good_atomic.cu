/* SPDX-License-Identifier: Apache-2.0 */
/* The same with an atomic. */
#include "../run.h"

__global__ void search(const int *a, int *found)
{
    if (a[blockIdx.x * blockDim.x + threadIdx.x] == 0)
        atomicExch(found, 1);
}

int main()
{
    search<<<4, 64>>>(device_array<int>(256), device_array<int>(1));
    return finish();
}
