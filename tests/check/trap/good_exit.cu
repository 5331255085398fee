/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that leave early do not trap. */
// check: --grid 1 --block 64 --arg x:i32[64]=iota

__global__ void leave(const int *x)
{
    if (x[threadIdx.x] == 40)
        asm volatile("exit;");
    if (x[threadIdx.x] == 40)
        __trap();
}
