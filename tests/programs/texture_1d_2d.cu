/* SPDX-License-Identifier: Apache-2.0
 *
 * Textures over arrays in one and two dimensions: points, the linear filter's weights of 1/256, addressing modes, normalised
 * coordinates, fractions of 8-bit channels, descriptors asked back.
 * nvcc: -Xcompiler -Wno-deprecated-declarations */
#include <cmath>

#include "check.h"

__global__ void row(cudaTextureObject_t t, const float *x, float *out, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = tex1D<float>(t, x[i]);
}

__global__ void plane(cudaTextureObject_t t, float *out, int w, int h, float sx, float sy, float dx, float dy)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < w * h)
        out[i] = tex2D<float>(t, (i % w + dx) * sx, (i / w + dy) * sy);
}

__global__ void bytes(cudaTextureObject_t t, cudaTextureObject_t f, uchar4 *raw, float4 *fraction, int w, int h)
{
    int i = threadIdx.x;
    if (i < w * h) {
        raw[i]      = tex2D<uchar4>(t, i % w, i / w);
        fraction[i] = tex2D<float4>(f, i % w + 0.5f, i / w + 0.5f);
    }
}

static cudaTextureObject_t texture(cudaArray_t a, cudaTextureFilterMode filter, cudaTextureAddressMode mode, bool normalised, bool fractions)
{
    cudaResourceDesc    r = {};
    cudaTextureDesc     d = {};
    cudaTextureObject_t t;
    r.resType           = cudaResourceTypeArray;
    r.res.array.array   = a;
    d.addressMode[0]    = d.addressMode[1] = mode;
    d.filterMode        = filter;
    d.normalizedCoords  = normalised;
    d.readMode          = fractions ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    d.borderColor[0]    = -7;
    OK(cudaCreateTextureObject(&t, &r, &d, nullptr));
    return t;
}

static void one_dimension()
{
    enum { N = 8, M = 8 };
    float       v[N] = {1, 2, 4, 8, 16, 32, 64, 128}, x[M] = {2.0f, 2.5f, 2.75f, -5.0f, 100.0f, 7.9f, 3.501953125f, 0.0f}, *dx, *dout, out[M];
    float       point[M] = {4, 4, 4, 1, 128, 128, 8, 1}, linear[M] = {3, 4, 5, 1, 128, 128, 8.03125f, 1};
    cudaArray_t a;
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    OK(cudaMallocArray(&a, &d, N));
    OK(cudaMemcpy2DToArray(a, 0, 0, v, sizeof v, sizeof v, 1, cudaMemcpyHostToDevice));
    OK(cudaMalloc(&dx, sizeof x));
    OK(cudaMalloc(&dout, sizeof out));
    OK(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
    for (int filter = 0; filter < 2; filter++) {
        cudaTextureObject_t t = texture(a, filter ? cudaFilterModeLinear : cudaFilterModePoint, cudaAddressModeClamp, false, false);
        row<<<1, 32>>>(t, dx, dout, M);
        OK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
        for (int i = 0; i < M; i++) /* the weight has 8 fraction bits: half of 1/256 is rounded up */
            CHECK(out[i] == (filter ? linear : point)[i]);
        OK(cudaDestroyTextureObject(t));
    }
    OK(cudaFreeArray(a));
    OK(cudaFree(dx));
    OK(cudaFree(dout));
}

static int wrapped(int i, int n, cudaTextureAddressMode m)
{
    if (m == cudaAddressModeWrap)
        return ((i % n) + n) % n;
    if (m == cudaAddressModeMirror) {
        i = ((i % (2 * n)) + 2 * n) % (2 * n);
        return i < n ? i : 2 * n - 1 - i;
    }
    return m == cudaAddressModeClamp ? (i < 0 ? 0 : i >= n ? n - 1 : i) : i;
}

static void two_dimensions()
{
    enum { W = 8, H = 4, OW = 24, OH = 12 };
    static float v[H][W], out[OH][OW], *dout;
    cudaArray_t  a;
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    for (int i = 0; i < W * H; i++)
        v[i / W][i % W] = (float)(i * i);
    OK(cudaMallocArray(&a, &d, W, H));
    OK(cudaMemcpy2DToArray(a, 0, 0, v, sizeof v[0], sizeof v[0], H, cudaMemcpyHostToDevice));
    OK(cudaMalloc(&dout, sizeof out));
    for (int m = 0; m < 4; m++) {
        cudaTextureAddressMode mode = (cudaTextureAddressMode)m;
        cudaTextureObject_t    t    = texture(a, cudaFilterModePoint, mode, true, false);
        plane<<<9, 32>>>(t, dout, OW, OH, 1.0f / W, 1.0f / H, 0.5f - W, 0.5f - H);
        OK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
        for (int y = 0; y < OH; y++)
            for (int x = 0; x < OW; x++) {
                int i = wrapped(x - W, W, mode), j = wrapped(y - H, H, mode);
                CHECK(out[y][x] == (i < 0 || i >= W || j < 0 || j >= H ? -7 : v[j][i]));
            }
        OK(cudaDestroyTextureObject(t));
    }
    cudaTextureObject_t t = texture(a, cudaFilterModeLinear, cudaAddressModeClamp, false, false);
    plane<<<9, 32>>>(t, dout, W - 1, H - 1, 1, 1, 1.0f, 1.0f); /* between four texels */
    OK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < (W - 1) * (H - 1); i++) {
        int x = i % (W - 1), y = i / (W - 1);
        CHECK((&out[0][0])[i] == (v[y][x] + v[y][x + 1] + v[y + 1][x] + v[y + 1][x + 1]) / 4);
    }
    cudaResourceDesc r;
    cudaTextureDesc  q;
    OK(cudaGetTextureObjectResourceDesc(&r, t));
    OK(cudaGetTextureObjectTextureDesc(&q, t));
    CHECK(r.resType == cudaResourceTypeArray && r.res.array.array == a && q.filterMode == cudaFilterModeLinear && q.borderColor[0] == -7);
    OK(cudaDestroyTextureObject(t));
    FAILS(cudaGetTextureObjectResourceDesc(&r, t), cudaErrorInvalidValue);
    OK(cudaFreeArray(a));
    OK(cudaFree(dout));
}

