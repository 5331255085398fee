// SPDX-License-Identifier: Apache-2.0
// Like bad_bins.cu, but counted up by one: shared memory has an instruction for that, whose lanes on one word take no turns.
// check: --grid 16 --block 128 --arg in:u32[2048]=iota --arg out:u32[64]=zero
__global__ void k(const unsigned *in, unsigned *out)
{
    __shared__ unsigned bin[4];
    if (threadIdx.x < 4)
        bin[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bin[in[blockIdx.x * blockDim.x + threadIdx.x] % 4], 1);
    __syncthreads();
    if (threadIdx.x < 4)
        out[blockIdx.x * 4 + threadIdx.x] = bin[threadIdx.x];
}
