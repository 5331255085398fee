/* SPDX-License-Identifier: Apache-2.0 */
/* A case that should not be. */
// check: --grid 1 --block 64 --arg x:i32[64]=iota

__global__ void choose(int *x)
{
    switch (x[threadIdx.x] & 3) {
    case 0: x[threadIdx.x] = 1; break;
    case 1: x[threadIdx.x] = 3; break;
    case 2: x[threadIdx.x] = 5; break;
    default: asm volatile("trap;"); // expect: trap
    }
}
