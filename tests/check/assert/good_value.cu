/* SPDX-License-Identifier: Apache-2.0 */
/* The same, and every value keeps it. */
// check: --grid 1 --block 64 --arg x:i32[64]=iota
#include <cassert>

__global__ void value(const int *x)
{
    assert(x[threadIdx.x] != 64);
}
