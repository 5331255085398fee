/* SPDX-License-Identifier: Apache-2.0 */
/* What the device does have: printf, malloc and free. */
// check: --grid 1 --block 64 --arg x:i32[64]=iota

#include <cstdio>

__global__ void library(int *x)
{
    int *p = static_cast<int *>(malloc(4));
    *p     = x[threadIdx.x];
    if (*p == 64)
        printf("%d", *p);
    free(p);
}
