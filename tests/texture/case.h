/* SPDX-License-Identifier: Apache-2.0
 *
 * The cases of probe.cu: which textures, and which instruction reads them. */
#ifndef WW_TEXTURE_CASE_H
#define WW_TEXTURE_CASE_H

#include <string>
#include <vector>

enum Geometry { D1, D2, D3, A1D, A2D, CUBE, ACUBE };
enum How { PLAIN, BASE, LEVEL, GRAD, INTEGER, INTEGER_LEVEL, GATHER, OFFSET, COMPARE, HALF };
enum Texels { SMOOTH, WIDE, ODD, UNIT, RAMP, LEVELS }; /* RAMP: 0, 1, 2 ...  LEVELS: each the number of its level */
enum Memory { ARRAY, LINEAR, PITCH };

struct Case {
    std::string name;
    Geometry    geom     = D1;
    How         how      = PLAIN;
    int         w = 37, h = 0, d = 0, levels = 1;
    char        type     = 'f';
    int         bits     = 32, channels = 1;
    Texels      texels   = SMOOTH;
    Memory      memory   = ARRAY;
    bool        linear   = false, mip_linear = false, normalised = false, to_float = false, srgb = false, dense = false;
    int         address  = 1; /* cudaTextureAddressMode */
    float       bias = 0, min_level = 0, max_level = 15;
    unsigned    anisotropy = 0;
    int         component = 0;
    bool        seamless = false;
};

struct Sample {
    float f[3];
    int   i[3], layer;
    float lod;
    int   ilod;
    float dx[3], dy[3], compare;
};

/* ---- the instructions ---- */

#define FETCH(how_, geom_, text, ...)                                                                        \
    if (how == how_ && geom == geom_) {                                                                      \
        if (whole)                                                                                           \
            asm volatile(text("u32") : "=r"(o.x), "=r"(o.y), "=r"(o.z), "=r"(o.w) : "l"(t), __VA_ARGS__);     \
        else                                                                                                 \
            asm volatile(text("f32") : "=f"(f.x), "=f"(f.y), "=f"(f.z), "=f"(f.w) : "l"(t), __VA_ARGS__);     \
    }
#define D "{%0,%1,%2,%3}"
#define T1(t)    "tex.1d.v4." t ".f32 " D ", [%4, {%5}];"
#define T2(t)    "tex.2d.v4." t ".f32 " D ", [%4, {%5,%6}];"
#define T3(t)    "tex.3d.v4." t ".f32 " D ", [%4, {%5,%6,%7,%7}];"
#define TA1(t)   "tex.a1d.v4." t ".f32 " D ", [%4, {%5,%6}];"
#define TA2(t)   "tex.a2d.v4." t ".f32 " D ", [%4, {%5,%6,%7,%7}];"
#define TC(t)    "tex.cube.v4." t ".f32 " D ", [%4, {%5,%6,%7,%7}];"
#define TAC(t)   "tex.acube.v4." t ".f32 " D ", [%4, {%5,%6,%7,%8}];"
#define B2(t)    "tex.base.2d.v4." t ".f32 " D ", [%4, {%5,%6}];"
#define L1(t)    "tex.level.1d.v4." t ".f32 " D ", [%4, {%5}], %6;"
#define L2(t)    "tex.level.2d.v4." t ".f32 " D ", [%4, {%5,%6}], %7;"
#define L3(t)    "tex.level.3d.v4." t ".f32 " D ", [%4, {%5,%6,%7,%7}], %8;"
#define LA2(t)   "tex.level.a2d.v4." t ".f32 " D ", [%4, {%5,%6,%7,%7}], %8;"
#define LC(t)    "tex.level.cube.v4." t ".f32 " D ", [%4, {%5,%6,%7,%7}], %8;"
#define G1(t)    "tex.grad.1d.v4." t ".f32 " D ", [%4, {%5}], {%6}, {%7};"
#define G2(t)    "tex.grad.2d.v4." t ".f32 " D ", [%4, {%5,%6}], {%7,%8}, {%9,%10};"
#define G3(t)    "tex.grad.3d.v4." t ".f32 " D ", [%4, {%5,%6,%7,%7}], {%8,%9,%10,%10}, {%11,%12,%13,%13};"
#define I1(t)    "tex.1d.v4." t ".s32 " D ", [%4, {%5}];"
#define I2(t)    "tex.2d.v4." t ".s32 " D ", [%4, {%5,%6}];"
#define I3(t)    "tex.3d.v4." t ".s32 " D ", [%4, {%5,%6,%7,%7}];"
#define IA1(t)   "tex.a1d.v4." t ".s32 " D ", [%4, {%5,%6}];"
#define IA2(t)   "tex.a2d.v4." t ".s32 " D ", [%4, {%5,%6,%7,%7}];"
#define IL2(t)   "tex.level.2d.v4." t ".s32 " D ", [%4, {%5,%6}], %7;"
#define O2(t)    "tex.2d.v4." t ".f32 " D ", [%4, {%5,%6}], {%7,%8};"
#define C2(t)    "tex.2d.v4." t ".f32 " D ", [%4, {%5,%6}], %7;"
#define CC(t)    "tex.cube.v4." t ".f32 " D ", [%4, {%5,%6,%7,%7}], %8;"
#define GATHER_(c) #c
#define GR(t)    "tld4.r.2d.v4." t ".f32 " D ", [%4, {%5,%6}];"
#define GG(t)    "tld4.g.2d.v4." t ".f32 " D ", [%4, {%5,%6}];"
#define GB(t)    "tld4.b.2d.v4." t ".f32 " D ", [%4, {%5,%6}];"
#define GA(t)    "tld4.a.2d.v4." t ".f32 " D ", [%4, {%5,%6}];"

