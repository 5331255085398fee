/* SPDX-License-Identifier: Apache-2.0 */
/* The chain with both fences. */
#include "../run.h"

struct Link { int flag, sum; };

__global__ void chain(volatile Link *link, unsigned *ticket, int *out)
{
    __shared__ int      before;
    __shared__ unsigned me;
    if (threadIdx.x == 0) {
        me     = atomicAdd(ticket, 1);
        before = 0;
        if (me) {
            while (link[me - 1].flag == 0) {}
            __threadfence();
            before = link[me - 1].sum;
        }
        link[me].sum = before + 1;
        __threadfence();
        link[me].flag = 1;
    }
    __syncthreads();
    out[me * blockDim.x + threadIdx.x] = before + (int)threadIdx.x;
}

int main()
{
    Link     *link   = device_array<Link>(8);
    unsigned *ticket = device_array<unsigned>(1);
    int      *out    = device_array<int>(8 * 32);
    chain<<<8, 32>>>(link, ticket, out);
    return finish();
}
