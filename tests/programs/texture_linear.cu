/* SPDX-License-Identifier: Apache-2.0
 *
 * Textures over plain memory: one-dimensional, and pitched in two dimensions; four texels at once; an array's copies. */
#include "check.h"

enum { W = 37, H = 9 };

__global__ void line(cudaTextureObject_t t, int *out)
{
    int i  = threadIdx.x;
    out[i] = tex1Dfetch<int>(t, i - 2); /* zero outside */
}

__global__ void plane(cudaTextureObject_t t, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < W * H)
        out[i] = tex2D<float>(t, i % W + 0.5f, i / W + 0.5f);
}

__global__ void square(cudaTextureObject_t t, float4 *out)
{
    out[0] = tex2Dgather<float4>(t, 3.0f, 2.0f, 0);
}

int main()
{
    int                 v[40], *dv, out[64], *dout;
    cudaResourceDesc    r = {};
    cudaTextureDesc     q = {};
    cudaTextureObject_t t;
    for (int i = 0; i < 40; i++)
        v[i] = 1000 - 3 * i;
    OK(cudaMalloc(&dv, sizeof v));
    OK(cudaMalloc(&dout, sizeof out));
    OK(cudaMemcpy(dv, v, sizeof v, cudaMemcpyHostToDevice));
    r.resType                = cudaResourceTypeLinear;
    r.res.linear.devPtr      = dv;
    r.res.linear.desc        = cudaCreateChannelDesc<int>();
    r.res.linear.sizeInBytes = sizeof v;
    OK(cudaCreateTextureObject(&t, &r, &q, nullptr));
    line<<<1, 64>>>(t, dout);
    OK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        CHECK(out[i] == (i < 2 || i >= 42 ? 0 : v[i - 2]));
    OK(cudaDestroyTextureObject(t));

    static float p[H][W], got[H][W], *dp, *dgot;
    size_t       pitch;
    for (int i = 0; i < W * H; i++)
        p[i / W][i % W] = (float)i;
    OK(cudaMallocPitch(&dp, &pitch, W * sizeof(float), H));
    OK(cudaMemcpy2D(dp, pitch, p, sizeof p[0], sizeof p[0], H, cudaMemcpyHostToDevice));
    OK(cudaMalloc(&dgot, sizeof got));
    r.resType                  = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr       = dp;
    r.res.pitch2D.desc         = cudaCreateChannelDesc<float>();
    r.res.pitch2D.width        = W;
    r.res.pitch2D.height       = H;
    r.res.pitch2D.pitchInBytes = pitch;
    OK(cudaCreateTextureObject(&t, &r, &q, nullptr));
    plane<<<11, 32>>>(t, dgot);
    OK(cudaMemcpy(got, dgot, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(memcmp(got, p, sizeof p) == 0);
    OK(cudaDestroyTextureObject(t));

    cudaArray_t           a, b;
    cudaChannelFormatDesc c = cudaCreateChannelDesc<float>();
    float4                four, *dfour;
    OK(cudaMallocArray(&a, &c, W, H, cudaArrayTextureGather));
    OK(cudaMallocArray(&b, &c, W, H));
    OK(cudaMemcpy2DToArrayAsync(b, 0, 0, dp, pitch, W * sizeof(float), H, cudaMemcpyDeviceToDevice, 0));
    OK(cudaMemcpy2DArrayToArray(a, 0, 0, b, 0, 0, W * sizeof(float), H, cudaMemcpyDeviceToDevice));
    memset(got, 0, sizeof got);
    OK(cudaMemcpy2DFromArrayAsync(&got[1][2], sizeof got[0], a, 2 * sizeof(float), 1, (W - 2) * sizeof(float), H - 1, cudaMemcpyDefault, 0));
    OK(cudaStreamSynchronize(0));
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            CHECK(got[y][x] == (x < 2 || y < 1 ? 0 : p[y][x]));
    FAILS(cudaMemcpy2DToArray(a, 4, 0, p, sizeof p[0], sizeof p[0], H, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    r.resType         = cudaResourceTypeArray;
    r.res.array.array = a;
    OK(cudaMalloc(&dfour, sizeof four));
    OK(cudaCreateTextureObject(&t, &r, &q, nullptr));
    square<<<1, 1>>>(t, dfour);
    OK(cudaMemcpy(&four, dfour, sizeof four, cudaMemcpyDeviceToHost));
    CHECK(four.x == p[2][2] && four.y == p[2][3] && four.z == p[1][3] && four.w == p[1][2]);
    OK(cudaDestroyTextureObject(t));
    OK(cudaFreeArray(a));
    OK(cudaFreeArray(b));
    return passed();
}
