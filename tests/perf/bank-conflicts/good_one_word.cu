/* SPDX-License-Identifier: Apache-2.0 */
/* All lanes read one word: it is broadcast. */
// check: --grid 64 --block 128 --arg in:f32[8192]=random --arg out:f32[8192]
__global__ void k(const float *in, float *out)
{
    __shared__ float row[128];
    row[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 128; i++)
        sum += row[i];
    out[blockIdx.x * 128 + threadIdx.x] = sum;
}
