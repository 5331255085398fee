/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix transposed through a tile in shared memory.  The result is right, but each read of the tile's columns meets one bank 32 times.
 *
 *     warpwright run --check examples/transpose.cu        the whole program (needs nvcc)
 *     warpwright check examples/transpose.cu --kernel transpose --grid 8,8 --block 32,8 \
 *         --arg in:f32[65536]=random --arg out:f32[65536] --arg n:i32=256 */

enum { TILE = 32, ROWS = 8 };

extern "C" __global__ void transpose(const float *in, float *out, int n)
{
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE;
    for (int i = threadIdx.y; i < TILE; i += ROWS)
        tile[i][threadIdx.x] = in[(y + i) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE;
    for (int i = threadIdx.y; i < TILE; i += ROWS)
        out[(y + i) * n + x] = tile[threadIdx.x][i];
}

#ifdef __NVCC__ /* the host's half */
#include <stdio.h>
#include <stdlib.h>

enum { N = 256 };

int main(void)
{
    size_t bytes = N * N * sizeof(float);
    float *in, *out, *h = (float *)malloc(bytes);
    for (int i = 0; i < N * N; i++)
        h[i] = (float)i;
    cudaMalloc(&in, bytes);
    cudaMalloc(&out, bytes);
    cudaMemcpy(in, h, bytes, cudaMemcpyHostToDevice);
    transpose<<<dim3(N / TILE, N / TILE), dim3(TILE, ROWS)>>>(in, out, N);
    cudaMemcpy(h, out, bytes, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < N * N; i++)
        wrong += h[i] != (float)(i % N * N + i / N);
    printf("%d elements wrong\n", wrong);
    cudaFree(in);
    cudaFree(out);
    free(h);
    return wrong != 0;
}
#endif
