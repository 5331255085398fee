/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of 65 elements: all but every eighth begin somewhere in a sector. */
// check: --grid 64 --block 64 --arg in:f32[4608]=random --arg out:f32[4096]
#ifdef MENDED
enum { PITCH = 72 };
#else
enum { PITCH = 65 };
#endif

__global__ void k(const float *in, float *out)
{
    float v = in[blockIdx.x * PITCH + threadIdx.x]; // here
    out[blockIdx.x * 64 + threadIdx.x] = v;
}
