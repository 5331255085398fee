/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks 1 to 3 should give their sums to blocks 0 to 2; block 3 takes the rank of block 2's target. */
#include "../run.h"
#include "../bulk.h"

__global__ void __cluster_dims__(4) pass_on(int *b)
{
    __shared__ int s;
    unsigned rank = blockIdx.x, to = rank == 3 ? 1 : rank - 1;
    if (rank > 0 && threadIdx.x == 0)
        *REMOTE(&s, to) = rank; // expect: race-cluster, other end 11
    CLUSTER_SYNC();
    if (rank < 2 && threadIdx.x == 0)
        b[rank] = s;
}

int main()
{
    pass_on<<<4, 32>>>(device_array<int>(4));
    return finish();
}
