/* SPDX-License-Identifier: Apache-2.0 */
/* Threads past the end do nothing, and come to the barrier. */
#include "../run.h"

__global__ void shift(int *a, int n)
{
    __shared__ int s[64];
    int i = threadIdx.x;
    if (i < n)
        s[i] = a[i];
    __syncthreads();
    if (i < n)
        a[i] = s[n - 1 - i];
}

int main()
{
    shift<<<1, 64>>>(device_array<int>(50), 50);
    return finish();
}
