/* SPDX-License-Identifier: Apache-2.0 */
/* A number that nobody returned. */
// check: --grid 1 --block 32 --arg o:f32[32] --arg t:u64=12345

__global__ void fetch(float *o, unsigned long long t)
{
    o[threadIdx.x] = tex2D<float>(t, threadIdx.x, 0.5f); // expect: bad-texture
}
