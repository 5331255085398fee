/* SPDX-License-Identifier: Apache-2.0 */
/* Four lanes to a value: eight values a warp are a sector well used. */
// check: --grid 64 --block 256 --arg in:f32[16384]=random --arg row:f32[4096]=random --arg out:f32[16384]
__global__ void k(const float *in, const float *row, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float r = row[i / 4];
    out[i] = r * in[i];
}
