/* SPDX-License-Identifier: Apache-2.0
 *
 * Fetches of a whole warp from one texture, as programs mostly make them: one or two dimensions, one level, whatever channels; the same bits
 * as texture_fetch (texcoord.c, texel.c, texfilter.c say what they are), lanes side by side.  Positions are doubles here: with coordinates
 * of moderate size every step is exact.  Lanes that need more (large coordinates; infinities, NaN and tiny numbers among filtered floats) are
 * left to texture_fetch. */
#include <math.h>
#include <string.h>

#include "emu/exec/level.h"
#include "emu/exec/simd.h"
#include "emu/texture/texfilter.h"
#include "emu/texture/texwarp.h"

typedef struct Axis { /* of all lanes */
    int32_t at[2][LANES];
    int32_t weight[LANES];
} Axis;

typedef struct Filter {      /* of a square of texels */
    uint32_t v[4][4][LANES]; /* by texel and channel */
    int32_t  w[4][LANES];
    int32_t  reach[LANES]; /* a bit for each texel that may be infinite for the whole */
    uint32_t any;          /* of all lanes */
} Filter;

/* ---- places ---- */

typedef struct Rounding {    /* what makes the difference between a linear filter and none, in numbers */
    double scale, one, half; /* units of a texel; rounded to 1/256 */
    double near, back, most; /* normalised: rounded to 1/256; to the texel's middle; the last place */
    double weighs;
} Rounding;

/* In 1/256 texels: texcoord_float. */
INLINE double position(float f, double n, TexAddress mode, bool normalised, const Rounding *r)
{
    double x = fabsf(f) >= 0x1p-126f ? (double)f : 0, p; /* NaN too */
    if (normalised) {
        double stretch = 0;
        if (mode == TEX_WRAP || mode == TEX_MIRROR) {
            double whole = floor(x);
            stretch      = mode == TEX_MIRROR && floor(x * 0.5) * 2 != whole ? n * 256 : 0;
            x -= whole;
        }
        p = floor((floor(x * 0x1p21) * n + r->near) * 0x1p-13) + stretch;
    } else {
        p = floor((floor(x * r->scale) + r->one) * r->half);
    }
    p -= r->back;
    if (mode == TEX_CLAMP || (!normalised && mode != TEX_BORDER))
        p = p < 0 ? 0 : p > r->most ? r->most : p;
    return p;
}

INLINE double wrapped(double i, double n, TexAddress mode, bool normalised)
{
    if (mode == TEX_BORDER)
        return i;
    if (mode == TEX_CLAMP || !normalised)
        return i < 0 ? 0 : i > n - 1 ? n - 1 : i;
    if (mode == TEX_WRAP)
        return i - n * floor(i / n);
    i -= 2 * n * floor(i / (2 * n));
    return i < n ? i : 2 * n - 1 - i;
}

INLINE void place_lanes(const float *f, double n, TexAddress mode, bool normalised, const Rounding *r, Axis *to)
{
    for (unsigned lane = 0; lane < LANES; lane++) {
        double p = position(f[lane], n, mode, normalised, r), i = floor(p * 0x1p-8);
        to->at[0][lane]  = (int32_t)wrapped(i, n, mode, normalised);
        to->at[1][lane]  = (int32_t)wrapped(i + 1, n, mode, normalised);
        to->weight[lane] = (int32_t)((p - i * 256) * r->weighs);
    }
}

