/* SPDX-License-Identifier: Apache-2.0 */
/* Each block keeps the address of its shared array in global memory for itself; one address of global memory goes to all. */
#include "../run.h"

__global__ void look(int **slot, int *shown, int *out)
{
    __shared__ int s[32];
    s[threadIdx.x] = blockIdx.x;
    if (threadIdx.x == 0) {
        slot[2 * blockIdx.x]     = s;
        slot[2 * blockIdx.x + 1] = shown;
    }
    __syncthreads();
    int *p = ((int *volatile *)slot)[2 * blockIdx.x], *q = ((int *volatile *)slot)[2 * blockIdx.x + 1];
    out[blockIdx.x * 32 + threadIdx.x] = p[31 - threadIdx.x] + q[threadIdx.x];
}

int main()
{
    look<<<4, 32>>>(device_array<int *>(8), device_array<int>(32), device_array<int>(128));
    return finish();
}
