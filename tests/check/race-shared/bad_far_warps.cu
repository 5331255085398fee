/* SPDX-License-Identifier: Apache-2.0 */
/* The halves of the largest block swap what they have, and do not wait for each other: the warps that meet are sixteen apart. */
#include "../run.h"

__global__ void swap(int *a)
{
    __shared__ int tile[1024];
    int i = threadIdx.x;
    tile[i] = a[i];
    a[i] = tile[i ^ 512]; // expect: race-shared, other end 9
}

int main()
{
    swap<<<1, 1024>>>(device_array<int>(1024));
    return finish();
}
