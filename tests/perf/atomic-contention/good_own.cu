/* SPDX-License-Identifier: Apache-2.0 */
/* Each lane has an address of its own. */
// check: --grid 8 --block 128 --arg in:u32[1024]=iota --arg out:u32[128]=zero
__global__ void k(const unsigned *in, unsigned *out)
{
    atomicAdd(&out[threadIdx.x], in[blockIdx.x * blockDim.x + threadIdx.x]);
}
