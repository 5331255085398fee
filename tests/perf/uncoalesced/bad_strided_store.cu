/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbouring lanes store 128 bytes apart. */
// check: --grid 16 --block 256 --arg in:f32[4096]=random --arg out:f32[131072]
// says: 32.0 each
// mend: what lies 128 bytes apart here lies side by side
__global__ void k(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in[i];
#ifdef MENDED
    out[i] = v;
#else
    out[i * 32] = v; // here
#endif
}
