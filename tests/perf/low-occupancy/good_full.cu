/* SPDX-License-Identifier: Apache-2.0 */
/* 256 threads and a kilobyte: everything fits. */
// check: --grid 8 --block 256 --arg in:f32[2048]=random --arg out:f32[2048]
__global__ void k(const float *in, float *out)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    out[blockIdx.x * 256 + t] = s[255 - t];
}
