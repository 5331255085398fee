/* SPDX-License-Identifier: Apache-2.0 */
/* The same with the right guard. */
// check: --grid 2 --block 64 --arg x:f32[100]=iota --arg n:i32=100

__global__ void scale(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = 2 * x[i];
}
