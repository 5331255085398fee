// SPDX-License-Identifier: Apache-2.0
// A ticket of a counter: the assembler counts the lanes, one of them makes the atomic, and each gets its own number.
// check: --grid 8 --block 128 --arg counter:u32[2]=zero --arg out:u32[1024]=zero
__global__ void k(unsigned *counter, unsigned *out)
{
    out[atomicAdd(counter, 1) % 1024] = 1;
}
