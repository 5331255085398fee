/* SPDX-License-Identifier: Apache-2.0
 *
 * Textures and surfaces: what an object of either kind is, the device's table of them, and the arithmetic of a fetch as pure functions
 * of an object and coordinates (texture.c, texcoord.c, texfilter.c, texel.c).
 *
 * Texels lie in rows in device memory; what a card does with their order is not visible to a program and not modelled. */
#ifndef WW_EMU_TEXTURE_H
#define WW_EMU_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum TexShape { TEX_1D, TEX_2D, TEX_3D, TEX_1D_LAYERED, TEX_2D_LAYERED, TEX_CUBE, TEX_CUBE_LAYERED } TexShape;
typedef enum TexAddress { TEX_WRAP, TEX_CLAMP, TEX_MIRROR, TEX_BORDER } TexAddress; /* numbers of cudaTextureAddressMode */

enum { TEX_LEVELS = 18 };

typedef struct TexFormat {
    char    kind;     /* 'u', 's', 'f' */
    uint8_t bits, channels;
    bool    norm;     /* whole numbers that stand for fractions whatever the read mode (CU_AD_FORMAT_UNORM_...) */
} TexFormat;

typedef struct TexLevel {
    uint64_t base;             /* address of texel (0, 0, 0) */
    uint32_t width, height;    /* 1 at least */
    uint32_t depth;            /* slices, layers or faces */
    uint64_t pitch, slice;     /* bytes */
} TexLevel;

typedef struct TexSampler {
    uint8_t  address[3];       /* TexAddress */
    bool     linear, mip_linear, normalised;
    bool     to_float;         /* whole numbers are read as fractions */
    bool     srgb, seamless;
    unsigned anisotropy;
    float    bias, min_level, max_level;
    float    border[4];
} TexSampler;

typedef enum TexKind { TEX_TEXTURE, TEX_SURFACE } TexKind;

typedef struct TexObject {
    uint64_t   handle;         /* once it is entered */
    TexKind    kind;
    TexShape   shape;
    TexFormat  format;
    bool       linear_memory;  /* 1D over plain memory: whole coordinates only, zero outside */
    uint32_t   nlevels;
    TexLevel   level[TEX_LEVELS];
    uint64_t   base, bytes;    /* all of its memory */
    TexSampler sampler;
    bool       destroyed;
} TexObject;

/* ---- the device's table ---- */

typedef struct EmuDevice EmuDevice;
/* Enters an object under a handle, a small number from 1 that no other object of the process has. */
void             emu_texture_enter(EmuDevice *d, uint64_t handle, const TexObject *o);
/* The handle stays known as destroyed.  false: no such object. */
bool             emu_texture_destroy(EmuDevice *d, uint64_t handle);
/* NULL: never entered; destroyed objects are found. */
const TexObject *emu_texture(const EmuDevice *d, uint64_t handle);

/* ---- one fetch ---- */

typedef enum TexLod { TEX_LOD_BASE, TEX_LOD_LEVEL, TEX_LOD_GRADIENT } TexLod;

enum { TEX_READS = 17 };

typedef struct TexReads { /* the texels that a fetch reads */
    unsigned n;
    uint64_t at[TEX_READS];
} TexReads;

typedef struct TexFetch { /* what an instruction asks of one lane */
    bool     whole;       /* coordinates are i, not f */
    float    f[3];
    int32_t  i[3];
    int32_t  layer;
    TexLod   lod_mode;
    float    lod;
    int32_t  whole_lod;
    float    dx[3], dy[3];
    int32_t  offset[3];
    int      gather;      /* component of tld4; -1 = none */
    TexReads *reads;      /* where to note them; NULL: nobody asks */
} TexFetch;

/* Four words as tex.v4.u32/.s32/.f32 gives them. */
void texture_fetch(const TexObject *t, const TexSampler *s, const TexFetch *q, uint32_t out[4]);

unsigned texel_bytes(const TexFormat *f);

#endif