#define F(k) "f"(s.f[k])
#define I(k) "r"(s.i[k])

template <How how, Geometry geom> __global__ void fetch(cudaTextureObject_t t, const Sample *in, uint4 *out, unsigned n, bool whole, int comp)
{
    unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n)
        return;
    const Sample s = in[k];
    uint4        o = {};
    float4       f = {};
    FETCH(PLAIN, D1, T1, F(0))
    FETCH(PLAIN, D2, T2, F(0), F(1))
    FETCH(PLAIN, D3, T3, F(0), F(1), F(2))
    FETCH(PLAIN, A1D, TA1, "r"(s.layer), F(0))
    FETCH(PLAIN, A2D, TA2, "r"(s.layer), F(0), F(1))
    FETCH(PLAIN, CUBE, TC, F(0), F(1), F(2))
    FETCH(PLAIN, ACUBE, TAC, "r"(s.layer), F(0), F(1), F(2))
    FETCH(BASE, D2, B2, F(0), F(1))
    FETCH(LEVEL, D1, L1, F(0), "f"(s.lod))
    FETCH(LEVEL, D2, L2, F(0), F(1), "f"(s.lod))
    FETCH(LEVEL, D3, L3, F(0), F(1), F(2), "f"(s.lod))
    FETCH(LEVEL, A2D, LA2, "r"(s.layer), F(0), F(1), "f"(s.lod))
    FETCH(LEVEL, CUBE, LC, F(0), F(1), F(2), "f"(s.lod))
    FETCH(GRAD, D1, G1, F(0), "f"(s.dx[0]), "f"(s.dy[0]))
    FETCH(GRAD, D2, G2, F(0), F(1), "f"(s.dx[0]), "f"(s.dx[1]), "f"(s.dy[0]), "f"(s.dy[1]))
    FETCH(GRAD, D3, G3, F(0), F(1), F(2), "f"(s.dx[0]), "f"(s.dx[1]), "f"(s.dx[2]), "f"(s.dy[0]), "f"(s.dy[1]), "f"(s.dy[2]))
    FETCH(INTEGER, D1, I1, I(0))
    FETCH(INTEGER, D2, I2, I(0), I(1))
    FETCH(INTEGER, D3, I3, I(0), I(1), I(2))
    FETCH(INTEGER, A1D, IA1, "r"(s.layer), I(0))
    FETCH(INTEGER, A2D, IA2, "r"(s.layer), I(0), I(1))
    FETCH(INTEGER_LEVEL, D2, IL2, I(0), I(1), "r"(s.ilod))
    FETCH(OFFSET, D2, O2, F(0), F(1), "n"(3), "n"(-2))
    FETCH(COMPARE, D2, C2, F(0), F(1), "f"(s.compare))
    FETCH(COMPARE, CUBE, CC, F(0), F(1), F(2), "f"(s.compare))
    if (comp == 0)
        FETCH(GATHER, D2, GR, F(0), F(1))
    if (comp == 1)
        FETCH(GATHER, D2, GG, F(0), F(1))
    if (comp == 2)
        FETCH(GATHER, D2, GB, F(0), F(1))
    if (comp == 3)
        FETCH(GATHER, D2, GA, F(0), F(1))
    if (how == HALF) {
        unsigned short h[4];
        asm volatile("{.reg .b16 a,b,c,d; tex.2d.v4.f16.f32 {a,b,c,d}, [%4, {%5,%6}]; mov.b16 %0,a; mov.b16 %1,b; mov.b16 %2,c; mov.b16 %3,d;}"
                     : "=h"(h[0]), "=h"(h[1]), "=h"(h[2]), "=h"(h[3])
                     : "l"(t), F(0), F(1));
        asm volatile("tex.2d.v2.f16x2.f32 {%0,%1}, [%2, {%3,%4}];" : "=r"(o.z), "=r"(o.w) : "l"(t), F(0), F(1));
        o.x   = h[0] | (unsigned)h[1] << 16;
        o.y   = h[2] | (unsigned)h[3] << 16;
        whole = true;
    }
    out[k] = whole ? o : make_uint4(__float_as_uint(f.x), __float_as_uint(f.y), __float_as_uint(f.z), __float_as_uint(f.w));
}

