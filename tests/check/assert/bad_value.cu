/* SPDX-License-Identifier: Apache-2.0 */
/* A value that one thread breaks. */
// check: --grid 1 --block 64 --arg x:i32[64]=iota
#include <cassert>

__global__ void value(const int *x)
{
    assert(x[threadIdx.x] != 40); // expect: assert
}
