/* SPDX-License-Identifier: Apache-2.0
 *
 * Pitched memory: two- and three-dimensional copies and sets. */
#include "check.h"

__global__ void fill(char *p, size_t pitch, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < w && y < h)
        ((int *)(p + y * pitch))[x] = 100 * y + x;
}

int main()
{
    const int w = 37, h = 11;
    char  *p;
    size_t pitch;
    int    got[h][w], narrow[h][5];
    OK(cudaMallocPitch(&p, &pitch, w * sizeof(int), h));
    CHECK(pitch >= w * sizeof(int) && pitch % 32 == 0);
    OK(cudaMemset2D(p, pitch, 0xff, w * sizeof(int), h));
    OK(cudaMemcpy2D(got, sizeof got[0], p, pitch, w * sizeof(int), h, cudaMemcpyDeviceToHost));
    CHECK(got[h - 1][w - 1] == -1);
    fill<<<dim3(2, h), 32>>>(p, pitch, w, h);
    OK(cudaMemcpy2D(got, sizeof got[0], p, pitch, w * sizeof(int), h, cudaMemcpyDeviceToHost));
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            CHECK(got[y][x] == 100 * y + x);
    OK(cudaMemcpy2DAsync(narrow, sizeof narrow[0], p + 8, pitch, sizeof narrow[0], h, cudaMemcpyDefault, 0));
    CHECK(narrow[3][4] == 306);
    FAILS(cudaMemcpy2D(got, 4, p, pitch, w * sizeof(int), h, cudaMemcpyDeviceToHost), cudaErrorInvalidPitchValue);
    OK(cudaMemcpy2D(got, 4, p, 8, w * sizeof(int), 1, cudaMemcpyDeviceToHost)); // one row has no pitch
    CHECK(got[0][w - 1] == w - 1);
    cudaPitchedPtr q;
    cudaExtent     e = make_cudaExtent(w * sizeof(int), h, 3);
    OK(cudaMalloc3D(&q, e));
    OK(cudaMemset3D(q, 1, e));
    static int cube[3][h][w];
    cudaMemcpy3DParms c = {};
    c.srcPtr = q;
    c.dstPtr = make_cudaPitchedPtr(cube, w * sizeof(int), w, h);
    c.extent = e;
    c.kind   = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&c));
    CHECK(cube[2][h - 1][w - 1] == 0x01010101);
    return passed();
}
