/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes that nobody wrote are moved and not used. */
// check: --grid 1 --block 32 --arg x:f32[32] --arg o:i32[32]=zero

__global__ void move(float *x, int *o)
{
    __shared__ float t[32];
    t[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    o[threadIdx.x] = (int)threadIdx.x;
    x[threadIdx.x] = 1;
}
