/* SPDX-License-Identifier: Apache-2.0
 *
 * CUDA arrays and mipmapped arrays, for both interfaces: handles, formats, and copies that may have an array at either end.
 * An array is rows of texels, one slice behind the other, in device memory of its own that no pointer leads to. */
#ifndef WW_CUDA_ARRAY_H
#define WW_CUDA_ARRAY_H

#include "cuda/memory/devmem.h"
#include "emu/texture/texture.h"

enum {
    ARRAY_LAYERED  = 0x01,
    ARRAY_SURFACE  = 0x02,
    ARRAY_CUBEMAP  = 0x04,
    ARRAY_GATHER   = 0x08,
    ARRAY_DEPTH    = 0x10, /* driver only */
    ARRAY_COLOR    = 0x20,
    ARRAY_SPARSE   = 0x40,
    ARRAY_DEFERRED = 0x80,
    ARRAY_VIDEO    = 0x100
};

typedef struct Mipmap Mipmap;
typedef struct Array { /* cudaArray_t and CUarray point here */
    int         device;
    Extent      extent;   /* as asked for: 0 where it has no such dimension */
    unsigned    flags;
    TexFormat   format;
    uint64_t    base;
    size_t      pitch, slice; /* bytes */
    Mipmap     *mipmap;   /* whose level it is, or NULL */
    Caller      caller;   /* who made it; only where something is checked */
    const void *context;  /* that was current then */
    struct Array *next;
} Array;

struct Mipmap {
    int      device;
    unsigned nlevels;
    uint64_t base, bytes;
    Array   *level[TEX_LEVELS];
    Mipmap  *next;
};

CuErr   array_new(Array **out, const TexFormat *f, Extent e, unsigned flags);
CuErr   array_free(Array *a);
/* The one behind a (NULL: the first), or NULL. */
const Array *array_next(const Array *a);
/* The handle's array; NULL: there is none. */
Array  *array_of(void *handle);
CuErr   mipmap_new(Mipmap **out, const TexFormat *f, Extent e, unsigned nlevels, unsigned flags);
CuErr   mipmap_free(Mipmap *m);
Mipmap *mipmap_of(void *handle);
/* Frees all of a device, and says how much they take. */
void    array_drop_device(int n);
size_t  array_used(int n);

/* Dimensions with 1 where the array has none. */
Extent  array_size(const Array *a);

bool        format_of_channels(const ChannelDesc *d, TexFormat *f);
ChannelDesc format_channels(const TexFormat *f);
/* CU_AD_FORMAT_... and number of channels */
bool        format_of_driver(unsigned format, unsigned channels, TexFormat *f);
unsigned    format_driver(const TexFormat *f);

/* One end of a copy: an array, or rows at an address.  x in bytes. */
typedef struct CopyEnd {
    Array   *array;
    void    *ptr;
    size_t   pitch, height; /* rows from one slice to the next */
    size_t   x, y, z;
} CopyEnd;

/* width in bytes.  Makes *out, or says what does not fit: cudaErrorInvalidValue, cudaErrorInvalidPitchValue. */
CuErr array_copy_node(const CopyEnd *dst, const CopyEnd *src, size_t width, size_t height, size_t depth, int kind, NodeCopy *out);
/* cudaMemcpy3DParms as a node. */
CuErr array_copy_parms(const CopyParms3D *c, NodeCopy *out);

#endif
