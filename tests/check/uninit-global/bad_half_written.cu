/* SPDX-License-Identifier: Apache-2.0 */
/* Only half of the input was ever written. */
// check: --grid 1 --block 32 --arg x:f32[64]

__global__ void half_of(float *x)
{
    x[threadIdx.x] = 1;
    __syncthreads();
    x[threadIdx.x] = x[2 * threadIdx.x] + 1; // expect: uninit-global
}
