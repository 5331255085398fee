/* SPDX-License-Identifier: Apache-2.0 */
/* The same as a loop. */
// check: --grid 1 --block 1 --arg o:i32[1]=zero

__global__ void start(int *o)
{
    int s = 0;
    for (int i = 0; i < 100000; i++)
        s += i;
    *o = s;
}
