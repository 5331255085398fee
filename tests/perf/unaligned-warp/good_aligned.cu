/* SPDX-License-Identifier: Apache-2.0 */
/* From the first element on. */
// check: --grid 16 --block 256 --arg in:f32[4096]=random --arg out:f32[4096]
__global__ void k(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}
