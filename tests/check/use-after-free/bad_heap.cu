/* SPDX-License-Identifier: Apache-2.0 */
/* A block of the device-side heap is read after free; malloc gave one of the same size since. */
// check: --grid 1 --block 32 --arg out:i32[32]=zero
__global__ void k(int *out)
{
    int *p = (int *)malloc(16), *q;
    p[0] = threadIdx.x;
    free(p);
    q    = (int *)malloc(16);
    q[0] = 1;
    out[threadIdx.x] = p[0] + q[0]; // expect: use-after-free
    free(q);
}
