/* SPDX-License-Identifier: Apache-2.0 */
/* The same in the right order. */
// check: --grid 1 --block 1 --arg y:i32[4]=zero

__global__ void late(int *y)
{
    int v[2];
    v[0] = 1;
    asm volatile("" ::"l"(v) : "memory"); // v has an address
    y[v[0] & 3] = 1;
}
