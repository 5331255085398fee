/* SPDX-License-Identifier: Apache-2.0
 *
 * Levels of detail from gradients, as read off an H200 in 140 000 samples.
 *
 * The length of a vector is its largest component + 11/32 of the next + 1/4 of the least.  The footprint's diameter is the largest of the
 * two gradients' lengths and of 11/16 of the lengths of their sum and their difference (its diagonals).  The logarithm takes 8 bits
 * of the diameter's mantissa and a table.  The card cuts intermediate values too, in a way that is not known: its level is up to 2/256
 * below or above.
 * In three dimensions and in cubemaps the card fetches at the coordinates and at those moved by each gradient, and takes the differences:
 * of coordinates in single precision, or of places on the face that the coordinates lie on.  A gradient that leads to another face is not
 * known: there the level is up to two off. */
#include "emu/texture/texlod.h"

#include <math.h>

enum { STEPS = 256 };

/* 256 * log2(1 + i / 256) on the card. */
static const uint8_t log_steps[STEPS] = {
    0,   2,   4,   5,   6,   8,   9,   11,  12,  13,  15,  16,  18,  19,  20,  22,  23,  24,  26,  27,  28,  30,
    31,  32,  34,  35,  36,  38,  39,  40,  42,  43,  44,  45,  47,  48,  49,  50,  52,  53,  54,  55,  57,  58,
    59,  60,  62,  63,  64,  65,  66,  68,  69,  70,  71,  72,  74,  75,  76,  77,  78,  79,  81,  82,  83,  84,
    85,  86,  88,  89,  90,  91,  92,  93,  94,  95,  97,  98,  99,  100, 101, 102, 103, 104, 105, 106, 107, 109,
    110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131,
    132, 133, 135, 136, 137, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153,
    154, 155, 156, 157, 158, 159, 160, 161, 162, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 173,
    174, 175, 176, 177, 178, 179, 180, 181, 181, 182, 183, 184, 185, 186, 187, 188, 188, 189, 190, 191, 192, 193,
    194, 195, 195, 196, 197, 198, 199, 200, 200, 201, 202, 203, 204, 205, 205, 206, 207, 208, 209, 210, 210, 211,
    212, 213, 214, 214, 215, 216, 217, 218, 218, 219, 220, 221, 222, 222, 223, 224, 225, 226, 226, 227, 228, 229,
    229, 230, 231, 232, 233, 233, 234, 235, 236, 236, 237, 238, 239, 239, 240, 241, 242, 242, 243, 244, 245, 245,
    246, 247, 248, 248, 249, 250, 251, 251, 252, 253, 253, 254, 255, 255};

static double length(const double v[3])
{
    double a = fabs(v[0]), b = fabs(v[1]), c = fabs(v[2]);
    double most = fmax(fmax(a, b), c), least = fmin(fmin(a, b), c), middle = a + b + c - most - least;
    return most + middle * 11 / 32 + least / 4;
}

static double logarithm(double diameter)
{
    int exponent;
    if (diameter <= 0)
        return -(double)TEX_LEVELS;
    double mantissa = 2 * frexp(diameter, &exponent) - 1;
    return exponent - 1 + log_steps[(unsigned)(mantissa * STEPS)] / (double)STEPS;
}

/* NaN counts as 0. */
static double number(double x)
{
    return isnan(x) ? 0 : x;
}

/* Where a direction meets the face across `axis`, in texels. */
static void on_face(const double direction[3], unsigned axis, double size, double place[3])
{
    for (unsigned k = 0, n = 0; k < 3; k++)
        if (k != axis)
            place[n++] = direction[k] / fabs(direction[axis]) * size / 2;
    place[2] = 0;
}

/* What a gradient moves the fetch by, in texels. */
static void moved(const TexObject *t, const TexFetch *q, const float gradient[3], double step[3])
{
    const TexLevel *l      = &t->level[0];
    const double    size[] = {l->width, l->height, l->depth};
    double          from[3], to[3], a[3], b[3];
    for (unsigned k = 0; k < 3; k++) {
        from[k] = (double)q->f[k];
        to[k]   = (double)(q->f[k] + gradient[k]);
        step[k] = 0;
    }
    if (t->shape == TEX_CUBE || t->shape == TEX_CUBE_LAYERED) {
        unsigned axis = fabs(from[1]) >= fabs(from[0]);
        axis          = fabs(from[2]) >= fabs(from[axis]) ? 2 : axis;
        on_face(from, axis, size[0], a);
        on_face(to, axis, size[0], b);
        for (unsigned k = 0; k < 2; k++)
            step[k] = b[k] - a[k];
        return;
    }
    unsigned n = t->shape == TEX_1D || t->shape == TEX_1D_LAYERED ? 1 : t->shape == TEX_3D ? 3 : 2;
    for (unsigned k = 0; k < n; k++)
        step[k] = (t->shape == TEX_3D ? to[k] - from[k] : number((double)gradient[k])) * size[k];
}

double texlod_of_gradient(const TexObject *t, const TexFetch *q)
{
    double x[3], y[3], sum[3], difference[3];
    moved(t, q, q->dx, x);
    moved(t, q, q->dy, y);
    for (unsigned k = 0; k < 3; k++) {
        if (!isfinite(x[k]) || !isfinite(y[k]))
            return (double)TEX_LEVELS; /* the smallest level */
        sum[k]        = x[k] + y[k];
        difference[k] = x[k] - y[k];
    }
    double sides = fmax(length(x), length(y)), diagonals = fmax(length(sum), length(difference));
    return logarithm(fmax(sides, diagonals * 11 / 16));
}
