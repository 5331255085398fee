/* SPDX-License-Identifier: Apache-2.0 */
/* Sixteen bytes a lane: the sector more is one of seventeen, however few the line's other access takes. */
// check: --grid 16 --block 256 --arg in:f32[16392]=random --arg one:f32[1]=random --arg out:f32[4096]

__global__ void k(const float *in, const float *one, float *out)
{
    int    i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = *(const float4 *)(in + 4 + 4 * i);
    out[i] = v.x + v.y + v.z + v.w + one[0];
}
