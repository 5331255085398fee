/* SPDX-License-Identifier: Apache-2.0 */
/* A sum for each row, added up by its sixteen threads one by one. */
// check: --grid 8 --block 16,16 --arg in:f32[2048]=random --arg out:f32[128]=zero
// says: 16.0 lanes
__global__ void k(const float *in, float *out)
{
    int row = blockIdx.x * 16 + threadIdx.y;
    float v = in[row * 16 + threadIdx.x];
#ifdef MENDED
    for (int d = 8; d; d /= 2)
        v += __shfl_xor_sync(~0u, v, d);
    if (threadIdx.x == 0)
        atomicAdd(&out[row], v);
#else
    atomicAdd(&out[row], v); // here
#endif
}
