/* SPDX-License-Identifier: Apache-2.0 */
/* A pointer nobody set. */
// check: --grid 1 --block 32 --arg x:u64=0

__global__ void set(int *x)
{
    x[threadIdx.x] = 1; // expect: null-access
}
