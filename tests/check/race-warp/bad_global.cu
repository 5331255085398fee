/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes exchange through global memory, relying on running in step. */
#include "../run.h"

__global__ void rotate(int *a)
{
    a[threadIdx.x] = threadIdx.x;
    int v = a[(threadIdx.x + 1) % 32]; // expect: race-warp, other end 7
    a[32 + threadIdx.x] = v;
}

int main()
{
    rotate<<<1, 32>>>(device_array<int>(64));
    return finish();
}
