/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes walk along rows: sectors come again, values do not. */
// check: --grid 4 --block 64 --arg in:f32[65536]=random --arg out:f32[256] --arg n:i32=256
__global__ void k(const float *in, float *out, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += in[r * n + i];
    out[r] = sum;
}
