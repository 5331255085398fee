/* SPDX-License-Identifier: Apache-2.0 */
/* Nine rows around each element: the block loads most of them nine times. */
// check: --grid 4,8 --block 32,8 --arg in:f32[9216]=random --arg out:f32[8192] --arg n:i32=128
// says: 4.5 times
__global__ void k(const float *in, float *out, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float sum = 0;
    for (int d = 0; d < 9; d++)
        sum += in[(y + d) * n + x]; // here
    out[y * n + x] = sum;
}
