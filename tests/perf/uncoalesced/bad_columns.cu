/* SPDX-License-Identifier: Apache-2.0 */
/* threadIdx.x runs down the columns of a matrix. */
// check: --grid 4,4 --block 16,16 --arg in:f32[4096]=random --arg out:f32[4096] --arg n:i32=64
// mend: threadIdx.y run along the lanes
__global__ void k(const float *in, float *out, int n)
{
#ifdef MENDED
    int x = threadIdx.y, y = threadIdx.x;
#else
    int x = threadIdx.x, y = threadIdx.y;
#endif
    int row = blockIdx.y * 16 + x, column = blockIdx.x * 16 + y;
    float v = in[row * n + column]; // here
    out[(blockIdx.y * gridDim.x + blockIdx.x) * 256 + threadIdx.y * 16 + threadIdx.x] = 2 * v;
}
