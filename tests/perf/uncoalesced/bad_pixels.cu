/* SPDX-License-Identifier: Apache-2.0 */
/* Three members of one byte each, all read in one line: three sectors for each of three requests. */
// check: --grid 16 --block 256 --arg in:u8[12288]=random --arg out:u8[4096]
// mend: what lies 3 bytes apart
struct Pixel { unsigned char r, g, b; };
struct Planes { unsigned char r[4096], g[4096], b[4096]; };

#ifdef MENDED
__global__ void k(const Planes *in, unsigned char *out)
#else
__global__ void k(const Pixel *in, unsigned char *out)
#endif
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef MENDED
    int grey = in->r[i] * 77 + in->g[i] * 150 + in->b[i] * 29;
#else
    int grey = in[i].r * 77 + in[i].g * 150 + in[i].b * 29; // here
#endif
    out[i] = grey >> 8;
}
