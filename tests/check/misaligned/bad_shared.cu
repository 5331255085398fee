/* SPDX-License-Identifier: Apache-2.0 */
/* A double at an odd word of shared memory. */
// check: --grid 1 --block 8 --arg y:f64[8]=zero

__global__ void pair(double *y)
{
    __shared__ __align__(8) float tile[32];
    for (int i = threadIdx.x; i < 32; i += 8)
        tile[i] = (float)i;
    __syncthreads();
    y[threadIdx.x] = *(volatile double *)(tile + 2 * threadIdx.x + 1); // expect: misaligned
}
