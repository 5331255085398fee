/* SPDX-License-Identifier: Apache-2.0 */
/* A local variable that is read before it is written. */
// check: --grid 1 --block 1 --arg y:i32[4]=zero

__global__ void early(int *y)
{
    int v[2];
    asm volatile("" ::"l"(v) : "memory"); // v has an address
    y[v[0] & 3] = 1; // expect: uninit-local
    v[0] = 1;
    asm volatile("" ::"l"(v) : "memory");
}
