/* SPDX-License-Identifier: Apache-2.0
 *
 * What textures answer, case by case: probe SAMPLES [FILE].  Each case is one texture and one instruction; its coordinates come from a
 * generator that needs no card, so the answers of two devices can be laid side by side: interior points, texel borders to the last bit,
 * the grid of the filter's weights, points far outside, NaN and infinities.
 *
 * Prints a line for each case: name, tab, four words for each sample in hexadecimal.  With FILE it writes coordinates and texels there
 * as well (for those who look for the rule behind the answers).  probe 0 lists the cases. */
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "case.h"

static FILE *dump;

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

struct Random {
    uint64_t s;
    uint64_t next() { return mix(s++); }
    unsigned below(unsigned n) { return (unsigned)((next() >> 32) * n >> 32); }
    double   unit() { return (double)(next() >> 11) * 0x1p-53; }
};

static float ulps(float x, int n)
{
    for (; n > 0; n--)
        x = nextafterf(x, INFINITY);
    for (; n < 0; n++)
        x = nextafterf(x, -INFINITY);
    return x;
}

/* ---- coordinates ---- */

static const float specials[] = {NAN,      INFINITY, -INFINITY, 1e10f,  -1e10f,  1e30f,      -1e30f,   -0.0f,    1e-40f,
                                 -1e-40f,  65536.5f, -65536.5f, 8388607.5f, 16777216.f, 2147483648.f, -2147483648.f, 4e9f, 1e-20f,
                                 32767.75f, 131072.25f, -0.99999f, -1e-6f};

/* A coordinate along an axis of `size` texels. */
static float axis(Random &r, unsigned kind, int size, bool normalised)
{
    double x;
    int    off = 0;
    switch (kind % 8) {
    case 0: x = r.unit() * size; break;
    case 1: x = (r.unit() * 4 - 1.5) * size; break;
    case 2: x = r.below(512u * (unsigned)size + 1) / 512.0; off = (int)r.below(3) - 1; break;
    case 3: x = (int)r.below((unsigned)size + 5) - 2; off = (int)r.below(5) - 2; break;
    case 4: x = (int)r.below((unsigned)size + 2) - 0.5; off = (int)r.below(5) - 2; break;
    case 5: x = r.below(256u * (unsigned)size) / 256.0; break;
    case 6: x = (r.unit() * 20 - 10) * size; break;
    default:
        if (r.below(3) == 0)
            return specials[r.below(sizeof specials / sizeof *specials)];
        x = r.unit() * size;
    }
    return ulps(normalised ? (float)x / (float)size : (float)x, off);
}

/* A level of detail, of a bias or of a gradient. */
static float level(Random &r, unsigned kind, int levels)
{
    switch (kind % 4) {
    case 0: return (float)(r.unit() * (levels + 2) - 1);
    case 1: return ulps((float)((int)r.below(512u * (unsigned)levels) / 512.0), (int)r.below(3) - 1);
    case 2: return (float)r.below((unsigned)levels);
    default: return r.below(2) ? specials[r.below(sizeof specials / sizeof *specials)] : (float)r.below((unsigned)levels) + 0.5f;
    }
}

static void direction(Random &r, unsigned kind, float d[3])
{
    for (int i = 0; i < 3; i++)
        switch (kind % 4) {
        case 0:
        case 1: d[i] = (float)(r.unit() * 2 - 1); break;
        case 2: d[i] = (float)((int)r.below(9) - 4) / 4.0f; break;
        default: d[i] = r.below(12) == 0 ? specials[r.below(sizeof specials / sizeof *specials)] : (float)((r.unit() * 2 - 1) * 100);
        }
}

static int layer(Random &r, int layers)
{
    return r.below(8) == 0 ? (int)r.next() : (int)r.below((unsigned)layers + 4) - 2;
}

static Sample sample(const Case &c, Random &r, unsigned i)
{
    Sample    s      = {};
    const int size[] = {c.w, c.h ? c.h : 1, c.d ? c.d : 1};
    bool      cube = c.geom == CUBE || c.geom == ACUBE;
    if (cube)
        direction(r, i, s.f);
    for (int k = 0; k < 3; k++) {
        if (!cube)
            s.f[k] = axis(r, i % 8 == 0 || i % 8 == 7 ? i : r.below(8), size[k], c.normalised);
        s.i[k] = r.below(4) ? (int)r.below((unsigned)size[k]) : r.below(2) ? (int)r.below((unsigned)size[k] + 8) - 4 : (int)r.next();
    }
    s.layer = layer(r, c.geom == A2D || c.geom == A1D ? c.d : c.d / 6);
    s.lod   = c.how == INTEGER_LEVEL ? 0 : level(r, i, c.levels);
    s.ilod  = (int)r.below((unsigned)c.levels + 2) - 1;
    for (int k = 0; k < 3; k++) {
        s.dx[k] = (float)(exp2(r.unit() * (c.levels + 1) - 1) * (r.unit() * 2 - 1) / size[k]);
        s.dy[k] = (float)(exp2(r.unit() * (c.levels + 1) - 1) * (r.unit() * 2 - 1) / size[k]);
    }
    s.compare = (float)(r.unit() * 2 - 1);
    return s;
}

