/* SPDX-License-Identifier: Apache-2.0 */
/* Each block takes a lock, adds and gives it back. */
// check: --grid 3 --block 1 --arg lock:u32[1]=zero --arg sum:u32[1]=zero

__global__ void take(unsigned *lock, unsigned *sum)
{
    while (atomicCAS(lock, 0, 1))
        ;
    __threadfence();
    atomicAdd(sum, 1);
    __threadfence();
    atomicExch(lock, 0);
}