/* Each way of placing is compiled by itself.  Numbers that are not normalised are never wrapped. */
static void place(const TexSampler *s, unsigned k, const float *f, uint32_t n, Axis *to)
{
    const double   last   = ((double)n - 1) * 256;
    const Rounding linear = {512, 1, 0.5, 0x1p12, 128, last, 1}, point = {256, 0, 1, 0, 0, last + 255, 0};
    const Rounding r = s->linear ? linear : point;
    switch (2 * s->address[k] + s->normalised) {
    case 2 * TEX_WRAP + 1: place_lanes(f, n, TEX_WRAP, true, &r, to); break;
    case 2 * TEX_MIRROR + 1: place_lanes(f, n, TEX_MIRROR, true, &r, to); break;
    case 2 * TEX_CLAMP + 1: place_lanes(f, n, TEX_CLAMP, true, &r, to); break;
    case 2 * TEX_BORDER + 1: place_lanes(f, n, TEX_BORDER, true, &r, to); break;
    case 2 * TEX_BORDER: place_lanes(f, n, TEX_BORDER, false, &r, to); break;
    default: place_lanes(f, n, TEX_CLAMP, false, &r, to); break;
    }
}

/* Lanes whose coordinate is not too large for exact positions. */
static uint32_t moderate(const float *f, bool normalised)
{
    float    most = normalised ? 0x1p10f : 0x1p20f;
    uint32_t set  = 0;
    for (unsigned lane = 0; lane < LANES; lane++)
        set |= (uint32_t) !(fabsf(f[lane]) > most) << lane;
    return set;
}

/* ---- texels ---- */

#define LOAD(T, shown)                                                                                                 \
    for (unsigned lane = 0; lane < LANES; lane++) {                                                                    \
        T raw;                                                                                                         \
        memcpy(&raw, (const void *)(uintptr_t)(at[lane] + c * sizeof(T)), sizeof raw);                                 \
        v[c][lane] = (uint32_t)(shown)raw;                                                                             \
    }

/* Outside of the texture it is the border's; wherever a lane that does not run may point. */
static void load(const TexWarp *t, const int32_t *x, const int32_t *y, uint32_t v[4][LANES])
{
    const TexLevel *l     = &t->object->level[0];
    const uint32_t  kind  = t->object->format.bits + (t->object->format.kind == 's');
    const uint32_t  width = l->width, height = l->height, bytes = t->bytes;
    const uint64_t  base = l->base, pitch = l->pitch;
    uint64_t        at[LANES];
    uint32_t        away[LANES], any = 0;
    for (unsigned lane = 0; lane < LANES; lane++)
        away[lane] = (uint32_t)x[lane] < width && (uint32_t)y[lane] < height ? 0 : 1;
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint64_t in = away[lane] - UINT64_C(1); /* all ones, or 0 */
        at[lane]    = base + (((uint64_t)(uint32_t)y[lane] * pitch + (uint64_t)(uint32_t)x[lane] * bytes) & in);
    }
    for (unsigned lane = 0; lane < LANES; lane++)
        any |= away[lane] << lane;
    for (unsigned c = 0; c < t->object->format.channels; c++) {
        switch (kind) {
        case 8: LOAD(uint8_t, uint32_t) break;
        case 9: LOAD(int8_t, int32_t) break;
        case 16: LOAD(uint16_t, uint32_t) break;
        case 17: LOAD(int16_t, int32_t) break;
        default: LOAD(uint32_t, uint32_t) break;
        }
        for (uint32_t m = any; m; m &= m - 1)
            v[c][__builtin_ctz(m)] = t->border[c];
    }
}

/* ---- filters ---- */

/* texfilter_weights, without a third axis. */
static void weigh(const Axis *x, const Axis *y, Filter *f)
{
    for (unsigned lane = 0; lane < LANES; lane++) {
        int32_t a = x->weight[lane], b = y->weight[lane], left = 256 - a;
        f->w[3][lane]  = (a * b + 128) >> 8;
        f->w[1][lane]  = a - f->w[3][lane];
        f->w[2][lane]  = (left * b + 127) >> 8;
        f->w[0][lane]  = left - f->w[2][lane];
        f->reach[lane] = 1 | (a ? 2 : 0) | (b ? 4 : 0) | (a && b ? 8 : 0);
    }
    f->any = 0;
    for (unsigned lane = 0; lane < LANES; lane++)
        f->any |= (uint32_t)f->reach[lane];
}

