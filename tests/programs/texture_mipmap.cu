/* SPDX-License-Identifier: Apache-2.0
 *
 * Mipmapped arrays: levels and their sizes, choice of a level by number and by gradient, the filter between levels, clamps. */
#include "check.h"

enum { W = 16, H = 8, LEVELS = 4 };

__global__ void fetch(cudaTextureObject_t t, const float *lod, float *out, int n)
{
    int i = threadIdx.x;
    if (i < n)
        out[i] = tex2DLod<float>(t, 0.5f, 0.5f, lod[i]);
    if (i == n)
        out[n] = tex2DGrad<float>(t, 0.5f, 0.5f, make_float2(4.0f / W, 0), make_float2(0, 1.0f / H));
    if (i == n + 1)
        out[n + 1] = tex2D<float>(t, 0.5f, 0.5f);
}

__global__ void fill(cudaSurfaceObject_t s, int w, int h, float v)
{
    int x = threadIdx.x, y = threadIdx.y;
    if (x < w && y < h)
        surf2Dwrite(v, s, x * (int)sizeof v, y);
}

int main()
{
    cudaMipmappedArray_t  m;
    cudaArray_t           a;
    cudaChannelFormatDesc c = cudaCreateChannelDesc<float>();
    cudaExtent            e;
    float lod[] = {0, 1, 2, 3, 9, -4, 1.25f, 1.5f, 0.499f}, *dlod, *dout, out[16];
    int   n     = sizeof lod / sizeof *lod;
    OK(cudaMallocMipmappedArray(&m, &c, make_cudaExtent(W, H, 0), LEVELS, cudaArraySurfaceLoadStore));
    for (int l = 0; l < LEVELS; l++) {
        cudaResourceDesc    r = {};
        cudaSurfaceObject_t s;
        OK(cudaGetMipmappedArrayLevel(&a, m, l));
        OK(cudaArrayGetInfo(nullptr, &e, nullptr, a));
        CHECK(e.width == W >> l && e.height == H >> l && e.depth == 0);
        r.resType         = cudaResourceTypeArray;
        r.res.array.array = a;
        OK(cudaCreateSurfaceObject(&s, &r));
        fill<<<1, dim3(W, H)>>>(s, (int)e.width, (int)e.height, 100.0f * l);
        OK(cudaDestroySurfaceObject(s));
    }
    FAILS(cudaGetMipmappedArrayLevel(&a, m, LEVELS), cudaErrorInvalidValue);
    OK(cudaMalloc(&dlod, sizeof lod));
    OK(cudaMalloc(&dout, sizeof out));
    OK(cudaMemcpy(dlod, lod, sizeof lod, cudaMemcpyHostToDevice));
    const float expect[3][11] = {{0, 100, 200, 300, 300, 0, 100, 200, 0, 200, 0},
                                 {0, 100, 200, 300, 300, 0, 125, 150, 0, 200, 0},
                                 {125, 200, 275, 275, 275, 125, 200, 225, 125, 275, 125}};
    for (int k = 0; k < 3; k++) {
        cudaResourceDesc    r = {};
        cudaTextureDesc     q = {};
        cudaTextureObject_t t;
        r.resType             = cudaResourceTypeMipmappedArray;
        r.res.mipmap.mipmap   = m;
        q.addressMode[0]      = q.addressMode[1] = cudaAddressModeClamp;
        q.normalizedCoords    = 1;
        q.mipmapFilterMode    = k ? cudaFilterModeLinear : cudaFilterModePoint;
        q.maxMipmapLevelClamp = LEVELS - 1;
        if (k == 2)
            q.minMipmapLevelClamp = 1.25f, q.maxMipmapLevelClamp = 2.75f, q.mipmapLevelBias = 0.75f;
        OK(cudaCreateTextureObject(&t, &r, &q, nullptr));
        fetch<<<1, 32>>>(t, dlod, dout, n);
        OK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
        for (int i = 0; i < n + 2; i++) {
            bool between = k && i == 8; /* 0.499: 127 of 256 parts */
            CHECK(between ? out[i] == (k == 1 ? 12700.0f / 256 : 125.0f) : out[i] == expect[k][i] || (k == 2 && (i == 1 || i == 6)));
        }
        OK(cudaDestroyTextureObject(t));
    }
    OK(cudaFreeMipmappedArray(m));
    return passed();
}
