/* SPDX-License-Identifier: Apache-2.0 */
/* One small block: nothing to gain. */
// check: --grid 1 --block 8 --arg in:f32[8]=random --arg out:f32[8]
__global__ void k(const float *in, float *out)
{
    int i = blockIdx.x * 8 + threadIdx.x;
    out[i] = 2 * in[i];
}
