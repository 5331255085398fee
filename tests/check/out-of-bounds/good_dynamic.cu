/* SPDX-License-Identifier: Apache-2.0 */
/* The same with enough of it. */
// check: --grid 1 --block 32 --shared 128 --arg x:f32[32]=iota

__global__ void turn(float *x)
{
    extern __shared__ float tile[];
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = tile[31 - threadIdx.x];
}
