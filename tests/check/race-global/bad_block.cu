/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of one block exchange through global memory with no barrier. */
#include "../run.h"

__global__ void rotate(int *a, int *b)
{
    a[threadIdx.x] = threadIdx.x;
    b[threadIdx.x] = a[(threadIdx.x + 32) % 64]; // expect: race-global, other end 7
}

int main()
{
    rotate<<<1, 64>>>(device_array<int>(64), device_array<int>(64));
    return finish();
}
