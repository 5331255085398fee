/* SPDX-License-Identifier: Apache-2.0 */
/* Every lane reads every second word: two passes instead of one. */
// check: --grid 64 --block 128 --arg in:f32[16384]=random --arg out:f32[8192]
// mend: pad 1 behind every 32 floats: index i becomes i + i / 32
#ifdef MENDED
#define AT(i) ((i) + (i) / 32)
#else
#define AT(i) (i)
#endif

__global__ void k(const float *in, float *out)
{
    __shared__ float pairs[AT(256)];
    int t = threadIdx.x;
    pairs[AT(t)] = in[blockIdx.x * 256 + t];
    pairs[AT(t + 128)] = in[blockIdx.x * 256 + 128 + t];
    __syncthreads();
    out[blockIdx.x * 128 + t] = pairs[AT(2 * t)]; // here
}
