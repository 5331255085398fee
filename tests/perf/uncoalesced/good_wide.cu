/* SPDX-License-Identifier: Apache-2.0 */
/* Sixteen bytes a lane: sixteen sectors a request, and every byte of them is wanted. */
// check: --grid 16 --block 256 --arg in:f32[16384]=random --arg out:f32[16384]
__global__ void k(const float4 *in, float4 *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}
