/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of 16 threads: a warp each, and the blocks run out. */
// check: --grid 8 --block 16 --shared 8192 --arg in:f32[128]=random --arg out:f32[128]
// says: of 64 warps
__global__ void k(const float *in, float *out) // here
{
    extern __shared__ float s[];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 16 + t];
    __syncwarp(0xffff);
    out[blockIdx.x * 16 + t] = s[15 - t];
}
