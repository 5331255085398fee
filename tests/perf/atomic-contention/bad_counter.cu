/* SPDX-License-Identifier: Apache-2.0 */
/* All lanes count on one address. */
// check: --grid 8 --block 128 --arg in:u32[1024]=iota --arg out:u32[1]=zero
// says: 32.0 lanes
// mend: in the warp first
__global__ void k(const unsigned *in, unsigned *out)
{
    unsigned v = in[blockIdx.x * blockDim.x + threadIdx.x];
#ifdef MENDED
    v = __reduce_add_sync(~0u, v);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, v);
#else
    atomicAdd(out, v); // here
#endif
}
