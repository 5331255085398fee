/* SPDX-License-Identifier: Apache-2.0 */
/* free of an address inside a block. */
// check: --grid 1 --block 1 --arg o:i32[1]=zero

__global__ void inside(int *o)
{
    int *p = (int *)malloc(16);
    *p = 1;
    *o = *p;
    free(p + 1); // expect: bad-free
}