static void launch(const Case &c, cudaTextureObject_t t, const Sample *in, uint4 *out, unsigned n)
{
    bool whole = c.type != 'f' && !c.to_float;
#define GO(h, g)                     \
    if (c.how == h && c.geom == g)   \
        fetch<h, g><<<(n + 63) / 64, 64>>>(t, in, out, n, whole, c.component);
    GO(PLAIN, D1) GO(PLAIN, D2) GO(PLAIN, D3) GO(PLAIN, A1D) GO(PLAIN, A2D) GO(PLAIN, CUBE) GO(PLAIN, ACUBE) GO(BASE, D2) GO(LEVEL, D1)
    GO(LEVEL, D2) GO(LEVEL, D3) GO(LEVEL, A2D) GO(LEVEL, CUBE) GO(GRAD, D1) GO(GRAD, D2) GO(GRAD, D3) GO(INTEGER, D1) GO(INTEGER, D2)
    GO(INTEGER, D3) GO(INTEGER, A1D) GO(INTEGER, A2D) GO(INTEGER_LEVEL, D2) GO(OFFSET, D2) GO(COMPARE, D2) GO(COMPARE, CUBE) GO(GATHER, D2)
    GO(HALF, D2)
}

static cudaTextureDesc texture_desc(const Case &c)
{
    cudaTextureDesc d = {};
    for (int i = 0; i < 3; i++)
        d.addressMode[i] = (cudaTextureAddressMode)c.address;
    d.filterMode          = c.linear ? cudaFilterModeLinear : cudaFilterModePoint;
    d.mipmapFilterMode    = c.mip_linear ? cudaFilterModeLinear : cudaFilterModePoint;
    d.readMode            = c.to_float ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    d.normalizedCoords    = c.normalised;
    d.sRGB                = c.srgb;
    d.mipmapLevelBias     = c.bias;
    d.minMipmapLevelClamp = c.min_level;
    d.maxMipmapLevelClamp = c.max_level;
    d.maxAnisotropy       = c.anisotropy;
    d.seamlessCubemap     = c.seamless;
    for (int i = 0; i < 4; i++)
        d.borderColor[i] = 0.25f * (float)(i + 1) + (c.type == 'f' ? 0.125f : 0.0f);
    return d;
}

/* ---- the list ---- */

static void add(std::vector<Case> &v, Case c)
{
    static const char *const geoms[] = {"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"};
    static const char *const hows[]  = {"tex", "base", "level", "grad", "int", "intlevel", "tld4", "offset", "compare", "half"};
    static const char *const modes[] = {"wrap", "clamp", "mirror", "border"};
    static const char *const kinds[] = {"", " wide", " odd", " unit", " ramp", " levels"};
    static const char *const where[] = {"", " linear-memory", " pitch"};
    std::string n = std::string(hows[c.how]) + "." + geoms[c.geom] + " " + c.type + std::to_string(c.bits) + "x" + std::to_string(c.channels) +
                    kinds[c.texels] + where[c.memory] + " " + std::to_string(c.w) + "x" + std::to_string(c.h) + "x" + std::to_string(c.d);
    n += c.linear ? " linear " : " point ";
    n += modes[c.address];
    n += c.normalised ? " norm" : "";
    n += c.to_float ? " float" : "";
    n += c.srgb ? " srgb" : "";
    n += c.dense ? " dense" : "";
    n += c.seamless ? " seamless" : "";
    if (c.how == GATHER)
        n += " " + std::to_string(c.component);
    if (c.levels > 1) {
        n += " mip" + std::to_string(c.levels) + (c.mip_linear ? " miplinear" : "");
        if (c.bias != 0 || c.min_level != 0 || c.max_level != 15)
            n += " lod" + std::to_string(c.bias) + "," + std::to_string(c.min_level) + "," + std::to_string(c.max_level);
        if (c.anisotropy)
            n += " aniso" + std::to_string(c.anisotropy);
    }
    c.name = n;
    v.push_back(c);
}

