/* SPDX-License-Identifier: Apache-2.0
 *
 * Three-dimensional textures: copies of whole and partial volumes, trilinear filtering, a volume written through a surface. */
#include "check.h"

enum { W = 6, H = 5, D = 4 };

__global__ void sample(cudaTextureObject_t t, float *out, float shift)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < W * H * D)
        out[i] = tex3D<float>(t, i % W + shift, i / W % H + shift, i / (W * H) + shift);
}

__global__ void scale(cudaSurfaceObject_t s, float k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % W, y = i / W % H, z = i / (W * H);
    if (z < D) {
        float v = surf3Dread<float>(s, x * (int)sizeof v, y, z);
        surf3Dwrite(k * v, s, x * (int)sizeof v, y, z);
    }
}

static cudaTextureObject_t texture(cudaArray_t a, cudaTextureFilterMode filter)
{
    cudaResourceDesc    r = {};
    cudaTextureDesc     d = {};
    cudaTextureObject_t t;
    r.resType         = cudaResourceTypeArray;
    r.res.array.array = a;
    d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = cudaAddressModeClamp;
    d.filterMode = filter;
    OK(cudaCreateTextureObject(&t, &r, &d, nullptr));
    return t;
}

int main()
{
    static float v[D][H][W], out[D][H][W], back[D][H][W], *dout;
    cudaArray_t  a;
    cudaExtent   e = make_cudaExtent(W, H, D), got;
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>(), gd;
    unsigned     flags;
    for (int i = 0; i < W * H * D; i++)
        (&v[0][0][0])[i] = (float)(i % 7 * 8);
    OK(cudaMalloc3DArray(&a, &d, e, cudaArraySurfaceLoadStore));
    OK(cudaArrayGetInfo(&gd, &got, &flags, a));
    CHECK(got.width == W && got.height == H && got.depth == D && flags == cudaArraySurfaceLoadStore && gd.x == 32);
    cudaMemcpy3DParms c = {};
    c.srcPtr   = make_cudaPitchedPtr(v, sizeof v[0][0], W, H);
    c.dstArray = a;
    c.extent   = e;
    c.kind     = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&c));
    c.extent.width = W + 1;
    FAILS(cudaMemcpy3D(&c), cudaErrorInvalidValue);
    OK(cudaMalloc(&dout, sizeof out));
    cudaTextureObject_t point = texture(a, cudaFilterModePoint), linear = texture(a, cudaFilterModeLinear);
    sample<<<4, 32>>>(point, dout, 0.5f);
    OK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
    CHECK(memcmp(out, v, sizeof v) == 0);
    sample<<<4, 32>>>(linear, dout, 1.0f);
    OK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
    for (int z = 0; z < D - 1; z++)
        for (int y = 0; y < H - 1; y++)
            for (int x = 0; x < W - 1; x++) {
                float sum = 0;
                for (int k = 0; k < 8; k++)
                    sum += v[z + (k >> 2)][y + (k >> 1 & 1)][x + (k & 1)];
                CHECK(out[z][y][x] == sum / 8);
            }
    cudaResourceDesc r = {};
    r.resType         = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaSurfaceObject_t s;
    OK(cudaCreateSurfaceObject(&s, &r));
    scale<<<4, 32>>>(s, 3.0f);
    c          = {};
    c.srcArray = a;
    c.srcPos   = make_cudaPos(1, 2, 1);
    c.dstPtr   = make_cudaPitchedPtr(back, sizeof back[0][0], W, H);
    c.dstPos   = make_cudaPos(sizeof(float), 2, 1); /* bytes in plain memory */
    c.extent   = make_cudaExtent(W - 1, H - 2, D - 1);
    c.kind     = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&c));
    CHECK(back[0][0][0] == 0 && back[1][2][0] == 0 && back[1][1][1] == 0);
    for (int z = 1; z < D; z++)
        for (int y = 2; y < H; y++)
            for (int x = 1; x < W; x++)
                CHECK(back[z][y][x] == 3 * v[z][y][x]);
    OK(cudaDestroySurfaceObject(s));
    OK(cudaDestroyTextureObject(point));
    OK(cudaDestroyTextureObject(linear));
    OK(cudaFreeArray(a));
    OK(cudaFree(dout));
    return passed();
}
