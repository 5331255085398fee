/* SPDX-License-Identifier: Apache-2.0 */
/* Every warp walks through the whole table. */
// check: --grid 4 --block 256 --arg table:f32[1024]=random --arg out:f32[1024]
// says: 8.0 times
__global__ void k(const float *table, float *out)
{
    float best = 0;
    for (int i = threadIdx.x % 32; i < 1024; i += 32)
        best = fmaxf(best, table[i]); // here
    out[blockIdx.x * blockDim.x + threadIdx.x] = best;
}
