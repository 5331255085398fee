/* SPDX-License-Identifier: Apache-2.0 */
/* Every lane loads its own. */
// check: --grid 64 --block 256 --arg in:f32[16384]=random --arg row:f32[16384]=random --arg out:f32[16384]
__global__ void k(const float *in, const float *row, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float r = row[i];
    out[i] = r * in[i];
}
