/* SPDX-License-Identifier: Apache-2.0 */
/* Each thread adds up a row of its own. */
// check: --grid 4 --block 64 --arg in:f32[65536]=random --arg out:f32[256] --arg n:i32=256
// mend: the loop's index run along the lanes
__global__ void k(const float *in, float *out, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float mine = 0;
#ifdef MENDED
    int lane = threadIdx.x % 32;
    for (int j = 0; j < 32; j++) {
        float s = 0;
        for (int i = lane; i < n; i += 32)
            s += in[(r - lane + j) * n + i];
        for (int d = 16; d; d /= 2)
            s += __shfl_xor_sync(~0u, s, d);
        mine = lane == j ? s : mine;
    }
#else
    for (int i = 0; i < n; i++)
        mine += in[r * n + i]; // here
#endif
    out[r] = mine;
}
