/* SPDX-License-Identifier: Apache-2.0 */
/* Twice what nobody wrote: the compiler makes a shift of it. */
// check: --grid 1 --block 32 --arg a:i32[32] --arg b:i32[32]=zero

__global__ void twice(const int *a, int *b)
{
    b[threadIdx.x] = a[threadIdx.x] * 2; // expect: uninit-global
}
