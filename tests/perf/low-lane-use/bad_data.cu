/* SPDX-License-Identifier: Apache-2.0 */
/* Few elements are worth the work, and they lie anywhere. */
// check: --grid 8 --block 256 --arg in:u32[2048]=iota --arg out:u32[2048]=zero
// says: side by side they would fill
__global__ void k(const unsigned *in, volatile unsigned *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] * 2654435761u >> 30 == 0)
        for (unsigned j = 0; j < 8; j++)
            out[i] = j * j; // here
}
