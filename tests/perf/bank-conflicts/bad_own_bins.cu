/* SPDX-License-Identifier: Apache-2.0 */
/* Each thread counts in bins of its own: no address is shared, but the lanes' bins lie in one bank. */
// check: --grid 4 --block 64 --arg in:u32[256]=random --arg out:u32[64]=zero
// mend: pitch 32 -> 33 words
#ifdef MENDED
enum { PITCH = 33 };
#else
enum { PITCH = 32 };
#endif
__global__ void k(const unsigned *in, unsigned *out)
{
    __shared__ unsigned bins[64][PITCH];
    unsigned t = threadIdx.x, i = blockIdx.x * 64 + t, v = in[i], sum = 0;
    for (int b = 0; b < 32; b++)
        bins[b * 2 + t / 32][t % 32] = 0;
    __syncthreads();
    for (int k = 0; k < 8; k++)
        sum += atomicAdd(&bins[t][k], v); // here
    atomicAdd(&out[t], sum);
}
