/* SPDX-License-Identifier: Apache-2.0 */
/* The same with a stride that fits. */
// check: --grid 1 --block 32 --arg x:f32[128]=iota --arg y:f32[128]=zero --arg stride:i32=4

__global__ void copy(const float *x, float *y, int stride)
{
    y[threadIdx.x] = x[threadIdx.x * stride];
}
