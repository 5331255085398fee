/* SPDX-License-Identifier: Apache-2.0 */
/* malloc in a kernel without free. */
// check: --grid 1 --block 1 --arg o:i32[1]=zero

__global__ void keep(int *o)
{
    int *p = (int *)malloc(16); // expect anywhere: leak
    *p = 1;
    *o = *p;
}
