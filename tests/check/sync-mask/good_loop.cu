/* SPDX-License-Identifier: Apache-2.0 */
/* The lanes that are still in the loop are asked first. */
// check: --grid 1 --block 32 --arg x:i32[32]=iota

__global__ void loop(int *x)
{
    int v = x[threadIdx.x], n = threadIdx.x < 16 ? 2 : 1;
    for (int i = 0; i < 2; i++) {
        unsigned mask = __ballot_sync(0xffffffff, i < n);
        if (i < n)
            v += __shfl_xor_sync(mask, v, 1);
    }
    x[threadIdx.x] = v;
}
