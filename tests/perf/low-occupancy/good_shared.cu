/* SPDX-License-Identifier: Apache-2.0 */
/* 16 KB for 256 threads: eight blocks fit, and more would not run. */
// check: --grid 8 --block 256 --arg in:f32[2048]=random --arg out:f32[2048]
__global__ void k(const float *in, float *out)
{
    __shared__ float s[4096];
    int t = threadIdx.x;
    for (int i = t; i < 4096; i += 256)
        s[i] = in[i % 2048];
    __syncthreads();
    out[blockIdx.x * 256 + t] = s[4095 - t];
}
