/* SPDX-License-Identifier: Apache-2.0 */
/* Two arrivals and no wait between. */
// check: --grid 2 --block 32 --cluster 2 --arg x:i32[64]=zero
#include "../bulk.h"

__global__ void twice(int *x)
{
    CLUSTER_ARRIVE();
    CLUSTER_ARRIVE(); // expect: cluster
    CLUSTER_WAIT();
    x[blockIdx.x * 32 + threadIdx.x] = 1;
}
