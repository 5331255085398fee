/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that gives up. */
// check: --grid 1 --block 64 --arg x:i32[64]=iota

__global__ void value(const int *x)
{
    if (x[threadIdx.x] == 40)
        __trap(); // expect: trap
}
