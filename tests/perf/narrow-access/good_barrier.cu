/* SPDX-License-Identifier: Apache-2.0 */
/* Between the two stores every thread waits: they are not the same moment. */
// check: --grid 8 --block 128 --arg in:f32[1024]=random --arg out:f32[2048]
__global__ void k(const float *in, volatile float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[2 * i] = in[i];
    __syncthreads();
    out[2 * i + 1] = -in[i];
}
