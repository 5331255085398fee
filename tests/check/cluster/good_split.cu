/* SPDX-License-Identifier: Apache-2.0 */
/* Work between the arrival and the wait. */
// check: --grid 2 --block 32 --cluster 2 --arg x:i32[64]=zero
#include "../bulk.h"

__global__ void split(int *x)
{
    CLUSTER_ARRIVE();
    x[blockIdx.x * 32 + threadIdx.x] = 1;
    CLUSTER_WAIT();
}
