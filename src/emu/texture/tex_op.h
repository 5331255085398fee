/* SPDX-License-Identifier: Apache-2.0
 *
 * Texture and surface instructions: what lowering (lower_tex.c) tells the handlers (tex_op.c, surface.c). */
#ifndef WW_EMU_TEX_OP_H
#define WW_EMU_TEX_OP_H

#include "emu/core/program.h"
#include "emu/core/run.h"
#include "emu/texture/texture.h"

typedef struct TexInfo {
    TexShape shape;
    bool     whole;              /* coordinates are .s32 */
    Slot     handle, sampler;    /* 64-bit; sampler: NO_SLOT in unified mode */
    const struct Var *sampler_var; /* a .samplerref of the module */
    Slot     layer, coord[3];    /* 32-bit; NO_SLOT: not given */
    TexLod   lod_mode;
    Slot     lod, dx[3], dy[3], offset[3];
    int      gather;
    Slot     d[4];               /* 32-bit words as texture_fetch gives them; NO_SLOT: not wanted */
    Slot     resident;           /* predicate or NO_SLOT */
    unsigned nd;
    bool     to_half, packed;    /* .f16; .f16x2 */
} TexInfo;

typedef enum SurfaceOp { SURF_LOAD, SURF_STORE, SURF_STORE_FORMATTED, SURF_REDUCE } SurfaceOp;
typedef enum SurfaceClamp { SURF_TRAP, SURF_CLAMP, SURF_ZERO } SurfaceClamp;
typedef enum SurfaceReduce { SURF_ADD, SURF_MIN, SURF_MAX, SURF_AND, SURF_OR } SurfaceReduce;

typedef struct SurfInfo {
    SurfaceOp     op;
    SurfaceClamp  clamp;
    SurfaceReduce reduce;
    TexShape      shape;
    Slot          handle, layer, coord[3];
    bool          samples;       /* x counts texels, not bytes */
    Type          type;          /* of one element */
    unsigned      nv, bytes, reg_bytes;
    Slot          v[4];          /* data */
} SurfInfo;

typedef enum TexQuery {
    QUERY_WIDTH, QUERY_HEIGHT, QUERY_DEPTH, QUERY_ARRAY_SIZE, QUERY_LEVELS, QUERY_SAMPLES, QUERY_NORMALIZED
} TexQuery;

/* The object a lane's handle names: one of the table, or what the module's .texref or .surfref at that address is bound to.
 * NULL: a fault was raised. */
const TexObject *tex_object(Warp *w, const Uop *u, uint64_t handle, TexKind kind, unsigned lane);

#endif
