/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix product straight from global memory: every warp of a block loads the same columns. */
// check: --grid 4,4 --block 16,16 --arg a:f32[4096]=random --arg b:f32[4096]=random --arg c:f32[4096] --arg n:i32=64
// says: 4.5 times
__global__ void k(const float *a, const float *b, float *c, int n)
{
    int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[row * n + i] * b[i * n + column]; // here
    c[row * n + column] = sum;
}
