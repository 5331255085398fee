/* SPDX-License-Identifier: Apache-2.0 */
/* malloc and free in a kernel. */
// check: --grid 1 --block 1 --arg o:i32[1]=zero

__global__ void give_back(int *o)
{
    int *p = (int *)malloc(16);
    *p = 1;
    *o = *p;
    free(p);
}
