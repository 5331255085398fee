/* SPDX-License-Identifier: Apache-2.0
 *
 * Small kernels of usual kinds, one warp each, written without a look at what we count of them.  The counters of an H200 are
 * tests/data/golden/usual_h200.tsv. */
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>
using namespace nvcuda;
#define N 4096
__device__ float         g_a[N], g_b[N], g_c[N];
__device__ double        g_d[N];
__device__ int           g_i[N];
__device__ unsigned char g_u8[N * 4];
__device__ short         g_s[N];
__device__ __half        g_h[N];
__device__ float4        g_f4[N];
__device__ float3        g_f3[N];
__device__ double2       g_d2[N];
#define K(name) extern "C" __global__ void __launch_bounds__(128) name
K(axpy4)(const float4 *__restrict__ x, float4 *__restrict__ y, float a)
{
    int    i = threadIdx.x;
    float4 u = x[i], v = y[i];
    v.x += a * u.x;
    v.y += a * u.y;
    v.z += a * u.z;
    v.w += a * u.w;
    y[i] = v;
}
K(half2axpy)(const __half2 *x, __half2 *y)
{
    int i = threadIdx.x;
    y[i]  = __hfma2(x[i], __float2half2_rn(2.f), y[i]);
}
K(half8)(const uint4 *x, uint4 *y)
{
    int      i = threadIdx.x;
    uint4    u = x[i];
    __half2 *h = (__half2 *)&u;
    for (int k = 0; k < 4; k++)
        h[k] = __hadd2(h[k], h[k]);
    y[i] = u;
}
K(aos3)(const float3 *p, float3 *q)
{
    int    i = threadIdx.x;
    float3 a = p[i];
    q[i]     = make_float3(a.y, a.z, a.x);
}
struct P {
    float x, y, z, m;
};
struct __align__(16) PA
{
    float x, y, z, m;
};
K(aos4)(const P *p, P *q)
{
    int i = threadIdx.x;
    P   a = p[i];
    a.x += a.m;
    q[i] = a;
}
K(aos4a)(const PA *p, PA *q)
{
    int i = threadIdx.x;
    PA  a = p[i];
    a.x += a.m;
    q[i] = a;
}
K(aos_one)(const PA *p, float *q)
{
    int i = threadIdx.x;
    q[i]  = p[i].x + p[i].z;
}
K(aos_two)(const P *__restrict__ p, float *__restrict__ q)
{
    int i = threadIdx.x;
    q[i]  = p[i].x * p[i].m;
}
struct __align__(8) D
{
    float a;
    int   b;
};
K(pairs)(const D *p, D *q)
{
    int i = threadIdx.x;
    D   d = p[i];
    d.a += d.b;
    q[i] = d;
}
K(transpose33)(const float *in, float *out)
{
    __shared__ float t[32][33];
    int              x = threadIdx.x;
#pragma unroll
    for (int r = 0; r < 32; r++)
        t[r][x] = in[r * 32 + x];
    __syncthreads();
#pragma unroll
    for (int r = 0; r < 32; r++)
        out[r * 32 + x] = t[x][r];
}
K(transpose32)(const float *in, float *out)
{
    __shared__ float t[32][32];
    int              x = threadIdx.x;
#pragma unroll
    for (int r = 0; r < 32; r++)
        t[r][x] = in[r * 32 + x];
    __syncthreads();
#pragma unroll
    for (int r = 0; r < 32; r++)
        out[r * 32 + x] = t[x][r];
}
K(transposeh)(const __half *in, __half *out)
{
    __shared__ __half t[32][34];
    int               x = threadIdx.x;
#pragma unroll
    for (int r = 0; r < 32; r++)
        t[r][x] = in[r * 32 + x];
    __syncthreads();
#pragma unroll
    for (int r = 0; r < 32; r++)
        out[r * 32 + x] = t[x][r];
}
K(warpsum)(const float *in, float *out)
{
    float v = in[threadIdx.x];
    for (int o = 16; o; o /= 2)
        v += __shfl_xor_sync(~0u, v, o);
    if (threadIdx.x % 32 == 0)
        out[threadIdx.x / 32] = v;
}
K(blocksum)(const float *in, float *out)
{
    __shared__ float s[4];
    float            v = in[threadIdx.x];
    for (int o = 16; o; o /= 2)
        v += __shfl_down_sync(~0u, v, o);
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0)
        out[0] = s[0] + s[1] + s[2] + s[3];
}
K(stencil)(const float *in, float *out)
{
    __shared__ float s[128 + 8];
    int              t = threadIdx.x;
    s[t + 4]           = in[t + 4];
    if (t < 4) {
        s[t]       = in[t];
        s[t + 132] = in[t + 132];
    }
    __syncthreads();
    float v = 0;
#pragma unroll
    for (int k = -4; k <= 4; k++)
        v += s[t + 4 + k];
    out[t] = v;
}
K(stencilg)(const float *in, float *out)
{
    int   t = threadIdx.x + 4;
    float v = 0;
#pragma unroll
    for (int k = -4; k <= 4; k++)
        v += in[t + k];
    out[t] = v;
}
K(stencilr)(const float *__restrict__ in, float *__restrict__ out)
{
    int   t = threadIdx.x + 1;
    float v = 0;
#pragma unroll
    for (int k = -1; k <= 1; k++)
        v += in[t + k];
    out[t]       = v;
    out[t + 200] = in[t] - in[t - 1];
}
K(coef)(const float *in, float *out)
{
    __shared__ float c[16];
    int              t = threadIdx.x;
    if (t < 16)
        c[t] = in[t];
    __syncthreads();
    float v = 0;
#pragma unroll
    for (int k = 0; k < 16; k++)
        v = v * in[t] + c[k];
    out[t] = v;
}
K(coef5)(const float *in, float *out)
{
    __shared__ float c[16];
    int              t = threadIdx.x;
    if (t < 16)
        c[t] = in[t];
    __syncthreads();
    float v = 0;
#pragma unroll
    for (int k = 1; k < 10; k++)
        v = v * in[t] + c[k];
    out[t] = v;
}
K(dcoef)(const double *in, double *out)
{
    __shared__ double c[8];
    int               t = threadIdx.x;
    if (t < 8)
        c[t] = in[t];
    __syncthreads();
    double v = 0;
#pragma unroll
    for (int k = 0; k < 7; k++)
        v = v * in[t] + c[k];
    out[t] = v;
}
K(gemmtile)(const float *A, const float *B, float *C)
{
    __shared__ float a[16][16], b[16][16];
    int              x = threadIdx.x % 16, y = threadIdx.x / 16;
    for (int r = y; r < 16; r += 8) {
        a[r][x] = A[r * 16 + x];
        b[r][x] = B[r * 16 + x];
    }
    __syncthreads();
    float v = 0;
#pragma unroll
    for (int k = 0; k < 16; k++)
        v += a[y][k] * b[k][x];
    C[y * 16 + x] = v;
}
K(gemm4)(const float *A, const float *B, float *C)
{
    __shared__ __align__(16) float a[8][32], b[8][32];
    int                            t = threadIdx.x;
    for (int k = 0; k < 8; k++) {
        a[k][t % 32] = A[k * 32 + t % 32];
        b[k][t % 32] = B[k * 32 + t % 32];
    }
    __syncthreads();
    int   x = t % 8 * 4, y = t / 8 % 4 * 4;
    float c[4][4] = {};
#pragma unroll
    for (int k = 0; k < 8; k++)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                c[i][j] += a[k][y + i] * b[k][x + j];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            C[(y + i) * 32 + x + j] = c[i][j];
}
K(hist)(const int *in, int *out)
{
    __shared__ int h[64];
    int            t = threadIdx.x;
    if (t < 64)
        h[t] = 0;
    __syncthreads();
    atomicAdd(&h[in[t] & 63], 1);
    __syncthreads();
    if (t < 64)
        atomicAdd(&out[t], h[t]);
}
K(histw)(const int *in, int *out)
{
    __shared__ int h[64];
    int            t = threadIdx.x;
    if (t < 64)
        h[t] = 0;
    __syncthreads();
    int old = atomicAdd(&h[in[t] & 63], in[t]);
    out[t]  = old;
}
K(fetchadd)(int *n, int *out)
{
    int t         = threadIdx.x;
    int at        = atomicAdd(n, 1);
    out[at & 127] = t;
}
K(casmax)(int *n, const int *in)
{
    atomicMax(n, in[threadIdx.x]);
}
K(kfadd)(float *n, const float *in)
{
    atomicAdd(&n[threadIdx.x & 7], in[threadIdx.x]);
}
K(half2add)(__half2 *n, const __half2 *in)
{
    atomicAdd(&n[threadIdx.x], in[threadIdx.x]);
}
K(exchg)(int *n, const int *in, int *out)
{
    out[threadIdx.x] = atomicExch(&n[threadIdx.x], in[threadIdx.x]);
}
K(bytes4)(const unsigned char *in, unsigned char *out)
{
    int t = threadIdx.x;
    for (int k = 0; k < 4; k++)
        out[4 * t + k] = in[4 * t + k] + 1;
}
K(uc4)(const uchar4 *in, uchar4 *out)
{
    uchar4 v = in[threadIdx.x];
    v.x++;
    v.w--;
    out[threadIdx.x] = v;
}
K(shorts)(const short2 *in, short *out)
{
    __shared__ short s[256];
    int              t = threadIdx.x;
    short2           v = in[t];
    s[2 * t]           = v.x;
    s[2 * t + 1]       = v.y;
    __syncthreads();
    out[t] = s[255 - 2 * t] + s[254 - 2 * t];
}
K(localarr)(const float *in, float *out, int n)
{
    float a[16];
    for (int i = 0; i < 16; i++)
        a[i] = in[threadIdx.x + i];
    out[threadIdx.x] = a[n & 15];
}
K(localw)(const float *in, float *out, int n, int m)
{
    float a[16] = {};
    a[n & 15]   = in[threadIdx.x];
    a[m & 15] += 2;
    float v = 0;
    for (int i = 0; i < 16; i++)
        v += a[i];
    out[threadIdx.x] = v;
}
K(cpasync)(const float4 *in, float4 *out)
{
    __shared__ float4 s[2][128];
    int               t = threadIdx.x;
    __pipeline_memcpy_async(&s[0][t], &in[t], 16);
    __pipeline_commit();
    __pipeline_memcpy_async(&s[1][t], &in[t + 128], 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    float4 v = s[0][127 - t];
    __pipeline_wait_prior(0);
    __syncthreads();
    float4 w = s[1][t];
    out[t]   = make_float4(v.x + w.x, v.y + w.y, v.z + w.z, v.w + w.w);
}
K(cpasync4)(const float *in, float *out)
{
    __shared__ float s[128];
    int              t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = s[127 - t];
}
K(wmma1)(const __half *A, const __half *B, float *C)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float>                c;
    wmma::fill_fragment(c, 0.f);
    wmma::load_matrix_sync(a, A, 16);
    wmma::load_matrix_sync(b, B, 16);
    wmma::mma_sync(c, a, b, c);
    wmma::store_matrix_sync(C, c, 16, wmma::mem_row_major);
}
K(wmmas)(const __half *A, float *C)
{
    __shared__ __half s[16 * 24];
    for (int i = threadIdx.x; i < 256; i += 32)
        s[i / 16 * 24 + i % 16] = A[i];
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float>                c;
    wmma::load_matrix_sync(c, C, 16, wmma::mem_row_major);
    wmma::load_matrix_sync(a, s, 24);
    wmma::load_matrix_sync(b, s, 24);
    wmma::mma_sync(c, a, b, c);
    wmma::store_matrix_sync(C, c, 16, wmma::mem_row_major);
}
K(tex)(cudaTextureObject_t t, float *out)
{
    out[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x) + tex1Dfetch<float>(t, threadIdx.x + 1);
}
K(d2)(const double2 *in, double *out)
{
    double2 v                = in[threadIdx.x];
    out[2 * threadIdx.x]     = v.y;
    out[2 * threadIdx.x + 1] = v.x;
}
K(longs)(const long long *in, long long *out)
{
    int t  = threadIdx.x;
    out[t] = in[2 * t] + in[2 * t + 1];
}
K(soa)(const float *x, const float *y, const float *z, float *o)
{
    int   t = threadIdx.x;
    float a = x[t], b = y[t], c = z[t];
    o[t]       = a;
    o[t + 128] = b;
    o[t + 256] = c;
}
K(reload)(float *x, float *y)
{
    int t      = threadIdx.x;
    y[t]       = x[t];
    y[t + 128] = x[t] + 1;
}
K(reloadr)(const float *__restrict__ x, float *__restrict__ y)
{
    int t      = threadIdx.x;
    y[t]       = x[t];
    y[t + 128] = x[t] + 1;
}
K(vol)(volatile float *x)
{
    int t = threadIdx.x;
    x[t]  = x[t] + x[t];
}
K(ldcg)(const float *x, float *y)
{
    int t = threadIdx.x;
    y[t]  = __ldcg(x + t) + __ldcs(x + t + 128) + __ldca(x + t + 256);
    __stcs(y + t + 128, 1.f);
}
K(guard)(const float *x, float *y, int n)
{
    int t = threadIdx.x;
    if (t < n)
        y[t] = x[t] * 2;
}
K(select2)(const float *x, const float *z, float *y, int n)
{
    int   t = threadIdx.x;
    float v = t < n ? x[t] : z[t];
    y[t]    = v;
}
K(kscan)(const int *in, int *out)
{
    __shared__ int s[128];
    int            t = threadIdx.x;
    s[t]             = in[t];
    __syncthreads();
#pragma unroll
    for (int o = 1; o < 128; o *= 2) {
        int v = t >= o ? s[t - o] : 0;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    out[t] = s[t];
}
K(bitonic)(int *d)
{
    __shared__ int s[128];
    int            t = threadIdx.x;
    s[t]             = d[t];
    __syncthreads();
#pragma unroll
    for (int k = 2; k <= 128; k *= 2)
#pragma unroll
        for (int j = k / 2; j; j /= 2) {
            int o = t ^ j;
            if (o > t) {
                int a = s[t], b = s[o];
                if (((t & k) == 0) == (a > b)) {
                    s[t] = b;
                    s[o] = a;
                }
            }
            __syncthreads();
        }
    d[t] = s[t];
}
K(smemf4)(const float4 *in, float *out)
{
    __shared__ float4 s[128];
    int               t = threadIdx.x;
    s[t]                = in[t];
    __syncthreads();
    float4 v = s[t ^ 1];
    out[t]   = v.x + v.y + v.z + v.w;
}
K(smemf4x)(const float4 *in, float *out)
{
    __shared__ float4 s[128];
    int               t = threadIdx.x;
    s[t]                = in[t];
    __syncthreads();
    out[t] = s[t ^ 1].x + s[t ^ 3].w;
}
K(smem3)(const float *in, float *out)
{
    __shared__ float s[3 * 128];
    int              t = threadIdx.x;
    s[3 * t]           = in[t];
    s[3 * t + 1]       = in[t + 128];
    s[3 * t + 2]       = in[t + 256];
    __syncthreads();
    int u  = 127 - t;
    out[t] = s[3 * u] + s[3 * u + 1] + s[3 * u + 2];
}
K(smem2)(const float *in, float *out)
{
    __shared__ float s[2 * 128];
    int              t = threadIdx.x;
    s[2 * t]           = in[t];
    s[2 * t + 1]       = in[t + 128];
    __syncthreads();
    int u  = 127 - t;
    out[t] = s[2 * u] + s[2 * u + 1];
}

static void failed(const char *kernel)
{
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess)
        printf("%s: %s\n", kernel, cudaGetErrorString(e));
}

