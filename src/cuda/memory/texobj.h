/* SPDX-License-Identifier: Apache-2.0
 *
 * Texture and surface objects as both interfaces make them: a resource, how it is sampled, and the part of it that is seen. */
#ifndef WW_CUDA_TEXOBJ_H
#define WW_CUDA_TEXOBJ_H

#include "cuda/memory/array.h"

typedef enum ResourceType { RESOURCE_ARRAY, RESOURCE_MIPMAP, RESOURCE_LINEAR, RESOURCE_PITCH } ResourceType; /* numbers of cudaResourceType */

typedef struct Resource {
    ResourceType type;
    Array       *array;
    Mipmap      *mipmap;
    uint64_t     ptr;
    TexFormat    format;               /* linear and pitched memory */
    size_t       bytes, width, height, pitch;
} Resource;

typedef struct View { /* cudaResourceViewDesc and CUDA_RESOURCE_VIEW_DESC; format 0: none given */
    unsigned format;
    size_t   width, height, depth;
    unsigned first_level, last_level, first_layer, last_layer, reserved[16];
} View;
_Static_assert(sizeof(View) == 112, "layout of cudaResourceViewDesc");

typedef struct TexEntry { /* what an object was made from */
    uint64_t   handle;
    TexKind    kind;
    int        device;
    Resource   resource;
    TexSampler sampler;
    bool       viewed;
    unsigned   flags;                /* CU_TRSF_... of the driver interface; of the runtime's: disableTrilinearOptimization */
    View       view;
    struct TexEntry *next;
} TexEntry;

/* Checks e's resource, sampler and view, makes the object on the current device and keeps a copy of *e with its handle. */
CuErr           texobj_new(TexEntry *e);
/* texobj_new with a view (may be NULL), when e was made out; *out: its handle. */
CuErr           texobj_make(uint64_t *out, TexEntry *e, const View *v);
/* What both interfaces' descriptions of a sampler say in the same way; modes and filters that do not exist are refused. */
CuErr           texobj_sampling(TexSampler *s, const int address[3], int filter, int mip_filter, const float border[4]);
CuErr           texobj_view(View *out, uint64_t handle);
/* A handle of no object is left alone, as by the driver. */
void            texobj_destroy(uint64_t handle, TexKind kind);
/* The program is about to destroy it, which it may not while work uses the object. */
void            texobj_unbound(uint64_t handle, TexKind kind);
/* NULL: there is none. */
const TexEntry *texobj_find(uint64_t handle, TexKind kind);

/* The format of a resource's texels. */
const TexFormat *resource_format(const Resource *r);

/* The most texels of a one-dimensional texture over plain memory. */
uint64_t texobj_linear_width(const TexFormat *f);

enum { TEXTURE_ALIGN = 512, PITCH_ALIGN = 32 };

#endif