enum { MANTISSA = 23, GUARD = 4, TINY = 40, INFINITE = 255 };

/* Of the largest weighing exponent (top), of infinities and NaN in reach, and of positive texels that weigh. */
static void survey(const Filter *f, unsigned c, int32_t top[LANES], int32_t special[LANES], int32_t plus[LANES])
{
    for (unsigned lane = 0; lane < LANES; lane++)
        top[lane] = 1, special[lane] = plus[lane] = 0;
    for (unsigned k = 0; k < 4; k++)
        for (unsigned lane = 0; lane < LANES; lane++) {
            int32_t v = (int32_t)f->v[k][c][lane], e = v >> MANTISSA & INFINITE, weighs = f->w[k][lane] ? -1 : 0;
            int32_t here = e & weighs;
            top[lane]    = here > top[lane] ? here : top[lane];
            special[lane] |= (e == INFINITE ? -1 : 0) & (f->reach[lane] >> k);
            plus[lane] |= ~(v >> 31) & weighs;
        }
}

/* Where each lane's first texel has all the weight. */
static void only_floats(const Filter *f, unsigned c, uint32_t *out, uint32_t *odd)
{
    int32_t bad[LANES];
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint32_t v = f->v[0][c][lane], e = v >> MANTISSA & INFINITE;
        out[lane] = e ? v : v & 0x80000000u;
        bad[lane] = e == INFINITE;
    }
    for (unsigned lane = 0; lane < LANES; lane++)
        *odd |= (uint32_t)bad[lane] << lane;
}

/* texfilter_sum of floats: `odd` gets lanes that it cannot do. */
static void sum_floats(const Filter *f, unsigned c, uint32_t *out, uint32_t *odd)
{
    int32_t  top[LANES], special[LANES], plus[LANES], term[LANES], bad[LANES];
    double   sum[LANES] = {0}, scale[LANES];
    uint64_t unit[LANES];
    float    r[LANES];
    survey(f, c, top, special, plus);
    for (unsigned k = 0; k < 4; k++) {
        for (unsigned lane = 0; lane < LANES; lane++) {
            int32_t  v = (int32_t)f->v[k][c][lane], e = v >> MANTISSA & INFINITE;
            uint32_t m     = e ? ((uint32_t)v & 0x7fffff) | 0x800000 : 0;
            uint32_t shift = (uint32_t)(top[lane] - e); /* below 0: of no weight */
            shift          = shift > 31 ? 31 : shift;
            int32_t cut    = (int32_t)((m << GUARD) >> shift);
            term[lane]     = v < 0 ? -cut : cut;
        }
        for (unsigned lane = 0; lane < LANES; lane++)
            sum[lane] += (double)term[lane] * (double)f->w[k][lane];
    }
    for (unsigned lane = 0; lane < LANES; lane++)
        unit[lane] = (uint64_t)(uint32_t)(top[lane] - 127 - MANTISSA - GUARD - 8 - 2 + 1023) << 52;
    memcpy(scale, unit, sizeof scale);
    for (unsigned lane = 0; lane < LANES; lane++) {
        double size = fabs(sum[lane]), more = size >= 0x1p24 ? 1.0 : 0.0; /* half goes away from zero */
        float  near = (float)(4 * size + more);
        r[lane]     = (float)((double)near * scale[lane]);
    }
    memcpy(out, r, sizeof r);
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint32_t minus = sum[lane] < 0 ? 0x80000000u : 0, zero = sum[lane] == 0 ? 0x80000000u : 0;
        out[lane] |= minus | (zero & ~(uint32_t)plus[lane]);
        bad[lane] = (special[lane] & 1) | (int32_t)(top[lane] < TINY && sum[lane] != 0);
    }
    for (unsigned lane = 0; lane < LANES; lane++)
        *odd |= (uint32_t)bad[lane] << lane;
}