static void geometries(std::vector<Case> &v)
{
    static const struct { Geometry g; int w, h, d; } shapes[] = {{D1, 37, 0, 0}, {D1, 64, 0, 0}, {D2, 13, 7, 0}, {D2, 16, 8, 0}, {D3, 5, 6, 7},
                                                                 {A1D, 19, 0, 5}, {A2D, 9, 6, 4}, {CUBE, 8, 8, 6}, {CUBE, 5, 5, 6}, {ACUBE, 4, 4, 18}};
    for (const auto &s : shapes)
        for (int k = 0; k < 16; k++) {
            Case c;
            c.geom = s.g, c.w = s.w, c.h = s.h, c.d = s.d;
            c.linear = k & 1, c.normalised = k >> 1 & 1, c.address = k >> 2;
            bool cube = s.g == CUBE || s.g == ACUBE;
            if (cube && (!c.normalised || c.address > 1))
                continue;
            add(v, c);
            if (cube && c.linear) {
                c.seamless = true;
                add(v, c);
            }
        }
    Case c; /* the arithmetic of the filter */
    c.linear = c.dense = true;
    for (int t = 0; t < 4; t++)
        for (int g = 0; g < 3; g++) {
            c.texels = (Texels)t;
            c.geom   = (Geometry)g;
            c.w = 37, c.h = g > 0 ? 11 : 0, c.d = g > 1 ? 5 : 0;
            add(v, c);
        }
    c.normalised = true, c.texels = SMOOTH;
    c.geom = D1, c.w = 1000, c.h = c.d = 0;
    add(v, c);
    c.w = 37;
    add(v, c);
    c.linear = false;
    add(v, c);
    c.w = 1000;
    add(v, c);
}

static void formats(std::vector<Case> &v)
{
    static const struct { char type; int bits; } formats[] = {{'u', 8}, {'s', 8}, {'u', 16}, {'s', 16}, {'u', 32}, {'s', 32}, {'f', 16}, {'f', 32}};
    for (const auto &f : formats)
        for (int channels = 1; channels <= 4; channels *= 2) {
            Case c;
            c.type = f.type, c.bits = f.bits, c.channels = channels;
            c.geom = D2, c.w = 13, c.h = 7, c.address = 3;
            add(v, c);
            if (f.type != 'f' && f.bits < 32) {
                c.to_float = true;
                add(v, c);
            }
            if (f.bits < 32 || f.type == 'f') {
                c.linear = true, c.dense = channels == 1;
                add(v, c);
                if (channels == 1) {
                    c.geom = D1, c.h = 0;
                    add(v, c);
                }
            }
            if (f.type == 'u' && f.bits == 8) {
                c.geom = D2, c.h = 7, c.srgb = true;
                add(v, c);
                c.linear = c.dense = false;
                add(v, c);
            }
        }
    Case c;
    c.type = 'u', c.bits = 8, c.texels = RAMP, c.w = 256, c.to_float = c.srgb = c.dense = true;
    add(v, c);
    c.channels = 4, c.w = 64;
    add(v, c);
    c      = Case();
    c.type = 'f', c.bits = 16, c.texels = ODD, c.geom = D2, c.w = 13, c.h = 7;
    add(v, c);
    c.how = HALF, c.bits = 32, c.channels = 4;
    add(v, c);
    c.texels = WIDE, c.linear = true;
    add(v, c);
    c.type = 'u', c.bits = 8, c.to_float = true;
    add(v, c);
}

