/* SPDX-License-Identifier: Apache-2.0 */
/* One value for a whole block, loaded by every thread of it. */
// check: --grid 64 --block 256 --arg in:f32[16384]=random --arg scale:f32[64]=random --arg out:f32[16384]
__global__ void k(const float *in, const float *scale, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = scale[blockIdx.x]; // here
    out[i] = s * in[i];
}
