/* SPDX-License-Identifier: Apache-2.0 */
/* Each block of a kernel that launches kernels has a part of its own, for itself and its child; all read what the host has written. */
#include "../run.h"

__global__ void child(int *a, const int *in)
{
    a[threadIdx.x] += in[threadIdx.x];
}

__global__ void parent(int *a, const int *in)
{
    int *own         = a + blockIdx.x * 32;
    own[threadIdx.x] = in[31 - threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0)
        child<<<1, 32>>>(own, in);
}

int main()
{
    parent<<<3, 32>>>(device_array<int>(96), device_array<int>(32));
    return finish();
}
