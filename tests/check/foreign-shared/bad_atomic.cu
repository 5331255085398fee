/* SPDX-License-Identifier: Apache-2.0 */
/* A counter in shared memory is offered to all blocks. */
#include "../run.h"

__global__ void count(int **slot, int *flag)
{
    __shared__ int counter;
    if (threadIdx.x == 0)
        counter = 0;
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        *(int *volatile *)slot = &counter;
        __threadfence();
        atomicExch(flag, 1);
    }
    if (blockIdx.x != 0) {
        while (atomicAdd(flag, 0) == 0)
            ;
        __threadfence();
        atomicAdd(*(int *volatile *)slot, 1); // expect: foreign-shared, other end 12
    }
}

int main()
{
    count<<<2, 32>>>(device_array<int *>(1), device_array<int>(1));
    return finish();
}