#define FRACTIONS(value)                                                                                               \
    for (unsigned lane = 0; lane < LANES; lane++) {                                                                    \
        int32_t s = 0;                                                                                                 \
        for (unsigned k = 0; k < 4; k++)                                                                               \
            s += (int32_t)f->v[k][c][lane] * f->w[k][lane];                                                            \
        float r = (float)(value);                                                                                      \
        memcpy(&out[lane], &r, sizeof r);                                                                              \
    }                                                                                                                  \
    return

INLINE int32_t at_least(int32_t x, int32_t least)
{
    return x < least ? least : x;
}

static void sum_channel(const TexWarp *t, const Filter *f, unsigned c, uint32_t *out, uint32_t *odd)
{
    switch (t->arithmetic) {
    case TEX_ARITH_F32: (f->any == 1 ? only_floats : sum_floats)(f, c, out, odd); return;
    case TEX_ARITH_U8: FRACTIONS((double)((s * 257 + 128) >> 8) / 65535.0);
    case TEX_ARITH_U16: FRACTIONS((double)((s + 128) >> 8) / 65535.0);
    case TEX_ARITH_S16: FRACTIONS((double)at_least((s + 128) >> 8, -32767) / 32767.0);
    case TEX_ARITH_S8: FRACTIONS((double)at_least(s + ((s + 64 + 16 * (s >> 12)) >> 7), -32767) / 32767.0);
    default: break;
    }
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint32_t v[4], w[4];
        for (unsigned k = 0; k < 4; k++)
            v[k] = f->v[k][c][lane], w[k] = (uint32_t)f->w[k][lane];
        out[lane] = texfilter_sum(t->arithmetic, v, w, 4, (unsigned)f->reach[lane]);
    }
}

/* ---- fetches ---- */

static void show(const TexWarp *t, uint32_t v[4][LANES])
{
    const TexFormat *f = &t->object->format;
    for (unsigned c = 0; t->fractions && c < f->channels; c++)
        for (unsigned lane = 0; lane < LANES; lane++) {
            float x = texel_to_float(f, v[c][lane]);
            memcpy(&v[c][lane], &x, sizeof x);
        }
}

static uint32_t fetch(const TexWarp *t, const float *u, const float *v, uint32_t mask, uint32_t out[4][LANES])
{
    static const float zeros[LANES];
    const TexLevel    *l = &t->object->level[0];
    const TexSampler  *s = t->sampler;
    Axis               x, y;
    Filter             f;
    uint32_t           odd = 0;
    v                      = v ? v : zeros;
    mask &= moderate(u, s->normalised) & moderate(v, s->normalised);
    place(s, 0, u, l->width, &x);
    place(s, 1, v, l->height, &y);
    memset(out, 0, 4 * sizeof *out);
    if (!s->linear) {
        load(t, x.at[0], y.at[0], out);
        show(t, out);
        return mask;
    }
    weigh(&x, &y, &f);
    for (unsigned k = 0; k < 4; k++)
        if (f.any >> k & 1)
            load(t, x.at[k & 1], y.at[k >> 1], f.v[k]);
        else
            memset(f.v[k], 0, sizeof f.v[k]);
    for (unsigned c = 0; c < t->object->format.channels; c++)
        sum_channel(t, &f, c, out[c], &odd);
    return mask & ~odd;
}

/* Whole coordinates into plain memory: beyond its end every value is 0. */
static void fetch_whole(const TexWarp *t, const int32_t *x, uint32_t out[4][LANES])
{
    static const int32_t zeros[LANES];
    memset(out, 0, 4 * sizeof *out);
    load(t, x, zeros, out);
    show(t, out);
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned c = 0; (uint32_t)x[lane] >= t->object->level[0].width && c < 4; c++)
            out[c][lane] = 0;
}

void exec_fill_texture(ExecTable *t)
{
    static const TexOps ops = {fetch, fetch_whole};
    t->texture              = &ops;
}
