/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of a texture fetch share: coordinates in units of 1/256 texel, texels, weights of the linear filter. */
#ifndef WW_EMU_TEXFILTER_H
#define WW_EMU_TEXFILTER_H

#include "emu/texture/texture.h"

typedef struct TexAxis {  /* where one coordinate falls */
    int64_t  at[2];       /* texel, and its neighbour towards higher coordinates; border: outside [0, n) */
    uint32_t weight;      /* of the neighbour, 0 ... 256 */
} TexAxis;

/* One texel; two with weights; two without (tld4). */
typedef enum TexReach { TEX_REACH_POINT, TEX_REACH_LINEAR, TEX_REACH_SQUARE } TexReach;

/* texcoord.c */
TexAxis texcoord_float(double x, uint32_t n, TexAddress mode, bool normalised, TexReach reach, int offset);
/* Face (0 ... 5) and the two coordinates on it, in [0, 1]. */
unsigned texcoord_cube(const float d[3], double *s, double *t);
/* A texel one over an edge of a face of n x n: the neighbouring face, and the texel there. */
unsigned texcoord_fold(unsigned face, int64_t *x, int64_t *y, uint32_t n);

/* Weights of 8 texels (x fastest, then y, then z); they sum to total, 256 unless two levels share them.
 * Returns which texels are in the filter's reach, a bit each: a weight may be rounded to 0 there. */
unsigned texfilter_weights(const TexAxis *x, const TexAxis *y, const TexAxis *z, uint32_t total, uint32_t w[8]);

/* How a channel is filtered. */
typedef enum TexArithmetic { TEX_ARITH_F32, TEX_ARITH_F16, TEX_ARITH_U8, TEX_ARITH_U16, TEX_ARITH_S8, TEX_ARITH_S16, TEX_ARITH_LIGHT } TexArithmetic;
/* The weighted sum of n texels' channel values (bits as the format has them, sign-extended) as a float's bits.  reach: which of them
 * may be infinite or NaN for the whole. */
uint32_t texfilter_sum(TexArithmetic a, const uint32_t *v, const uint32_t *w, unsigned n, unsigned reach);

/* texel.c */
uint64_t      texel_address(const TexObject *t, const TexLevel *l, int64_t x, int64_t y, int64_t z);
void          texel_read(const TexObject *t, const TexLevel *l, int64_t x, int64_t y, int64_t z, uint32_t v[4]);
TexArithmetic texel_arithmetic(const TexFormat *f);
/* One channel's bits as a float in point mode. */
float         texel_to_float(const TexFormat *f, uint32_t v);
/* Light: what an 8-bit sRGB value means, in 2^-14; some values near a power of two carry its exponent.  Format kind 'l'. */
enum { LIGHT_VALUE = 0xffff, LIGHT_RAISED = 0x10000 };
uint32_t      texel_from_srgb(uint32_t v);
uint32_t      texel_to_srgb(float x);

#endif
