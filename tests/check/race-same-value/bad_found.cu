/* SPDX-License-Identifier: Apache-2.0 */
/* Every thread that finds something says so in the same place with the same value. */
#include "../run.h"

__global__ void search(const int *a, int *found)
{
    if (a[blockIdx.x * blockDim.x + threadIdx.x] == 0)
        *found = 1; // expect: race-same-value, other end 8
}

int main()
{
    search<<<4, 64>>>(device_array<int>(256), device_array<int>(1));
    return finish();
}
