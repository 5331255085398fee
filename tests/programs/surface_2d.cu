/* SPDX-License-Identifier: Apache-2.0
 *
 * Surfaces: writes that a texture reads afterwards, vectors, bytes, boundary modes, layers. */
#include "check.h"

enum { W = 20, H = 6 };

__global__ void draw(cudaSurfaceObject_t s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < W)
        surf2Dwrite(make_float2(x, 10 * y), s, x * (int)sizeof(float2), y);
}

__global__ void look(cudaTextureObject_t t, float2 *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < W)
        out[y * W + x] = tex2D<float2>(t, x + 0.5f, y + 0.5f);
}

__global__ void edges(cudaSurfaceObject_t s, float2 *out)
{
    int x = (int)threadIdx.x - 4;
    out[threadIdx.x]      = surf2Dread<float2>(s, x * (int)sizeof(float2), 1, cudaBoundaryModeZero);
    out[threadIdx.x + 32] = surf2Dread<float2>(s, x * (int)sizeof(float2), 7, cudaBoundaryModeClamp);
    if (x < 0) /* written nowhere */
        surf2Dwrite(make_float2(-1, -1), s, x * (int)sizeof(float2), 0, cudaBoundaryModeZero);
}

__global__ void bytes(cudaSurfaceObject_t s, cudaSurfaceObject_t layers)
{
    unsigned char b = surf2Dread<unsigned char>(s, threadIdx.x, 0);
    surf2Dwrite((unsigned char)(b ^ 0xff), s, threadIdx.x, 1);
    surf2DLayeredwrite(100 * (int)blockIdx.x + (int)threadIdx.x, layers, threadIdx.x * (int)sizeof(int), 0, blockIdx.x);
}

int main()
{
    cudaArray_t           a;
    cudaChannelFormatDesc c = cudaCreateChannelDesc<float2>();
    cudaResourceDesc      r = {};
    cudaTextureDesc       q = {};
    cudaSurfaceObject_t   s;
    cudaTextureObject_t   t;
    static float2         out[H * W], *dout;
    r.resType = cudaResourceTypeArray;
    OK(cudaMallocArray(&a, &c, W, H, cudaArraySurfaceLoadStore));
    r.res.array.array = a;
    OK(cudaCreateSurfaceObject(&s, &r));
    OK(cudaCreateTextureObject(&t, &r, &q, nullptr));
    OK(cudaMalloc(&dout, sizeof out));
    draw<<<dim3(1, H), 32>>>(s);
    look<<<dim3(1, H), 32>>>(t, dout);
    OK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < W * H; i++)
        CHECK(out[i].x == i % W && out[i].y == 10 * (i / W));
    edges<<<1, 32>>>(s, dout);
    OK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++) {
        int x = i - 4, near = x < 0 ? 0 : x >= W ? W - 1 : x;
        CHECK(x < 0 || x >= W ? out[i].x == 0 && out[i].y == 0 : out[i].x == x && out[i].y == 10);
        CHECK(out[i + 32].x == near && out[i + 32].y == 10 * (H - 1));
    }
    float2 first;
    OK(cudaMemcpy2DFromArray(&first, sizeof first, a, 0, 0, sizeof first, 1, cudaMemcpyDeviceToHost));
    CHECK(first.x == 0 && first.y == 0);
    cudaResourceDesc again;
    OK(cudaGetSurfaceObjectResourceDesc(&again, s));
    CHECK(again.res.array.array == a);
    OK(cudaDestroySurfaceObject(s));
    OK(cudaDestroyTextureObject(t));
    OK(cudaFreeArray(a));

    unsigned char row[2][32], got[2][32];
    int           layer[2][32];
    cudaArray_t   b, l;
    cudaSurfaceObject_t u;
    c = cudaCreateChannelDesc<unsigned char>();
    for (int i = 0; i < 32; i++)
        row[0][i] = (unsigned char)(7 * i), row[1][i] = 0;
    OK(cudaMallocArray(&b, &c, 32, 2, cudaArraySurfaceLoadStore));
    OK(cudaMemcpy2DToArray(b, 0, 0, row, 32, 32, 2, cudaMemcpyHostToDevice));
    c = cudaCreateChannelDesc<int>();
    OK(cudaMalloc3DArray(&l, &c, make_cudaExtent(32, 1, 2), cudaArrayLayered | cudaArraySurfaceLoadStore));
    r.res.array.array = b;
    OK(cudaCreateSurfaceObject(&s, &r));
    r.res.array.array = l;
    OK(cudaCreateSurfaceObject(&u, &r));
    bytes<<<2, 32>>>(s, u);
    OK(cudaMemcpy2DFromArray(got, 32, b, 0, 0, 32, 2, cudaMemcpyDeviceToHost));
    cudaMemcpy3DParms p = {};
    p.srcArray = l;
    p.dstPtr   = make_cudaPitchedPtr(layer, sizeof layer[0], 32, 1);
    p.extent   = make_cudaExtent(32, 1, 2);
    p.kind     = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&p));
    for (int i = 0; i < 32; i++)
        CHECK(got[1][i] == (row[0][i] ^ 0xff) && layer[0][i] == i && layer[1][i] == 100 + i);
    return passed();
}
