/* SPDX-License-Identifier: Apache-2.0 */
/* A sum that nobody set to zero. */
// check: --grid 1 --block 32 --arg x:f32[32]=iota --arg sum:f32[1]

__global__ void total(const float *x, float *sum)
{
    atomicAdd(sum, x[threadIdx.x]); // expect: uninit-global
}