/* ---- texels ---- */

static uint16_t half_bits(float f)
{
    uint32_t u;
    memcpy(&u, &f, 4);
    int e = (int)(u >> 23 & 255) - 112;
    return e <= 0 ? (uint16_t)(u >> 16 & 0x8000) : (uint16_t)((u >> 16 & 0x8000) | (uint32_t)e << 10 | (u >> 13 & 0x3ff));
}

static void texels(const Case &c, Random &r, std::vector<uint8_t> &out, size_t count)
{
    size_t bytes = (size_t)c.bits / 8;
    out.resize(count * (size_t)c.channels * bytes);
    for (size_t i = 0; i < count * (size_t)c.channels; i++) {
        uint64_t v = r.next();
        if (c.type == 'f') {
            float    f = (float)(r.unit() * 8 - 4);
            uint32_t u;
            if (c.texels == WIDE) /* exponents far apart */
                f = ldexpf(f, (int)r.below(41) - 20);
            if (c.texels == ODD && r.below(3) == 0)
                f = specials[r.below(sizeof specials / sizeof *specials)];
            if (c.texels == UNIT)
                f = (float)r.unit();
            if (c.bits == 16) {
                v = c.texels == ODD ? v >> 20 : half_bits(f);
            } else {
                memcpy(&u, &f, 4);
                v = u;
            }
        } else if (c.texels == RAMP) {
            v = i;
        } else if (r.below(8) == 0) {
            v = r.below(2) ? UINT64_MAX : 0;
        }
        memcpy(&out[i * bytes], &v, bytes);
    }
}

/* ---- a case ---- */

static cudaChannelFormatDesc channels_of(const Case &c)
{
    int b[4];
    for (int i = 0; i < 4; i++)
        b[i] = i < c.channels ? c.bits : 0;
    return cudaCreateChannelDesc(b[0], b[1], b[2], b[3], c.type == 'f' ? cudaChannelFormatKindFloat
                                                         : c.type == 's' ? cudaChannelFormatKindSigned
                                                                         : cudaChannelFormatKindUnsigned);
}

