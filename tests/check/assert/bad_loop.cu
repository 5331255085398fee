/* SPDX-License-Identifier: Apache-2.0 */
/* In the last round of a loop. */
// check: --grid 1 --block 64 --arg x:i32[64]=iota
#include <cassert>

__global__ void loop(const int *x)
{
    for (int i = threadIdx.x; i < 64; i += 32)
        assert(x[i] < 63); // expect: assert
}
