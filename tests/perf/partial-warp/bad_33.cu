/* SPDX-License-Identifier: Apache-2.0 */
/* One thread too many. */
// check: --grid 16 --block 33 --arg in:f32[528]=random --arg out:f32[528]
// says: 31 of the 64 lanes
__global__ void k(const float *in, float *out) // here
{
    int i = blockIdx.x * 33 + threadIdx.x;
    out[i] = 2 * in[i];
}
