/* SPDX-License-Identifier: Apache-2.0 */
/* A block that another thread frees. */
// check: --grid 1 --block 32 --arg o:i32[32]=zero

__global__ void hand(int *o)
{
    __shared__ int *p;
    if (threadIdx.x == 0)
        p = (int *)malloc(128);
    __syncthreads();
    p[threadIdx.x] = 1;
    __syncthreads();
    o[threadIdx.x] = p[31 - threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 31)
        free(p);
}
