/* SPDX-License-Identifier: Apache-2.0 */
/* Both sides are a few instructions. */
// check: --grid 8 --block 128 --arg in:f32[1024]=random --arg out:f32[1024] --arg n:i32=20
__global__ void k(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    if (threadIdx.x % 2)
        x = x * n;
    else
        x = x + n;
    out[i] = x;
}
