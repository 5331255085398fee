/* SPDX-License-Identifier: Apache-2.0 */
/* Three neighbours: a cache does that. */
// check: --grid 4,8 --block 32,8 --arg in:f32[8448]=random --arg out:f32[8192] --arg n:i32=128
__global__ void k(const float *in, float *out, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float sum = 0;
    for (int d = 0; d < 3; d++)
        sum += in[(y + d) * n + x];
    out[y * n + x] = sum;
}
