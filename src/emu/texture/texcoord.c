/* SPDX-License-Identifier: Apache-2.0
 *
 * From coordinates to texels, in fixed point as the card has it (read off an H200, tests/texture):
 *   normalised    x is cut to 21 fraction bits, wrapped or mirrored there, then multiplied by the number of texels
 *   weights       of the linear filter have 8 fraction bits: position x - 0.5, rounded to the nearest 1/256, half up
 *   clamping      to the edge is done on that position, so the weight outside is 0
 *   NaN is 0, infinities and large numbers saturate; denormals are 0. */
#include <math.h>

#include "emu/texture/texfilter.h"

enum { FRACTION = 21, WEIGHT = 8 };

static const int64_t ONE = INT64_C(1) << FRACTION;

static int64_t modulo(int64_t a, int64_t n)
{
    if (a >= 0 && a < n)
        return a;
    a %= n;
    return a < 0 ? a + n : a;
}

static int64_t clamp(int64_t v, int64_t lo, int64_t hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

/* The floor of a number of moderate size. */
static int64_t whole_below(double v)
{
    int64_t i = (int64_t)v;
    return i - ((double)i > v);
}

/* Floor of x in units of 2^-bits. */
static int64_t fixed(double x, int bits)
{
    static const double most = 1e12;
    double              v    = x * (double)(INT64_C(1) << bits);
    return whole_below(v > most ? most : v < -most ? -most : v);
}

/* Large floats are whole. */
static double floor_of(double x)
{
    return fabs(x) < 1e15 ? (double)whole_below(x) : x;
}

/* A normalised coordinate in units of 2^-FRACTION: wrapped to [0, 1), or to [0, 2) when the second stretch is mirrored. */
static int64_t reduce(double x, TexAddress mode, int64_t *stretch)
{
    *stretch = 0;
    if (mode != TEX_WRAP && mode != TEX_MIRROR)
        return fixed(x, FRACTION);
    if (isinf(x))
        return 0;
    *stretch = mode == TEX_MIRROR && floor_of(x / 2) * 2 != floor_of(x);
    return fixed(x - floor_of(x), FRACTION);
}

static int64_t wrap_texel(int64_t i, uint32_t n, TexAddress mode, bool normalised)
{
    if (mode == TEX_BORDER)
        return i;
    if (mode == TEX_CLAMP || !normalised)
        return clamp(i, 0, (int64_t)n - 1);
    if (mode == TEX_WRAP)
        return modulo(i, n);
    i = modulo(i, 2 * (int64_t)n);
    return i < n ? i : 2 * (int64_t)n - 1 - i;
}

TexAxis texcoord_float(double x, uint32_t n, TexAddress mode, bool normalised, TexReach reach, int offset)
{
    bool    linear = reach != TEX_REACH_POINT;
    int64_t p, stretch = 0;          /* p: 1/256 texels */
    x = fabs(x) >= 0x1p-126 ? x : 0; /* NaN too */
    if (normalised) {
        p = reduce(x, mode, &stretch) * n;
        p = (p + (linear ? ONE >> (WEIGHT + 1) : 0)) >> (FRACTION - WEIGHT);
    } else {
        p = linear ? (fixed(x, WEIGHT + 1) + 1) >> 1 : fixed(x, WEIGHT);
    }
    p += (stretch * n + offset) * (1 << WEIGHT);
    if (linear)
        p -= 1 << (WEIGHT - 1);
    if (reach != TEX_REACH_SQUARE && (mode == TEX_CLAMP || (!normalised && mode != TEX_BORDER)))
        p = clamp(p, 0, ((int64_t)n - 1) << WEIGHT | (linear ? 0 : 255));
    int64_t i = p >> WEIGHT;
    TexAxis a = {.at = {wrap_texel(i, n, mode, normalised), wrap_texel(i + 1, n, mode, normalised)}};
    a.weight  = linear ? (uint32_t)(p & 255) : 0;
    return a;
}

/* -1 ... 1 on a face to 0 ... 1, cut to the fraction bits; not a number: the middle. */
static double on_face(float u)
{
    return isnan(u) ? 0.5 : floor((double)u * ((double)ONE / 2)) / (double)ONE + 0.5;
}

static float flushed(float x)
{
    return fabsf(x) < 0x1p-126f ? 0 : x;
}

/* The direction is scaled by the reciprocal of its largest component; the face follows from the scaled one, z before y before x. */
unsigned texcoord_cube(const float d[3], double *s, double *t)
{
    float    r = 1.0f / fmaxf(fmaxf(fabsf(d[0]), fabsf(d[1])), fabsf(d[2]));
    float    x = flushed(d[0]) * r, y = flushed(d[1]) * r, z = flushed(d[2]) * r, u, v;
    float    ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
    unsigned face;
    if (!(ax > az) && !(ay > az) && !isnan(az)) {
        face = z < 0 ? 5 : 4;
        u = z < 0 ? -x : x, v = -y;
    } else if (!(ax > ay) && !isnan(ay)) {
        face = y < 0 ? 3 : 2;
        u = x, v = y < 0 ? -z : z;
    } else {
        face = x < 0 ? 1 : 0;
        u = x < 0 ? z : -z, v = -y;
    }
    *s = on_face(u);
    *t = on_face(v);
    return face;
}

/* Per face: which axis its first and second coordinate and its normal lie on, and their signs. */
static const struct FaceAxes {
    int8_t axis[3], sign[3];
} faces[6] = {{{2, 1, 0}, {-1, -1, 1}}, {{2, 1, 0}, {1, -1, -1}}, {{0, 2, 1}, {1, 1, 1}},
              {{0, 2, 1}, {1, -1, -1}}, {{0, 1, 2}, {1, -1, 1}},  {{0, 1, 2}, {-1, -1, -1}}};

unsigned texcoord_fold(unsigned face, int64_t *x, int64_t *y, uint32_t n)
{
    const struct FaceAxes *f = &faces[face];
    int64_t                p[3], at[2] = {2 * *x + 1 - n, 2 * *y + 1 - n}; /* texel centres, -n ... n across the face */
    unsigned               k = at[0] < -(int64_t)n || at[0] > (int64_t)n ? 0 : 1, to = 0;
    int64_t                over = at[k] < 0 ? -(int64_t)n : (int64_t)n;
    p[f->axis[2]] =
        f->sign[2] *
        ((int64_t)n - (at[k] < 0 ? over - at[k] : at[k] - over)); /* as far down the side as it is over the edge */
    p[f->axis[k]]     = f->sign[k] * over;
    p[f->axis[1 - k]] = f->sign[1 - k] * at[1 - k];
    while (faces[to].axis[2] != f->axis[k] || faces[to].sign[2] * (int64_t)n != p[f->axis[k]])
        to++;
    *x = (faces[to].sign[0] * p[faces[to].axis[0]] + n - 1) / 2;
    *y = (faces[to].sign[1] * p[faces[to].axis[1]] + n - 1) / 2;
    return to;
}
