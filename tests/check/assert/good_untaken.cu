/* SPDX-License-Identifier: Apache-2.0 */
/* It would be false, but nobody comes there. */
// check: --grid 1 --block 64 --arg x:i32[64]=iota
#include <cassert>

__global__ void untaken(const int *x)
{
    if (x[threadIdx.x] > 63)
        assert(!"no such value");
}
