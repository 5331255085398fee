/* SPDX-License-Identifier: Apache-2.0 */
/* One element further on, in a line whose other access is spread so widely that it takes nearly all sectors. */
// check: --grid 16 --block 256 --arg in:f32[4097]=random --arg wide:f32[131072]=random --arg out:f32[4096]
// says: begin 4 bytes behind
#ifdef MENDED
enum { SKIP = 0 };
#else
enum { SKIP = 1 };
#endif

__global__ void k(const float *in, const float *wide, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i + SKIP] + wide[32 * i]; // here
}