template <class T, class S> static T *at(S &symbol)
{
    void *p = nullptr;
    cudaGetSymbolAddress(&p, symbol);
    return static_cast<T *>(p);
}

#define L(k, ...) k<<<1, 32>>>(__VA_ARGS__), failed(#k)

int main()
{
    auto *a = at<float>(g_a), *b = at<float>(g_b), *c = at<float>(g_c);
    void *v = at<void>(g_f4), *w = at<void>(g_d2);
    L(axpy4, (float4*)v, (float4*)w, 2.f); L(half2axpy, (__half2*)v, (__half2*)w); L(half8, (uint4*)v, (uint4*)w); L(aos3, (float3*)v, (float3*)w);
    L(aos4, (P*)v, (P*)w); L(aos4a, (PA*)v, (PA*)w); L(aos_one, (PA*)v, b); L(aos_two, (P*)v, b); L(pairs, (D*)v, (D*)w); L(transpose33, a, b);
    L(transpose32, a, b); L(transposeh, (__half*)a, (__half*)b); L(warpsum, a, b); L(blocksum, a, b); L(stencil, a, b); L(stencilg, a, b);
    L(stencilr, a, b); L(coef, a, b); L(coef5, a, b); L(dcoef, (double*)v, (double*)w); L(gemmtile, a, b, c); L(gemm4, a, b, c);
    L(hist, (int*)a, (int*)b); L(histw, (int*)a, (int*)b); L(fetchadd, (int*)a, (int*)b); L(casmax, (int*)a, (int*)b); L(kfadd, a, b);
    L(half2add, (__half2*)a, (__half2*)b); L(exchg, (int*)a, (int*)b, (int*)c); L(bytes4, (unsigned char*)v, (unsigned char*)w);
    L(uc4, (uchar4*)v, (uchar4*)w); L(shorts, (short2*)v, (short*)w); L(localarr, a, b, 3); L(localw, a, b, 3, 5); L(cpasync, (float4*)v, (float4*)w);
    L(cpasync4, a, b); L(wmma1, (__half*)v, (__half*)w, a); L(wmmas, (__half*)v, a);
    cudaTextureObject_t t = 0;
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = v;
    r.res.linear.desc = cudaCreateChannelDesc<float>();
    r.res.linear.sizeInBytes = 4096;
    cudaTextureDesc td = {};
    cudaCreateTextureObject(&t, &r, &td, 0);
    L(tex, t, b); L(d2, (double2*)v, (double*)w); L(longs, (long long*)v, (long long*)w); L(soa, a, b, c, (float*)w); L(reload, a, b);
    L(reloadr, a, b); L(vol, a); L(ldcg, a, b); L(guard, a, b, 32); L(select2, a, b, c, 16); L(kscan, (int*)a, (int*)b); L(bitonic, (int*)a);
    L(smemf4, (float4*)v, b); L(smemf4x, (float4*)v, b); L(smem3, a, b); L(smem2, a, b);
    puts("ok");
}
