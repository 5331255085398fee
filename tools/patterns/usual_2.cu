/* SPDX-License-Identifier: Apache-2.0
 *
 * Small kernels of usual kinds, one warp each, written without a look at what we count of them.  The counters of an H200 are
 * tests/data/golden/usual_h200.tsv. */
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;
__device__ float4 g_a[4096], g_b[4096], g_c[4096];
#define K(name) extern "C" __global__ void __launch_bounds__(128) name
K(shd2)(const double *in, double *out)
{
    __shared__ double s[256];
    int               t = threadIdx.x;
    s[2 * t]            = in[t];
    s[2 * t + 1]        = in[t + 128];
    __syncthreads();
    int u  = 127 - t;
    out[t] = s[2 * u] * s[2 * u + 1];
}
K(shi4)(const int *in, int *out)
{
    __shared__ int s[512];
    int            t = threadIdx.x;
    for (int k = 0; k < 4; k++)
        s[4 * t + k] = in[t + 128 * k];
    __syncthreads();
    int u  = 127 - t;
    out[t] = s[4 * u] + s[4 * u + 1] - s[4 * u + 2] * s[4 * u + 3];
}
K(shi4p)(const int *in, int *out)
{
    __shared__ int s[512];
    int            t = threadIdx.x;
    for (int k = 0; k < 4; k++)
        s[4 * t + k] = in[t + 128 * k];
    __syncthreads();
    int u  = 127 - t;
    out[t] = s[4 * u] + s[4 * u + 3];
}
struct __align__(16) Q
{
    float x, y, z, w;
};
struct R {
    float x, y;
    int   id;
};
K(shq)(const Q *in, float *out)
{
    __shared__ Q s[128];
    int          t = threadIdx.x;
    s[t]           = in[t];
    __syncthreads();
    Q q    = s[127 - t];
    out[t] = q.x * q.y + q.z;
}
K(shr)(const R *in, float *out)
{
    __shared__ R s[128];
    int          t = threadIdx.x;
    s[t]           = in[t];
    __syncthreads();
    R q    = s[127 - t];
    out[t] = q.x * q.y + q.id;
}
K(nbody)(const float4 *p, float4 *o)
{
    __shared__ float4 s[32];
    int               t  = threadIdx.x;
    float4            me = p[t], a = {};
    s[t] = me;
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 32; j++) {
        float4 q  = s[j];
        float  dx = q.x - me.x, dy = q.y - me.y, dz = q.z - me.z;
        float  r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-9f) * q.w;
        a.x += dx * r;
        a.y += dy * r;
        a.z += dz * r;
    }
    o[t] = a;
}
K(halo2d)(const float *in, float *out)
{
    __shared__ float s[10][34];
    int              x = threadIdx.x;
#pragma unroll
    for (int r = 0; r < 10; r++)
        s[r][x + 1] = in[r * 64 + x + 1];
    if (x < 10) {
        s[x][0]  = in[x * 64];
        s[x][33] = in[x * 64 + 33];
    }
    __syncthreads();
#pragma unroll
    for (int r = 1; r < 9; r++)
        out[r * 32 + x] = s[r - 1][x + 1] + s[r + 1][x + 1] + s[r][x] + s[r][x + 2] - 4 * s[r][x + 1];
}
K(uc4s)(const uchar4 *in, unsigned char *out)
{
    __shared__ unsigned char s[512];
    int                      t = threadIdx.x;
    uchar4                   v = in[t];
    s[4 * t]                   = v.x;
    s[4 * t + 1]               = v.y;
    s[4 * t + 2]               = v.z;
    s[4 * t + 3]               = v.w;
    __syncthreads();
    out[t] = s[511 - 4 * t] + s[510 - 4 * t];
}
K(short4s)(const short4 *in, short4 *out)
{
    __shared__ short4 s[128];
    int               t = threadIdx.x;
    s[t]                = in[t];
    __syncthreads();
    short4 v = s[127 - t];
    v.x += v.w;
    out[t] = v;
}
K(h2t)(const __half2 *in, __half2 *out)
{
    __shared__ __half2 s[32][17];
    int                t = threadIdx.x;
#pragma unroll
    for (int r = 0; r < 16; r++)
        s[t][r] = in[r * 32 + t];
    __syncthreads();
#pragma unroll
    for (int r = 0; r < 16; r++)
        out[r * 32 + t] = __hadd2(s[t][r], s[t][15 - r]);
}
K(haxpy)(const __half *x, __half *y)
{
    int t = threadIdx.x;
#pragma unroll
    for (int k = 0; k < 4; k++)
        y[t * 4 + k] = __hfma(x[t * 4 + k], __float2half(2.f), y[t * 4 + k]);
}
K(cgred)(const int *in, int *out)
{
    auto           b = cg::this_thread_block();
    auto           w = cg::tiled_partition<32>(b);
    __shared__ int s[4];
    int            v = in[threadIdx.x];
    for (int o = 16; o; o /= 2)
        v += w.shfl_down(v, o);
    if (w.thread_rank() == 0)
        s[threadIdx.x / 32] = v;
    b.sync();
    if (threadIdx.x < 4)
        out[threadIdx.x] = s[threadIdx.x];
}
K(zfill)(const float4 *in, float4 *out, int n)
{
    __shared__ float4 s[128];
    int               t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[t], 16, t < n ? 0 : 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[t] = s[t];
}
K(dshadd)(const int *ix, const double *in, double *out)
{
    __shared__ double s[32];
    int               t = threadIdx.x;
    s[t & 31]           = 0;
    __syncthreads();
    atomicAdd(&s[ix[t] & 31], in[t]);
    __syncthreads();
    out[t] = s[t & 31];
}
K(ushmax)(const unsigned *in, unsigned *out)
{
    __shared__ unsigned m;
    if (!threadIdx.x)
        m = 0;
    __syncthreads();
    atomicMax(&m, in[threadIdx.x]);
    __syncthreads();
    out[threadIdx.x] = m;
}
K(shcas)(const int *in, int *out)
{
    __shared__ int s[32];
    int            t = threadIdx.x;
    s[t & 31]        = -1;
    __syncthreads();
    int k  = in[t] + t;
    out[t] = atomicCAS(&s[k & 31], -1, k);
}
K(shexch)(const int *in, int *out)
{
    __shared__ int s[32];
    int            t = threadIdx.x;
    s[t & 31]        = -1;
    __syncthreads();
    out[t] = atomicExch(&s[(in[t] + t) & 31], t);
}
K(ull)(unsigned long long *n, const int *in)
{
    atomicAdd(n + threadIdx.x % 4, (unsigned long long)in[threadIdx.x]);
}
K(ballot)(const int *in, int *out, int *n)
{
    int      t  = threadIdx.x;
    int      v  = in[t];
    unsigned m  = __ballot_sync(~0u, v >= 0);
    int      at = 0;
    if (t % 32 == 0)
        at = atomicAdd(n, __popc(m));
    at = __shfl_sync(~0u, at, 0) + __popc(m & ((1u << t % 32) - 1));
    if (v >= 0)
        out[at & 127] = v;
}
K(spmv)(const int *row, const int *col, const float *val, const float *x, float *y)
{
    int   t = threadIdx.x;
    float s = 0;
    for (int k = row[t]; k < row[t + 1]; k++)
        s += val[k] * x[col[k]];
    y[t] = s;
}
K(rgba)(const uchar4 *in, float4 *out)
{
    int    t = threadIdx.x;
    uchar4 v = in[t];
    out[t]   = make_float4(v.x / 255.f, v.y / 255.f, v.z / 255.f, v.w / 255.f);
}
K(gray)(const uchar4 *in, unsigned char *out)
{
    int    t = threadIdx.x;
    uchar4 v = in[t];
    out[t]   = (v.x * 77 + v.y * 150 + v.z * 29) >> 8;
}
K(cplx)(const float2 *a, const float2 *b, float2 *c)
{
    int    t = threadIdx.x;
    float2 x = a[t], y = b[t];
    c[t] = make_float2(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
}
K(fft4)(float2 *d)
{
    __shared__ float2 s[128];
    int               t = threadIdx.x;
    s[t]                = d[t];
    __syncthreads();
    float2 a = s[t & 31], b = s[(t + 8) & 31];
    __syncthreads();
    s[t] = make_float2(a.x + b.x, a.y - b.y);
    __syncthreads();
    float2 c = s[t ^ 1];
    d[t]     = c;
}
K(layern)(const float4 *in, float4 *out, const float4 *__restrict__ w)
{
    int    t = threadIdx.x;
    float4 v = in[t], g = w[t];
    float  s = v.x + v.y + v.z + v.w, q = v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    for (int o = 16; o; o /= 2) {
        s += __shfl_xor_sync(~0u, s, o);
        q += __shfl_xor_sync(~0u, q, o);
    }
    float r = rsqrtf(q / 128 - s * s / 16384 + 1e-5f), m = s / 128;
    out[t] = make_float4((v.x - m) * r * g.x, (v.y - m) * r * g.y, (v.z - m) * r * g.z, (v.w - m) * r * g.w);
}
K(softm)(const float *in, float *out)
{
    __shared__ float s[8];
    int              t = threadIdx.x, w = t / 32;
    float            v = in[t], m = v;
    for (int o = 16; o; o /= 2)
        m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
    if (t % 32 == 0)
        s[w] = m;
    __syncthreads();
    m       = fmaxf(fmaxf(s[0], s[1]), fmaxf(s[2], s[3]));
    float e = __expf(v - m), q = e;
    for (int o = 16; o; o /= 2)
        q += __shfl_xor_sync(~0u, q, o);
    if (t % 32 == 0)
        s[4 + w] = q;
    __syncthreads();
    out[t] = e / (s[4] + s[5] + s[6] + s[7]);
}
K(lookup)(const unsigned char *in, int *out)
{
    __shared__ int lut[256];
    int            t = threadIdx.x;
#pragma unroll
    for (int k = 0; k < 8; k++)
        lut[t + 32 * k] = t * k;
    __syncthreads();
    out[t] = lut[in[t]] + lut[in[t + 32]];
}
K(ptrs)(float **p, float *out)
{
    int t  = threadIdx.x;
    out[t] = p[t & 1][t];
}
K(gather)(const int *__restrict__ ix, const float *__restrict__ in, float *out)
{
    int t  = threadIdx.x;
    out[t] = in[ix[t] & 127] + in[(ix[t] + 1) & 127];
}
K(ifelse)(const int *in, const float *a, const float *b, float *out)
{
    int t = threadIdx.x;
    if (in[t])
        out[t] = a[t] * a[t + 1];
    else
        out[t] = b[t];
}
K(twob)(const float *in, float *out)
{
    __shared__ float a[128], b[128];
    int              t = threadIdx.x;
    a[t]               = in[t];
    b[t]               = in[t + 128];
    __syncthreads();
    out[t]       = a[127 - t] + b[127 - t];
    out[t + 128] = a[t] - b[t];
}
K(reg4x)(const float *A, const float *B, float *C)
{
    __shared__ __align__(16) float a[16 * 64];
    int                            t = threadIdx.x;
#pragma unroll
    for (int k = 0; k < 32; k++)
        a[k * 32 + t] = A[k * 32 + t];
    __syncthreads();
    float c[8] = {};
#pragma unroll
    for (int k = 0; k < 16; k++) {
        float b = B[k * 32 + t];
        for (int i = 0; i < 8; i++)
            c[i] += a[k * 64 + i] * b;
    }
    for (int i = 0; i < 8; i++)
        C[i * 32 + t] = c[i];
}
K(u64s)(const unsigned long long *in, unsigned long long *out)
{
    __shared__ unsigned long long s[128];
    int                           t = threadIdx.x;
    s[t]                            = in[t];
    __syncthreads();
    out[t] = s[127 - t] ^ s[126 - t & 127];
}
K(predst)(const float *in, float *out, int n)
{
    int t = threadIdx.x;
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (t + 32 * k < n)
            out[t + 32 * k] = in[t + 32 * k];
}
K(vec3)(const float3 *in, float3 *out)
{
    __shared__ float3 s[128];
    int               t = threadIdx.x;
    s[t]                = in[t];
    __syncthreads();
    float3 v = s[127 - t];
    out[t]   = make_float3(v.z, v.y, v.x);
}
K(i2)(const int2 *in, int2 *out)
{
    int2 v           = in[threadIdx.x];
    out[threadIdx.x] = make_int2(v.y, v.x);
}
K(f4part)(const float4 *in, float2 *out)
{
    float4 v         = in[threadIdx.x];
    out[threadIdx.x] = make_float2(v.y, v.z);
}
K(bytes16)(const unsigned char *in, unsigned char *out)
{
    int t = threadIdx.x;
#pragma unroll
    for (int k = 0; k < 16; k++)
        out[k * 32 + t] = in[t * 16 + k];
}
K(redux)(const int *in, int *out)
{
    int v = __reduce_add_sync(~0u, in[threadIdx.x]);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, v);
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
    float *hp[2] = {b, c}, **dp;
    cudaMemset(a, 0, sizeof g_a);
    cudaMalloc(&dp, sizeof hp);
    cudaMemcpy(dp, hp, sizeof hp, cudaMemcpyHostToDevice);
    L(shd2, (double*)a, (double*)b); L(shi4, (int*)a, (int*)b); L(shi4p, (int*)a, (int*)b); L(shq, (Q*)a, b); L(shr, (R*)a, b);
    L(nbody, (float4*)a, (float4*)b); L(halo2d, a, b); L(uc4s, (uchar4*)a, (unsigned char*)b); L(short4s, (short4*)a, (short4*)b);
    L(h2t, (__half2*)a, (__half2*)b); L(haxpy, (__half*)a, (__half*)b); L(cgred, (int*)a, (int*)b); L(zfill, (float4*)a, (float4*)b, 20);
    L(dshadd, (int*)a, (double*)b, (double*)c); L(ushmax, (unsigned*)a, (unsigned*)b); L(shcas, (int*)a, (int*)b); L(shexch, (int*)a, (int*)b);
    L(ull, (unsigned long long*)b, (int*)a); L(ballot, (int*)a, (int*)b, (int*)c); L(spmv, (int*)a, (int*)a, a, a, b);
    L(rgba, (uchar4*)a, (float4*)b); L(gray, (uchar4*)a, (unsigned char*)b); L(cplx, (float2*)a, (float2*)b, (float2*)c); L(fft4, (float2*)b);
    L(layern, (float4*)a, (float4*)b, (float4*)c); L(softm, a, b); L(lookup, (unsigned char*)a, (int*)b); L(ptrs, dp, a); L(gather, (int*)a, b, c);
    L(ifelse, (int*)a, b, c, a); L(twob, a, b); L(reg4x, a, b, c); L(u64s, (unsigned long long*)a, (unsigned long long*)b); L(predst, a, b, 128);
    L(vec3, (float3*)a, (float3*)b); L(i2, (int2*)a, (int2*)b); L(f4part, (float4*)a, (float2*)b); L(bytes16, (unsigned char*)a, (unsigned char*)b);
    L(redux, (int*)a, (int*)b);
    puts("ok");
}
