/* SPDX-License-Identifier: Apache-2.0 */
// check: --grid 8,8 --block 16,16 --arg out:f32[20000]=zero --arg in:f32[20000]=iota --arg w:i32=130 --arg h:i32=130

// The ordinary stencil: its rows begin behind a boundary, and what neighbours share of a sector is in the cache.  Nothing lies apart.
__global__ void stencil(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * 16 + threadIdx.x + 1, y = blockIdx.y * 16 + threadIdx.y + 1;
    if (x < w - 1 && y < h - 1)
        out[y * w + x] = (in[y * w + x] + in[y * w + x - 1] + in[y * w + x + 1] + in[(y - 1) * w + x] + in[(y + 1) * w + x]) / 5;
}
