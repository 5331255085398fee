/* SPDX-License-Identifier: Apache-2.0 */
/* An index that nobody wrote. */
// check: --grid 1 --block 32 --arg i:u8[32] --arg y:i32[256]=zero

__global__ void gather(const unsigned char *i, int *y)
{
    y[i[threadIdx.x]] = 1; // expect: uninit-global
}
