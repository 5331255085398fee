/* SPDX-License-Identifier: Apache-2.0 */
/* The textbook's reduction: in each step every second of the threads that worked before. */
// check: --grid 32 --block 256 --arg in:f32[8192]=random --arg out:f32[32]
// says: let the first threads of the block work
__global__ void k(const float *in, float *out)
{
    __shared__ float s[256];
    unsigned t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (unsigned k = 1; k < 256; k *= 2) {
        if (t % (2 * k) == 0)
            s[t] += s[t + k]; // here
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}