static void levels(std::vector<Case> &v)
{
    for (int k = 0; k < 8; k++) {
        Case c;
        c.how = LEVEL, c.geom = D2, c.w = 16, c.h = 8, c.levels = 5;
        c.linear = k & 1, c.mip_linear = k >> 1 & 1, c.normalised = true;
        if (k & 4)
            c.bias = 0.625f, c.min_level = 0.75f, c.max_level = 2.5f;
        add(v, c);
    }
    Case c;
    c.linear = c.mip_linear = c.normalised = true;
    c.how = LEVEL, c.levels = 4;
    c.geom = D1, c.w = 21;
    add(v, c);
    c.geom = D3, c.w = 9, c.h = 10, c.d = 11;
    add(v, c);
    c.geom = A2D, c.d = 3;
    add(v, c);
    c.geom = CUBE, c.w = c.h = 8, c.d = 6;
    add(v, c);
    c.geom = D2, c.w = 16, c.h = 8, c.d = 0, c.type = 'u', c.bits = 8, c.channels = 4, c.to_float = true, c.dense = true;
    add(v, c);
    c.type = 'f', c.bits = 32, c.channels = 1, c.to_float = false, c.dense = false;
    for (How h : {PLAIN, BASE, INTEGER_LEVEL, GRAD}) {
        c.how = h;
        c.linear = c.mip_linear = c.normalised = h != INTEGER_LEVEL;
        add(v, c);
        c.bias = 1.25f;
        if (h != INTEGER_LEVEL)
            add(v, c);
        c.bias = 0;
    }
    c.how = INTEGER, c.linear = c.mip_linear = c.normalised = false;
    add(v, c);
    c.how = INTEGER_LEVEL;
    for (int address : {0, 2, 3}) {
        c.address = address;
        add(v, c);
    }
    c.address = 1, c.linear = c.mip_linear = c.normalised = true;
    c.how = PLAIN, c.min_level = 1.5f;
    add(v, c);
    c.min_level = 0;
    c.how = GRAD, c.mip_linear = c.linear = false;
    add(v, c);
    c.geom = D1, c.h = 0;
    add(v, c);
    c.geom = D3, c.h = 16, c.d = 16;
    add(v, c);
    c.geom = D2, c.d = 0, c.anisotropy = 8, c.linear = c.mip_linear = true;
    add(v, c);
    c        = Case(); /* the level itself, in 1/256 */
    c.texels = LEVELS, c.how = GRAD, c.linear = c.mip_linear = c.normalised = c.dense = true;
    c.geom = D1, c.w = 1024, c.levels = 11;
    add(v, c);
    c.geom = D2, c.w = 256, c.h = 64, c.levels = 9;
    add(v, c);
    c.anisotropy = 4;
    add(v, c);
    c.anisotropy = 0, c.geom = D3, c.w = 32, c.h = 64, c.d = 16, c.levels = 7;
    add(v, c);
    c.how = LEVEL, c.geom = D2, c.d = 0;
    add(v, c);
}

static void others(std::vector<Case> &v)
{
    Case c;
    for (int k = 0; k < 4; k++) {
        c.how = GATHER, c.geom = D2, c.w = 13, c.h = 7, c.channels = 4, c.component = k, c.address = k, c.normalised = true;
        add(v, c);
    }
    c.normalised = false, c.address = 1, c.type = 'u', c.bits = 8, c.component = 1;
    add(v, c);
    c.to_float = true;
    add(v, c);
    c = Case();
    c.geom = D2, c.w = 13, c.h = 7;
    for (int linear = 0; linear < 2; linear++)
        for (int address = 0; address < 4; address++) {
            c.how = OFFSET, c.linear = linear, c.address = address, c.normalised = true;
            add(v, c);
        }
    c = Case();
    c.how = COMPARE, c.geom = D2, c.w = 13, c.h = 7, c.texels = UNIT;
    add(v, c);
    c.linear = true;
    add(v, c);
    c.geom = CUBE, c.w = c.h = 8, c.d = 6, c.normalised = true;
    add(v, c);
    for (int address = 0; address < 4; address++)
        for (int g = 0; g < 5; g++) {
            c = Case();
            c.how = INTEGER, c.geom = (Geometry)g, c.address = address;
            c.h = g == D2 || g == D3 || g == A2D ? 9 : 0, c.d = g >= D3 ? 4 : 0, c.w = 13;
            c.linear = address == 2;
            add(v, c);
        }
    c = Case();
    c.geom = D2, c.w = 13, c.h = 7, c.how = INTEGER, c.normalised = true, c.address = 0;
    add(v, c);
    for (Memory m : {LINEAR, PITCH}) {
        c = Case();
        c.memory = m, c.geom = m == PITCH ? D2 : D1, c.h = m == PITCH ? 9 : 0;
        c.how    = INTEGER;
        add(v, c);
        c.type = 'u', c.bits = 8, c.channels = 4, c.to_float = true;
        add(v, c);
        c.how = PLAIN;
        add(v, c);
        if (m == PITCH) {
            for (int k = 0; k < 8; k++) {
                c.type = 'f', c.bits = 32, c.channels = 1, c.to_float = false;
                c.linear = k & 1, c.address = k >> 1, c.normalised = true;
                add(v, c);
            }
        }
    }
}

static std::vector<Case> all_cases()
{
    std::vector<Case> v;
    geometries(v);
    formats(v);
    levels(v);
    others(v);
    return v;
}

#endif
