/* SPDX-License-Identifier: Apache-2.0 */
/* 100 threads: the fourth warp has four. */
// check: --grid 16 --block 100 --arg in:f32[1600]=random --arg out:f32[1600]
// says: 28 of the 128 lanes
__global__ void k(const float *in, float *out) // here
{
    int i = blockIdx.x * 100 + threadIdx.x;
    out[i] = 2 * in[i];
}