#define OK(call)                                                                                                  \
    do {                                                                                                          \
        cudaError_t error_ = (call);                                                                              \
        if (error_ != cudaSuccess) {                                                                              \
            fprintf(stderr, "%s: %s: %s\n", c.name.c_str(), #call, cudaGetErrorName(error_));                     \
            return false;                                                                                         \
        }                                                                                                         \
    } while (0)

static void extent_of(const Case &c, int lod, size_t e[3])
{
    bool layered = c.geom == A1D || c.geom == A2D || c.geom == CUBE || c.geom == ACUBE;
    e[0]         = (size_t)(c.w >> lod ? c.w >> lod : 1);
    e[1]         = c.h ? (size_t)(c.h >> lod ? c.h >> lod : 1) : 1;
    e[2]         = layered ? (size_t)c.d : c.d ? (size_t)(c.d >> lod ? c.d >> lod : 1) : 1;
}

static size_t texel_count(const Case &c)
{
    size_t n = 0, e[3];
    for (int lod = 0; lod < c.levels; lod++) {
        extent_of(c, lod, e);
        n += e[0] * e[1] * e[2];
    }
    return n;
}

static void number_levels(const Case &c, float *v)
{
    size_t e[3];
    for (int lod = 0; lod < c.levels; lod++) {
        extent_of(c, lod, e);
        for (size_t i = 0; i < e[0] * e[1] * e[2]; i++)
            *v++ = (float)lod;
    }
}

static cudaError_t fill(const Case &c, int lod, cudaArray_t a, const uint8_t *from)
{
    size_t            e[3], texel = (size_t)(c.bits / 8 * c.channels);
    cudaMemcpy3DParms p = {};
    extent_of(c, lod, e);
    p.srcPtr   = make_cudaPitchedPtr((void *)from, e[0] * texel, e[0], e[1]);
    p.dstArray = a;
    p.extent   = make_cudaExtent(e[0], e[1], e[2]);
    p.kind     = cudaMemcpyHostToDevice;
    return cudaMemcpy3D(&p);
}

struct Storage {
    cudaArray_t          array = nullptr;
    cudaMipmappedArray_t mip   = nullptr;
    void                *memory = nullptr;
};

static bool store(const Case &c, const std::vector<uint8_t> &data, Storage &s, cudaResourceDesc &r)
{
    cudaChannelFormatDesc d     = channels_of(c);
    size_t                texel = (size_t)(c.bits / 8 * c.channels);
    unsigned flags = (c.geom == A1D || c.geom == A2D || c.geom == ACUBE ? cudaArrayLayered : 0u) |
                     (c.geom == CUBE || c.geom == ACUBE ? cudaArrayCubemap : 0u) | (c.how == GATHER ? cudaArrayTextureGather : 0u);
    cudaExtent e = make_cudaExtent((size_t)c.w, (size_t)c.h, (size_t)c.d);
    if (c.memory == LINEAR || c.memory == PITCH) {
        size_t pitch = (size_t)c.w * texel;
        if (c.memory == PITCH) {
            OK(cudaMallocPitch(&s.memory, &pitch, (size_t)c.w * texel, (size_t)c.h));
            OK(cudaMemcpy2D(s.memory, pitch, data.data(), (size_t)c.w * texel, (size_t)c.w * texel, (size_t)c.h, cudaMemcpyHostToDevice));
            r.resType                  = cudaResourceTypePitch2D;
            r.res.pitch2D.devPtr       = s.memory;
            r.res.pitch2D.desc         = d;
            r.res.pitch2D.width        = (size_t)c.w;
            r.res.pitch2D.height       = (size_t)c.h;
            r.res.pitch2D.pitchInBytes = pitch;
        } else {
            OK(cudaMalloc(&s.memory, pitch));
            OK(cudaMemcpy(s.memory, data.data(), pitch, cudaMemcpyHostToDevice));
            r.resType                = cudaResourceTypeLinear;
            r.res.linear.devPtr      = s.memory;
            r.res.linear.desc        = d;
            r.res.linear.sizeInBytes = pitch;
        }
        return true;
    }
    if (c.levels > 1) {
        OK(cudaMallocMipmappedArray(&s.mip, &d, e, (unsigned)c.levels, flags));
        size_t at = 0, x[3];
        for (int lod = 0; lod < c.levels; lod++) {
            cudaArray_t a;
            OK(cudaGetMipmappedArrayLevel(&a, s.mip, (unsigned)lod));
            OK(fill(c, lod, a, data.data() + at));
            extent_of(c, lod, x);
            at += x[0] * x[1] * x[2] * texel;
        }
        r.resType           = cudaResourceTypeMipmappedArray;
        r.res.mipmap.mipmap = s.mip;
        return true;
    }
    OK(cudaMalloc3DArray(&s.array, &d, e, flags));
    OK(fill(c, 0, s.array, data.data()));
    r.resType         = cudaResourceTypeArray;
    r.res.array.array = s.array;
    return true;
}

static bool run(const Case &c, unsigned n)
{
    Random              r = {0};
    std::vector<Sample> in(n);
    std::vector<uint4>  out(n);
    std::vector<uint8_t> data;
    for (char ch : c.name)
        r.s = mix(r.s ^ (unsigned char)ch);
    texels(c, r, data, texel_count(c));
    if (c.texels == LEVELS)
        number_levels(c, (float *)data.data());
    for (unsigned i = 0; i < n; i++)
        in[i] = sample(c, r, i);
    if (dump) {
        fprintf(dump, "%s\t%zu\t%u\n", c.name.c_str(), data.size(), n);
        fwrite(data.data(), 1, data.size(), dump);
        fwrite(in.data(), sizeof in[0], n, dump);
        return true;
    }
    Storage             s;
    cudaResourceDesc    resource = {};
    cudaTextureObject_t t;
    Sample             *din;
    uint4              *dout;
    if (!store(c, data, s, resource))
        return false;
    cudaTextureDesc desc = texture_desc(c);
    OK(cudaCreateTextureObject(&t, &resource, &desc, nullptr));
    OK(cudaMalloc(&din, n * sizeof *din));
    OK(cudaMalloc(&dout, n * sizeof *dout));
    OK(cudaMemcpy(din, in.data(), n * sizeof *din, cudaMemcpyHostToDevice));
    launch(c, t, din, dout, n);
    OK(cudaGetLastError());
    OK(cudaMemcpy(out.data(), dout, n * sizeof *dout, cudaMemcpyDeviceToHost));
    printf("%s\t", c.name.c_str());
    for (unsigned i = 0; i < n; i++)
        printf("%s%x,%x,%x,%x", i ? " " : "", out[i].x, out[i].y, out[i].z, out[i].w);
    printf("\n");
    OK(cudaDestroyTextureObject(t));
    OK(cudaFree(din));
    OK(cudaFree(dout));
    OK(cudaFree(s.memory));
    OK(cudaFreeArray(s.array));
    OK(cudaFreeMipmappedArray(s.mip));
    return true;
}

int main(int argc, char **argv)
{
    unsigned          n     = argc > 1 ? (unsigned)atoi(argv[1]) : 32;
    std::vector<Case> cases = all_cases();
    bool              ok    = true;
    if (argc > 2)
        dump = fopen(argv[2], "wb");
    for (const Case &c : cases) {
        if (n == 0)
            printf("%s\n", c.name.c_str());
        else
            ok = run(c, c.dense && n > 32 ? 16 * n : n) && ok;
    }
    return ok ? 0 : 1;
}
