/* SPDX-License-Identifier: Apache-2.0 */
/* A result that is stored behind a header of three elements. */
// check: --grid 16 --block 256 --arg in:f32[4096]=random --arg out:f32[4104]
// says: begin 12 bytes behind
#ifdef MENDED
enum { HEADER = 8 };
#else
enum { HEADER = 3 };
#endif

__global__ void k(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[HEADER + i] = in[i]; // here
}
