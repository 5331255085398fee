/* SPDX-License-Identifier: Apache-2.0 */
/* One thread asks for all whether to stop and tells the block through shared memory: a hint, which needs no order. */
#include "../run.h"

__global__ void search(volatile int *stop, unsigned *n, int *out)
{
    __shared__ int enough;
    if (threadIdx.x == 0)
        enough = *stop;
    __syncthreads();
    if (!enough)
        out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    if (threadIdx.x == 0 && atomicAdd(n, 1) == 2)
        *stop = 1; // expect: race-volatile
}

int main()
{
    int      *stop = device_array<int>(1), *out = device_array<int>(256);
    unsigned *n    = device_array<unsigned>(1);
    search<<<8, 32>>>(stop, n, out);
    return finish();
}
