/* SPDX-License-Identifier: Apache-2.0 */
/* Three whole warps. */
// check: --grid 16 --block 96 --arg in:f32[1536]=random --arg out:f32[1536]
__global__ void k(const float *in, float *out)
{
    int i = blockIdx.x * 96 + threadIdx.x;
    out[i] = 2 * in[i];
}
