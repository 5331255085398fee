/* SPDX-License-Identifier: Apache-2.0 */
/* 48 KB of shared memory for 64 threads. */
// check: --grid 8 --block 64 --arg in:f32[512]=random --arg out:f32[512]
// says: limited by shared memory
__global__ void k(const float *in, float *out) // here
{
    __shared__ float big[12000];
    int t = threadIdx.x;
    for (int i = t; i < 12000; i += 64)
        big[i] = in[i % 512];
    __syncthreads();
    out[blockIdx.x * 64 + t] = big[11999 - t];
}
