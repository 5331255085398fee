/* SPDX-License-Identifier: Apache-2.0 */
/* Less dynamic shared memory than the kernel uses. */
// check: --grid 1 --block 32 --shared 64 --arg x:f32[32]=iota

__global__ void turn(float *x)
{
    extern __shared__ float tile[];
    tile[threadIdx.x] = x[threadIdx.x]; // expect: out-of-bounds
    __syncthreads();
    x[threadIdx.x] = tile[threadIdx.x]; // expect: out-of-bounds
}
