/* SPDX-License-Identifier: Apache-2.0 */
/* The same, given with the launch. */
// check: --grid 8 --block 64 --shared 40000 --arg in:f32[512]=random --arg out:f32[512]
// says: limited by shared memory
__global__ void k(const float *in, float *out) // here
{
    extern __shared__ float big[];
    int t = threadIdx.x;
    for (int i = t; i < 10000; i += 64)
        big[i] = in[i % 512];
    __syncthreads();
    out[blockIdx.x * 64 + t] = big[9999 - t];
}
