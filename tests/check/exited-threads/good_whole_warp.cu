/* SPDX-License-Identifier: Apache-2.0 */
/* A whole warp returns: no warp is split. */
#include "../run.h"

__global__ void most(int *a)
{
    if (threadIdx.x >= 32)
        return;
    a[threadIdx.x] = 1;
    __syncthreads();
    a[threadIdx.x + 64] = a[(threadIdx.x + 1) % 32];
}

int main()
{
    most<<<1, 64>>>(device_array<int>(128));
    return finish();
}
