/* SPDX-License-Identifier: Apache-2.0 */
/* The weights lie in constant memory. */
// check: --grid 8 --block 128 --arg in:f32[1024]=random --arg out:f32[1024] --arg n:i32=64
__constant__ float w[64];

__global__ void k(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], y = 0;
    for (int j = 0; j < n; j++)
        y = y * x + w[j];
    out[i] = y;
}
