/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes that lie apart are uncoalesced, wherever they begin. */
// check: --grid 16 --block 256 --arg in:f32[8193]=random --arg out:f32[4096]
__global__ void k(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[2 * i + 1];
}
