/* SPDX-License-Identifier: Apache-2.0 */
/* A tile whose columns are read: every lane wants the same bank. */
// check: --grid 8,8 --block 32,8 --arg in:f32[65536]=random --arg out:f32[65536] --arg n:i32=256
// says: 63488 extra passes
// says: column ^= row & 31
// mend: pitch 32 -> 33 floats
__global__ void k(const float *in, float *out, int n)
{
#ifdef MENDED
    __shared__ float tile[32][33];
#else
    __shared__ float tile[32][32];
#endif
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32;
    for (int i = threadIdx.y; i < 32; i += 8)
        tile[i][threadIdx.x] = in[(y + i) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32;
    for (int i = threadIdx.y; i < 32; i += 8)
        out[(y + i) * n + x] = tile[threadIdx.x][i]; // here
}
