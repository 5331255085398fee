/* SPDX-License-Identifier: Apache-2.0 */
/* One lane of eight writes what eight have added up: once, at the end. */
// check: --grid 32 --block 256 --arg in:f32[8192]=random --arg out:f32[1024]
__global__ void k(const float *in, float *out)
{
    int   i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    for (int j = 0; j < 40; j++)
        x = x * 1.5f + in[(i + j) % 8192];
    for (int d = 4; d; d /= 2)
        x += __shfl_down_sync(~0u, x, d, 8);
    if (i % 8 == 0)
        out[i / 8] = x;
}
