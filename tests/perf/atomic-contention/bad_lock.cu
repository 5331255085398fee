/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes of a warp compare and swap one word: adding up is no mend for that. */
// check: --grid 8 --block 128 --arg lock:u32[1]=zero --arg out:u32[1024]=zero
// says: 32.0 lanes
// mend: none
__global__ void k(unsigned *lock, unsigned *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = atomicCAS(lock, threadIdx.x, threadIdx.x + 1); // here
}
