/* SPDX-License-Identifier: Apache-2.0 */
/* One lane adds what the warp has summed up. */
// check: --grid 8 --block 128 --arg in:u32[1024]=iota --arg out:u32[1]=zero
__global__ void k(const unsigned *in, unsigned *out)
{
    unsigned v = __reduce_add_sync(~0u, in[blockIdx.x * blockDim.x + threadIdx.x]);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, v);
}
