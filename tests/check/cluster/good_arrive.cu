/* SPDX-License-Identifier: Apache-2.0 */
/* An arrival, its wait, and again. */
// check: --grid 2 --block 32 --cluster 2 --arg x:i32[64]=zero
#include "../bulk.h"

__global__ void twice(int *x)
{
    for (int i = 0; i < 2; i++) {
        CLUSTER_ARRIVE();
        CLUSTER_WAIT();
    }
    x[blockIdx.x * 32 + threadIdx.x] = 1;
}
