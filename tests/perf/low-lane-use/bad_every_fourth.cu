/* SPDX-License-Identifier: Apache-2.0 */
/* Every fourth thread does the work of four. */
// check: --grid 8 --block 128 --arg in:f32[1024]=random --arg out:f32[1024]=zero
// says: let the first threads of the block work
__global__ void k(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 4 == 0)
        for (int j = 0; j < 4; j++)
            out[i + j] = 2 * in[i + j]; // here
}
