/* SPDX-License-Identifier: Apache-2.0 */
/* An index runs from one shared array into the next, which the hardware allows. */
// check: --grid 1 --block 32 --arg x:f32[32]=iota

__global__ void shift(float *x)
{
    __shared__ float left[32], right[32];
    left[threadIdx.x]  = x[threadIdx.x];
    right[threadIdx.x] = 0;
    __syncthreads();
    x[threadIdx.x] = left[threadIdx.x + 1] + right[threadIdx.x]; // expect: out-of-bounds
}
