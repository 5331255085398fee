/* SPDX-License-Identifier: Apache-2.0 */
/* A block of the device-side heap freed twice. */
// check: --grid 1 --block 1 --arg o:i32[1]=zero

__global__ void twice(int *o)
{
    int *p = (int *)malloc(16);
    *p = 1;
    *o = *p;
    free(p);
    free(p); // expect: bad-free
}
