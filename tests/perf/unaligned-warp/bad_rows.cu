/* SPDX-License-Identifier: Apache-2.0 */
// check: --grid 8,8 --block 16,16 --arg out:f32[20000]=zero --arg in:f32[20000]=iota
// says: side by side, in rows, but begin 4 bytes behind
// mend: begin on a multiple of 32 bytes
#ifdef MENDED
enum { FIRST = 0 };
#else
enum { FIRST = 1 };
#endif

// A warp of a block of 16 x 16 threads holds two rows, and each row begins one element late.
__global__ void shift_rows(float *out, const float *in)
{
    unsigned x = FIRST + blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    out[y * 136 + x] = in[y * 136 + x]; // here
}
