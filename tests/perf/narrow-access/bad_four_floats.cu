/* SPDX-License-Identifier: Apache-2.0 */
/* Each thread takes four floats one by one. */
// check: --grid 8 --block 128 --arg in:f32[4096]=random --arg out:f32[1024]
// says: 4 loads of 4 bytes
// mend: one load of 16 bytes, aligned to 16
__global__ void k(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef MENDED
    float4 v = ((const float4 *)in)[i];
    out[i] = v.x + v.y * v.z - v.w;
#else
    const float *p = in + 4 * i;
    out[i] = p[0] + p[1] * p[2] - p[3]; // here
#endif
}
