/* SPDX-License-Identifier: Apache-2.0
 *
 * Fetches of a whole warp from one plain texture: what is the same in all lanes, and the functions of a SIMD level (exec/texture.c). */
#ifndef WW_EMU_TEXWARP_H
#define WW_EMU_TEXWARP_H

#include "emu/observer.h"
#include "emu/texture/texfilter.h"

typedef struct TexWarp {
    const TexObject  *object;
    const TexSampler *sampler;
    TexArithmetic     arithmetic; /* of the linear filter */
    unsigned          bytes;      /* of a texel */
    bool              fractions;  /* unfiltered texels are shown as floats */
    uint32_t          border[4];  /* as texels have them */
} TexWarp;

/* One SIMD level's. */
typedef struct TexOps {
    /* Of the lanes in mask; v NULL: one dimension.  Returns those that it has done; others' results are arbitrary. */
    uint32_t (*fetch)(const TexWarp *t, const float *u, const float *v, uint32_t mask, uint32_t out[4][LANES]);
    /* By whole coordinates, of plain memory; all lanes. */
    void (*fetch_whole)(const TexWarp *t, const int32_t *x, uint32_t out[4][LANES]);
} TexOps;

/* Can TexOps do its fetches?  Then *out is filled in.  whole: by whole coordinates. */
bool texture_plain(const TexObject *t, const TexSampler *s, bool whole, TexWarp *out);

#endif
