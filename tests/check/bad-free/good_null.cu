/* SPDX-License-Identifier: Apache-2.0 */
/* free of null is nothing. */
// check: --grid 1 --block 1 --arg o:i32[1]=zero

__global__ void null(int *o)
{
    int *p = (int *)malloc(16);
    free(p);
    p = nullptr;
    *o = 1;
    free(p);
}
