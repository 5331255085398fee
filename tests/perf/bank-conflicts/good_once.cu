/* SPDX-License-Identifier: Apache-2.0 */
/* One block reads one column: 31 passes too many are not worth a word. */
// check: --grid 1 --block 32 --arg in:f32[1024]=random --arg out:f32[32]
__global__ void k(const float *in, float *out)
{
    __shared__ float tile[32][32];
    for (int i = 0; i < 32; i++)
        tile[i][threadIdx.x] = in[i * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x][5];
}
