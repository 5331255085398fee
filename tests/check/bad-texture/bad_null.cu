/* SPDX-License-Identifier: Apache-2.0 */
/* A handle of zero. */
// check: --grid 1 --block 32 --arg o:f32[32] --arg t:u64=0

__global__ void fetch(float *o, unsigned long long t)
{
    o[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x); // expect: bad-texture
}
