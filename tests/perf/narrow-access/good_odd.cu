/* SPDX-License-Identifier: Apache-2.0 */
/* Five floats a thread: no wider access is aligned for every thread. */
// check: --grid 8 --block 128 --arg in:f32[5120]=random --arg out:f32[1024]
__global__ void k(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float *p = in + 5 * i;
    out[i] = p[0] + p[1] * p[2] - p[3];
}
