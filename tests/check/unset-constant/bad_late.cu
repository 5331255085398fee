/* SPDX-License-Identifier: Apache-2.0 */
/* The constant is set behind the launch that wants it; the next one is right. */
#include "../run.h"

__constant__ int count;

__global__ void early(int *x)
{
    if (threadIdx.x < count) // expect: unset-constant
        x[threadIdx.x] = 1;
}

__global__ void late(int *x)
{
    if (threadIdx.x < count)
        x[threadIdx.x] = 1;
}

int main()
{
    int *x = device_array<int>(32), n = 8;
    early<<<1, 32>>>(x);
    cudaMemcpyToSymbol(count, &n, sizeof n);
    late<<<1, 32>>>(x);
    int code = finish();
    cudaFree(x);
    return code;
}
