/* SPDX-License-Identifier: Apache-2.0 */
/* 1024 threads: two blocks fill the multiprocessor. */
// check: --grid 2 --block 1024 --arg in:f32[2048]=random --arg out:f32[2048]
__global__ void k(const float *in, float *out)
{
    int i = blockIdx.x * 1024 + threadIdx.x;
    out[i] = 2 * in[i];
}
