/* SPDX-License-Identifier: Apache-2.0 */
/* All lanes count on one address. */
// check: --grid 8 --block 128 --arg in:f32[1024]=random --arg out:f32[1]=zero
// says: 32.0 lanes
// mend: in the warp first
__global__ void k(const float *in, float *out)
{
    float v = in[blockIdx.x * blockDim.x + threadIdx.x];
#ifdef MENDED
    for (int d = 16; d; d /= 2)
        v += __shfl_xor_sync(~0u, v, d);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, v);
#else
    atomicAdd(out, v); // here
#endif
}
