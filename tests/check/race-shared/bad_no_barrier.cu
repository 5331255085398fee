/* SPDX-License-Identifier: Apache-2.0 */
/* A block reverses an array through shared memory and does not wait for the others to write theirs. */
#include "../run.h"

__global__ void reverse(int *a)
{
    __shared__ int tile[128];
    int i = threadIdx.x;
    tile[i] = a[i];
    a[i] = tile[127 - i]; // expect: race-shared, other end 9
}

int main()
{
    reverse<<<1, 128>>>(device_array<int>(128));
    return finish();
}
