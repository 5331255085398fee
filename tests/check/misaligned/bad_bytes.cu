/* SPDX-License-Identifier: Apache-2.0 */
/* An int read from any byte. */
// check: --grid 1 --block 16 --arg x:u8[64]=iota --arg y:i32[16]=zero

__global__ void load(const char *x, int *y)
{
    y[threadIdx.x] = *(const int *)(x + threadIdx.x); // expect: misaligned
}
