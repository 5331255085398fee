/* SPDX-License-Identifier: Apache-2.0 */
/* A float4 at a multiple of four floats. */
// check: --grid 1 --block 8 --arg x:f32[64]=iota --arg y:f32[32]=zero

__global__ void load(const float *x, float4 *y)
{
    y[threadIdx.x] = *(const float4 *)(x + 4 * threadIdx.x + 4);
}
