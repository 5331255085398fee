/* SPDX-License-Identifier: Apache-2.0 */
/* A block of one warp has no other warp whose lanes could work. */
// check: --grid 64 --block 32 --arg in:f32[2048]=random --arg out:f32[2048]=zero
__global__ void k(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 4 == 0)
        for (int j = 0; j < 4; j++)
            out[i + j] = 2 * in[i + j];
}
