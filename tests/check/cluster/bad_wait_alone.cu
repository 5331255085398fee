/* SPDX-License-Identifier: Apache-2.0 */
/* A wait that nobody arrived for. */
// check: --grid 2 --block 32 --cluster 2 --arg x:i32[64]=zero
#include "../bulk.h"

__global__ void wait(int *x)
{
    CLUSTER_WAIT(); // expect: cluster
    x[blockIdx.x * 32 + threadIdx.x] = 1;
}
