/* SPDX-License-Identifier: Apache-2.0 */
/* A surface handle that nobody returned. */
// check: --grid 1 --block 32 --arg o:f32[32] --arg t:u64=77

__global__ void store(float *o, unsigned long long t)
{
    o[threadIdx.x] = 0;
    surf1Dwrite(1.0f, static_cast<cudaSurfaceObject_t>(t), threadIdx.x * 4); // expect: bad-texture
}