static void byte_channels()
{
    enum { W = 5, H = 3 };
    uchar4      v[H][W], raw[H][W], *draw;
    float4      fraction[H][W], *dfraction;
    cudaArray_t a;
    cudaChannelFormatDesc d = cudaCreateChannelDesc<uchar4>(), e;
    for (int i = 0; i < W * H; i++)
        v[i / W][i % W] = make_uchar4(17 * i, 255 - i, 3, i % 2 ? 255 : 0);
    OK(cudaMallocArray(&a, &d, W, H));
    OK(cudaGetChannelDesc(&e, a));
    CHECK(e.x == 8 && e.w == 8 && e.f == cudaChannelFormatKindUnsigned);
    OK(cudaMemcpyToArray(a, 0, 0, v, sizeof v, cudaMemcpyHostToDevice));
    OK(cudaMalloc(&draw, sizeof raw));
    OK(cudaMalloc(&dfraction, sizeof fraction));
    cudaTextureObject_t t = texture(a, cudaFilterModePoint, cudaAddressModeClamp, false, false);
    cudaTextureObject_t f = texture(a, cudaFilterModeLinear, cudaAddressModeClamp, false, true);
    bytes<<<1, 32>>>(t, f, draw, dfraction, W, H);
    OK(cudaMemcpy(raw, draw, sizeof raw, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(fraction, dfraction, sizeof fraction, cudaMemcpyDeviceToHost));
    CHECK(memcmp(raw, v, sizeof v) == 0);
    for (int i = 0; i < W * H; i++) {
        float4 g = fraction[i / W][i % W];
        uchar4 b = v[i / W][i % W];
        CHECK(g.x == b.x / 255.0f && g.y == b.y / 255.0f && g.z == b.z / 255.0f && g.w == b.w / 255.0f);
    }
    OK(cudaDestroyTextureObject(t));
    OK(cudaDestroyTextureObject(f));
    OK(cudaFreeArray(a));
}

int main()
{
    one_dimension();
    two_dimensions();
    byte_channels();
    return passed();
}
