/* SPDX-License-Identifier: Apache-2.0 */
/* One block launches a kernel that writes what another block reads: launches kernels. */
#include "../run.h"

__global__ void child(int *a)
{
    a[threadIdx.x] = threadIdx.x; // expect: race-stream, other end 15
}

__global__ void parent(int *a, int *out)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        child<<<1, 32>>>(a);
    else if (blockIdx.x == 1)
        out[threadIdx.x] = a[threadIdx.x];
}

int main()
{
    parent<<<2, 32>>>(device_array<int>(32), device_array<int>(32));
    return finish();
}
