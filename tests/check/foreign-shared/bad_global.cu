/* SPDX-License-Identifier: Apache-2.0 */
/* The first block leaves the address of its shared array where the second one finds it. */
#include "../run.h"

__global__ void look(int **slot, int *out)
{
    __shared__ int s[32];
    s[threadIdx.x] = blockIdx.x;
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        atomicExch((unsigned long long *)slot + 1, 1ull);
        *(int *volatile *)slot = s;
        __threadfence();
        atomicExch((int *)(slot + 2), 1);
    }
    if (blockIdx.x == 1) {
        while (atomicAdd((int *)(slot + 2), 0) == 0)
            ;
        __threadfence();
        int *p = *(int *volatile *)slot;
        out[threadIdx.x] = p[threadIdx.x]; // expect: foreign-shared, other end 12
    }
}

int main()
{
    look<<<2, 32>>>(device_array<int *>(4), device_array<int>(32));
    return finish();
}
