/* SPDX-License-Identifier: Apache-2.0 */
/* Every half-warp has a row of 16 elements: 64 bytes are two whole sectors. */
// check: --grid 8 --block 16,16 --arg in:f32[131072]=random --arg out:f32[2048]
__global__ void k(const float *in, float *out)
{
    int row = blockIdx.x * 16 + threadIdx.y;
    out[row * 16 + threadIdx.x] = in[row * 1024 + threadIdx.x];
}
