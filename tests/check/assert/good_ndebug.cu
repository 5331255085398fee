/* SPDX-License-Identifier: Apache-2.0 */
/* Assertions are compiled out. */
// check: --grid 1 --block 64 --arg x:i32[64]=iota
#define NDEBUG
#include <cassert>

__global__ void ndebug(const int *x)
{
    assert(x[threadIdx.x] != 40);
}
