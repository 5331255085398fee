/* SPDX-License-Identifier: Apache-2.0 */
/* Nobody has that value. */
// check: --grid 1 --block 64 --arg x:i32[64]=iota

__global__ void value(const int *x)
{
    if (x[threadIdx.x] == 64)
        __trap();
}
