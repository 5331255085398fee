/* SPDX-License-Identifier: Apache-2.0 */
/* One large frame. */
// check: --grid 1 --block 1 --arg o:i32[1]=zero

__global__ void start(int *o)
{
    volatile int a[2048];
    for (int i = 0; i < 2048; i++)
        a[i] = i;
    *o = a[*o];
}
