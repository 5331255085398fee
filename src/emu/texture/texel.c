/* SPDX-License-Identifier: Apache-2.0
 *
 * Texels: from bytes in memory to channel values, and channel values to floats.  Channels that the format does not have are 0. */
#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "base/half.h"
#include "emu/texture/texfilter.h"

unsigned texel_bytes(const TexFormat *f)
{
    return (unsigned)f->bits / 8u * f->channels;
}

uint64_t texel_address(const TexObject *t, const TexLevel *l, int64_t x, int64_t y, int64_t z)
{
    return l->base + (uint64_t)z * l->slice + (uint64_t)y * l->pitch + (uint64_t)x * texel_bytes(&t->format);
}

void texel_read(const TexObject *t, const TexLevel *l, int64_t x, int64_t y, int64_t z, uint32_t v[4])
{
    const TexFormat *f = &t->format;
    const uint8_t   *p = (const uint8_t *)(uintptr_t)texel_address(t, l, x, y, z);
    uint16_t         h;
    v[0] = v[1] = v[2] = v[3] = 0;
    for (unsigned c = 0; c < f->channels; c++)
        switch (f->bits) {
        case 8: v[c] = f->kind == 's' ? (uint32_t)(int8_t)p[c] : p[c]; break;
        case 16:
            memcpy(&h, p + 2 * c, 2);
            v[c] = f->kind == 's' ? (uint32_t)(int16_t)h : h;
            break;
        default: memcpy(&v[c], p + 4 * c, 4);
        }
}

TexArithmetic texel_arithmetic(const TexFormat *f)
{
    if (f->kind == 'f')
        return f->bits == 16 ? TEX_ARITH_F16 : TEX_ARITH_F32;
    if (f->kind == 'l')
        return TEX_ARITH_LIGHT;
    return f->kind == 'u' ? (f->bits == 8 ? TEX_ARITH_U8 : TEX_ARITH_U16)
                          : (f->bits == 8 ? TEX_ARITH_S8 : TEX_ARITH_S16);
}

float texel_to_float(const TexFormat *f, uint32_t v)
{
    int32_t  s    = (int32_t)v;
    uint32_t most = (UINT32_C(1) << (f->bits - 1 + (f->kind == 'u'))) - 1;
    if (f->kind == 'l')
        return (float)(v & LIGHT_VALUE) / 16384.0f;
    if (f->kind == 'f' && f->bits == 16)
        return (float)half_to_double((uint16_t)v);
    if (f->kind == 'f')
        return f32_of(v);
    if (f->kind == 'u')
        return (float)((double)v / most);
    return s < -(int32_t)most ? -1.0f : (float)((double)s / most);
}

static const uint16_t srgb[256] = {
#include "emu/texture/srgb.def"
};

uint32_t texel_from_srgb(uint32_t v)
{
    bool raised = v == 136 || (v >= 184 && v <= 187) || (v >= 248 && v <= 254);
    return srgb[v & 255] | (raised ? LIGHT_RAISED : 0);
}

uint32_t texel_to_srgb(float x)
{
    double l = (double)x, c = l <= 0.0031308 ? 12.92 * l : 1.055 * pow(l, 1 / 2.4) - 0.055;
    return c > 0 ? (c < 1 ? (uint32_t)(c * 255 + 0.5) : 255) : 0;
}
