/* SPDX-License-Identifier: Apache-2.0 */
/* Everything is read one element further on. */
// check: --grid 16 --block 256 --arg in:f32[4097]=random --arg out:f32[4096]
// says: begin 4 bytes behind
#ifdef MENDED
enum { SKIP = 0 };
#else
enum { SKIP = 1 };
#endif

__global__ void k(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i + SKIP]; // here
}
