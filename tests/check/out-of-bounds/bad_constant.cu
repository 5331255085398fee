/* SPDX-License-Identifier: Apache-2.0 */
/* Past the end of a table in constant memory. */
// check: --grid 1 --block 32 --arg x:f32[32]=zero

__constant__ float table[16] = {1, 2, 3};
__global__ void look(float *x)
{
    x[threadIdx.x] = table[threadIdx.x]; // expect: out-of-bounds
}
