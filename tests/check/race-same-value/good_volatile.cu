/* SPDX-License-Identifier: Apache-2.0 */
/* The same through a volatile pointer: volatile accesses are relaxed at system scope, no data race. */
#include "../run.h"

__global__ void search(const int *a, volatile int *found)
{
    if (*found == 0 && a[blockIdx.x * blockDim.x + threadIdx.x] == 0)
        *found = 1;
}

int main()
{
    search<<<4, 64>>>(device_array<int>(256), device_array<int>(1));
    return finish();
}
