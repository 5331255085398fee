/* SPDX-License-Identifier: Apache-2.0 */
/* A pointer that was set. */
// check: --grid 1 --block 32 --arg x:i32[32]=zero

__global__ void set(int *x)
{
    x[threadIdx.x] = 1;
}
