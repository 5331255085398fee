/* SPDX-License-Identifier: Apache-2.0
 *
 * Layered textures of one and two dimensions, cubemaps and layered cubemaps; layers outside go to the last one. */
#include "check.h"

enum { W = 4, N = 3 };

__global__ void layers_1d(cudaTextureObject_t t, float *out)
{
    int i = threadIdx.x;
    if (i < W * N)
        out[i] = tex1DLayered<float>(t, i % W + 0.5f, i / W);
    if (i == 31)
        out[31] = tex1DLayered<float>(t, 0.5f, N + 5);
}

__global__ void layers_2d(cudaTextureObject_t t, float *out)
{
    int i = threadIdx.x;
    if (i < W * W * N)
        out[i] = tex2DLayered<float>(t, i % W + 0.5f, i / W % W + 0.5f, i / (W * W));
}

/* The middle of texel (x, y) of a face as a direction: the programming guide's table of faces read backwards. */
__device__ float3 towards(int face, int x, int y)
{
    float s = (2 * x + 1.0f) / W - 1, t = (2 * y + 1.0f) / W - 1;
    switch (face) {
    case 0: return make_float3(1, -t, -s);
    case 1: return make_float3(-1, -t, s);
    case 2: return make_float3(s, 1, t);
    case 3: return make_float3(s, -1, -t);
    case 4: return make_float3(s, -t, 1);
    default: return make_float3(-s, -t, -1);
    }
}

__global__ void faces(cudaTextureObject_t t, float *out, int layer)
{
    int    i = threadIdx.x;
    float3 d = towards(i / (W * W), i % W, i / W % W);
    out[i]   = layer < 0 ? texCubemap<float>(t, 3 * d.x, 3 * d.y, 3 * d.z) : texCubemapLayered<float>(t, d.x, d.y, d.z, layer);
}

static cudaTextureObject_t make(cudaArray_t *a, size_t h, size_t d, unsigned flags, bool normalised, const float *v)
{
    cudaChannelFormatDesc c = cudaCreateChannelDesc<float>();
    cudaMemcpy3DParms     p = {};
    cudaResourceDesc      r = {};
    cudaTextureDesc       q = {};
    cudaTextureObject_t   t;
    OK(cudaMalloc3DArray(a, &c, make_cudaExtent(W, h, d), flags));
    p.srcPtr   = make_cudaPitchedPtr((void *)v, W * sizeof *v, W, h ? h : 1);
    p.dstArray = *a;
    p.extent   = make_cudaExtent(W, h ? h : 1, d);
    p.kind     = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&p));
    r.resType          = cudaResourceTypeArray;
    r.res.array.array  = *a;
    q.addressMode[0]   = q.addressMode[1] = cudaAddressModeClamp;
    q.normalizedCoords = normalised;
    OK(cudaCreateTextureObject(&t, &r, &q, nullptr));
    return t;
}

int main()
{
    static float v[W * W * 6 * N], out[W * W * 6], *dout;
    cudaArray_t  a;
    cudaChannelFormatDesc c = cudaCreateChannelDesc<float>();
    for (int i = 0; i < W * W * 6 * N; i++)
        v[i] = (float)(i * 3 + 1);
    OK(cudaMalloc(&dout, sizeof out));
    cudaTextureObject_t t = make(&a, 0, N, cudaArrayLayered, false, v);
    layers_1d<<<1, 32>>>(t, dout);
    OK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
    CHECK(memcmp(out, v, W * N * sizeof *v) == 0 && out[31] == v[W * (N - 1)]);
    OK(cudaDestroyTextureObject(t));
    OK(cudaFreeArray(a));

    t = make(&a, W, N, cudaArrayLayered, false, v);
    layers_2d<<<1, W * W * N>>>(t, dout);
    OK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
    CHECK(memcmp(out, v, W * W * N * sizeof *v) == 0);
    OK(cudaDestroyTextureObject(t));
    OK(cudaFreeArray(a));

    t = make(&a, W, 6, cudaArrayCubemap, true, v);
    faces<<<1, W * W * 6>>>(t, dout, -1);
    OK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
    CHECK(memcmp(out, v, sizeof out) == 0);
    OK(cudaDestroyTextureObject(t));
    OK(cudaFreeArray(a));

    t = make(&a, W, 6 * N, cudaArrayCubemap | cudaArrayLayered, true, v);
    faces<<<1, W * W * 6>>>(t, dout, 2);
    OK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
    CHECK(memcmp(out, v + 2 * W * W * 6, sizeof out) == 0);
    OK(cudaDestroyTextureObject(t));
    OK(cudaFreeArray(a));

    FAILS(cudaMalloc3DArray(&a, &c, make_cudaExtent(W, W, 5), cudaArrayCubemap), cudaErrorInvalidValue);
    FAILS(cudaMalloc3DArray(&a, &c, make_cudaExtent(W, W + 1, 6), cudaArrayCubemap), cudaErrorInvalidValue);
    return passed();
}
