/* SPDX-License-Identifier: Apache-2.0 */
/* A pair is stored in two halves. */
// check: --grid 8 --block 128 --arg in:f32[1024]=random --arg out:f32[2048]
// says: 2 stores of 4 bytes
// mend: one store of 8 bytes, aligned to 8
__global__ void k(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in[i];
#ifdef MENDED
    ((float2 *)out)[i] = make_float2(v, -v);
#else
    out[2 * i] = v; // here
    out[2 * i + 1] = -v;
#endif
}
