// SPDX-License-Identifier: Apache-2.0
// One address for all lanes, known when it is compiled: the assembler reduces in the warp itself (redux.sync), and one lane makes the atomic.
// check: --grid 8 --block 128 --arg in:u32[1024]=iota --arg out:u32[10]=zero --arg n:i32=3
__global__ void k(const unsigned *in, unsigned *out, int n)
{
    unsigned v = in[blockIdx.x * blockDim.x + threadIdx.x];
    atomicAdd(out, v);
    atomicMax(out + 1, v);
    atomicAdd(out + 2, 1);
    atomicSub(out + 2 + n, 2);
    atomicAdd(out + blockIdx.x % 2, n);
}
