/* SPDX-License-Identifier: Apache-2.0 */
/* The sum was set to zero. */
// check: --grid 1 --block 32 --arg x:f32[32]=iota --arg sum:f32[1]=zero

__global__ void total(const float *x, float *sum)
{
    atomicAdd(sum, x[threadIdx.x]);
}
