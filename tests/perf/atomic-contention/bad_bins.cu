/* SPDX-License-Identifier: Apache-2.0 */
/* Four bins in shared memory for a whole block, to which every thread adds two. */
// check: --grid 16 --block 128 --arg in:u32[2048]=iota --arg out:u32[64]=zero
// says: 8.0 lanes
__global__ void k(const unsigned *in, unsigned *out)
{
    __shared__ unsigned bin[4];
    if (threadIdx.x < 4)
        bin[threadIdx.x] = 0;
    __syncthreads();
    unsigned b = in[blockIdx.x * blockDim.x + threadIdx.x] % 4;
#ifdef MENDED
    unsigned same = __match_any_sync(~0u, b);
    if (__ffs(same) - 1 == threadIdx.x % 32)
        atomicAdd(&bin[b], 2 * __popc(same));
#else
    atomicAdd(&bin[b], 2); // here
#endif
    __syncthreads();
    if (threadIdx.x < 4)
        out[blockIdx.x * 4 + threadIdx.x] = bin[threadIdx.x];
}
