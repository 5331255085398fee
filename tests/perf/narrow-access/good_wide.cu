/* SPDX-License-Identifier: Apache-2.0 */
/* It is one access already. */
// check: --grid 8 --block 128 --arg in:f32[4096]=random --arg out:f32[1024]
__global__ void k(const float4 *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = in[i];
    out[i] = v.x + v.y * v.z - v.w;
}
