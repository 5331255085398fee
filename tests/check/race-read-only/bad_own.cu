/* SPDX-License-Identifier: Apache-2.0 */
/* A thread reads back what it wrote itself. */
#include "../run.h"

__global__ void count(int *x, int n)
{
    for (int i = 0; i < n; i++)
        x[blockIdx.x * 32 + threadIdx.x] = __ldg(&x[blockIdx.x * 32 + threadIdx.x]) + 1; // expect: race-read-only
}

int main()
{
    count<<<2, 32>>>(device_array<int>(32 * 2), 3);
    return finish();
}
