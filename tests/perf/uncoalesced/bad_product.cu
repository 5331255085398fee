/* SPDX-License-Identifier: Apache-2.0 */
/* A product whose rows run along the lanes: the swap is good for one factor and not for the other, and is counted with both. */
// check: --grid 4,4 --block 16,16 --arg a:f32[4096]=random --arg b:f32[4096]=random --arg c:f32[4096] --arg n:i32=64
// mend: threadIdx.y run along the lanes
__global__ void k(const float *a, const float *b, float *c, int n)
{
#ifdef MENDED
    int   row = blockIdx.x * 16 + threadIdx.y, col = blockIdx.y * 16 + threadIdx.x;
#else
    int   row = blockIdx.x * 16 + threadIdx.x, col = blockIdx.y * 16 + threadIdx.y;
#endif
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[row * n + i] * b[i * n + col]; // here
    c[row * n + col] = sum; // here
}
