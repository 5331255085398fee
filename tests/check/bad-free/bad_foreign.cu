/* SPDX-License-Identifier: Apache-2.0 */
/* free of what cudaMalloc returned. */
// check: --grid 1 --block 1 --arg o:i32[1]=zero

__global__ void foreign(int *o)
{
    int *p = (int *)malloc(16);
    free(p);
    free(o); // expect: bad-free
}
