/* SPDX-License-Identifier: Apache-2.0 */
/* Sixteen counters of a thread, indexed by the data. */
// check: --grid 4 --block 128 --arg in:u32[8192]=random --arg out:u32[512]
// says: bytes a thread
__global__ void k(const unsigned *in, unsigned *out)
{
    unsigned count[16] = {}, most = 0;
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < 16; j++)
        count[in[j * 512 + t] % 16]++; // here
#pragma unroll 1
    for (int j = 0; j < 4; j++)
        most = max(most, count[4 * j]);
    out[t] = most;
}
