/* SPDX-License-Identifier: Apache-2.0 */
/* Null is tested for. */
// check: --grid 1 --block 32 --arg x:u64=0 --arg y:i32[32]=zero

__global__ void set(int *x, int *y)
{
    y[threadIdx.x] = 2;
    if (x)
        x[threadIdx.x] = 1;
}
