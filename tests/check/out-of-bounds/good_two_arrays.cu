/* SPDX-License-Identifier: Apache-2.0 */
/* The same with an index that wraps. */
// check: --grid 1 --block 32 --arg x:f32[32]=iota

__global__ void shift(float *x)
{
    __shared__ float left[32], right[32];
    left[threadIdx.x]  = x[threadIdx.x];
    right[threadIdx.x] = 0;
    __syncthreads();
    x[threadIdx.x] = left[(threadIdx.x + 1) % 32] + right[threadIdx.x];
}
