/* SPDX-License-Identifier: Apache-2.0 */
/* The first threads work. */
// check: --grid 32 --block 256 --arg in:f32[8192]=random --arg out:f32[32]
__global__ void k(const float *in, float *out)
{
    __shared__ float s[256];
    unsigned t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (unsigned k = 128; k > 0; k /= 2) {
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}
