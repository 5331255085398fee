/* SPDX-License-Identifier: Apache-2.0 */
/* Four loads and four stores of one line: a finding for each. */
// check: --grid 16 --block 64 --arg a:f32[4096]=random --arg b:f32[4096] --arg f:f32=2
// says: side by side
__global__ void k(const float *__restrict__ a, float *__restrict__ b, float f)
{
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
#ifdef MENDED
    float4 v                          = reinterpret_cast<const float4 *>(a)[i / 4];
    reinterpret_cast<float4 *>(b)[i / 4] = make_float4(f * v.x, f * v.y, f * v.z, f * v.w);
#else
    for (int j = 0; j < 4; j++)
        b[i + j] = f * a[i + j]; // here // here
#endif
}
