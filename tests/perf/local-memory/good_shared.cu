/* SPDX-License-Identifier: Apache-2.0 */
/* The counters lie in shared memory, a column for each thread. */
// check: --grid 4 --block 128 --arg in:u32[8192]=random --arg out:u32[512]
__global__ void k(const unsigned *in, unsigned *out)
{
    __shared__ unsigned count[16][128];
    unsigned most = 0;
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < 16; j++)
        count[j][threadIdx.x] = 0;
    for (int j = 0; j < 16; j++)
        count[in[j * 512 + t] % 16][threadIdx.x]++;
    for (int j = 0; j < 16; j++)
        most = max(most, count[j][threadIdx.x]);
    out[t] = most;
}
