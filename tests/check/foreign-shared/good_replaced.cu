/* SPDX-License-Identifier: Apache-2.0 */
/* One place in global memory has an address of shared memory first, then one of global memory, which another block takes. */
#include "../run.h"

__global__ void offer(int **slot, int *flag, int *shown, int *out)
{
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        *(int *volatile *)slot = s;
        shown[0]               = (*(int *volatile *)slot)[3];
        *(int *volatile *)slot = shown;
        __threadfence();
        atomicExch(flag, 1);
    }
    if (blockIdx.x == 1) {
        while (atomicAdd(flag, 0) == 0)
            ;
        __threadfence();
        out[threadIdx.x] = (*(int *volatile *)slot)[threadIdx.x] + s[31 - threadIdx.x];
    }
}

int main()
{
    offer<<<2, 32>>>(device_array<int *>(1), device_array<int>(1), device_array<int>(32), device_array<int>(32));
    return finish();
}
