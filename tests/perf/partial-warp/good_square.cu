/* SPDX-License-Identifier: Apache-2.0 */
/* Eight by eight are two warps. */
// check: --grid 16 --block 8,8 --arg in:f32[1024]=random --arg out:f32[1024]
__global__ void k(const float *in, float *out)
{
    int i = blockIdx.x * 64 + threadIdx.y * 8 + threadIdx.x;
    out[i] = 2 * in[i];
}
