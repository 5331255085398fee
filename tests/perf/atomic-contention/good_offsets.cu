// SPDX-License-Identifier: Apache-2.0
// Like bad_offsets.cu, but of 4 bytes: whole warps add up what their lanes have read, and one lane makes the atomic.
// check: --grid 8 --block 128 --arg in:u32[1024]=iota --arg counter:u32[1]=zero --arg out:u32[1024]=zero
__global__ void k(const unsigned *in, unsigned *counter, unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i]     = atomicAdd(counter, in[i] % 8);
}
