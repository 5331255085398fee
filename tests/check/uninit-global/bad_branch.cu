/* SPDX-License-Identifier: Apache-2.0 */
/* A flag that nobody wrote decides. */
// check: --grid 1 --block 1 --arg flag:i32[1] --arg y:i32[1]=zero

__global__ void choose(const int *flag, volatile int *y)
{
    if (*flag > 0) // expect: uninit-global
        y[0] = y[0] + 3;
}
