/* SPDX-License-Identifier: Apache-2.0 */
/* Two lanes to an address. */
// check: --grid 8 --block 128 --arg in:u32[1024]=iota --arg out:u32[64]=zero
__global__ void k(const unsigned *in, unsigned *out)
{
    atomicAdd(&out[threadIdx.x / 2], in[blockIdx.x * blockDim.x + threadIdx.x]);
}
