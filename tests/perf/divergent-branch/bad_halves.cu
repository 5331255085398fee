/* SPDX-License-Identifier: Apache-2.0 */
/* The halves of each warp part. */
// check: --grid 8 --block 128 --arg in:f32[1024]=random --arg out:f32[1024] --arg n:i32=20
// says: 16.0 of 32 lanes
__global__ void k(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    if (threadIdx.x % 32 < 16) { // here
        for (int j = 0; j < n; j++)
            x = x * 1.5f + 0.25f;
    } else {
        for (int j = 0; j < n; j++)
            x = x * x - 0.75f;
    }
    out[i] = x;
}
