/* SPDX-License-Identifier: Apache-2.0 */
/* Whole warps decide alike. */
// check: --grid 8 --block 128 --arg in:f32[1024]=random --arg out:f32[1024] --arg n:i32=20
__global__ void k(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    if (threadIdx.x / 32 % 2) {
        for (int j = 0; j < n; j++)
            x = x * 1.5f + 0.25f;
    } else {
        for (int j = 0; j < n; j++)
            x = x * x - 0.75f;
    }
    out[i] = x;
}
