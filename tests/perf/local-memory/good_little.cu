/* SPDX-License-Identifier: Apache-2.0 */
/* One warp touches its array a few times. */
// check: --grid 1 --block 32 --arg in:u32[32]=random --arg out:u32[32]
__global__ void k(const unsigned *in, unsigned *out)
{
    unsigned v[4] = {1, 2, 3, 4};
    out[threadIdx.x] = v[in[threadIdx.x] % 4];
}
