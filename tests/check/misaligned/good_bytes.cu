/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes put together. */
// check: --grid 1 --block 16 --arg x:u8[64]=iota --arg y:i32[16]=zero

__global__ void load(const unsigned char *x, int *y)
{
    const unsigned char *p = x + threadIdx.x;
    y[threadIdx.x] = p[0] | p[1] << 8 | p[2] << 16 | p[3] << 24;
}
