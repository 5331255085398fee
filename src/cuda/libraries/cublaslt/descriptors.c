/* SPDX-License-Identifier: Apache-2.0
 *
 * Descriptors: made, initialised, asked and told by attribute.  One body for the five kinds, which a table of members each describes. */
#include <stdlib.h>
#include <string.h>

#include "cuda/libraries/cublaslt/cublaslt.h"

typedef struct Member {
    int    attribute;
    size_t offset, bytes;
} Member;

#define MEMBER(kind, number, member) {number, offsetof(kind, member), sizeof((kind *)NULL)->member},
static const Member layouts[] = {
#define LAYOUT(number, member) MEMBER(Layout, number, member)
#include "cuda/libraries/cublaslt/attributes.def"
#undef LAYOUT
};
static const Member descs[] = {
#define DESC(number, member) MEMBER(Desc, number, member)
#include "cuda/libraries/cublaslt/attributes.def"
#undef DESC
};
static const Member preferences[] = {
#define PREFERENCE(number, member) MEMBER(Preference, number, member)
#include "cuda/libraries/cublaslt/attributes.def"
#undef PREFERENCE
};
static const Member emulations[] = {
#define EMULATION(number, member) MEMBER(Emulation, number, member)
#include "cuda/libraries/cublaslt/attributes.def"
#undef EMULATION
};
static const Member transforms[] = {
#define TRANSFORM(number, member) MEMBER(Transform, number, member)
#include "cuda/libraries/cublaslt/attributes.def"
#undef TRANSFORM
};

typedef struct Kind {
    uint32_t      magic;
    size_t        bytes;
    const Member *member;
    size_t        members;
} Kind;

#define KIND(type, list, number)                                                                                       \
    {                                                                                                                  \
        number, sizeof(type), list, sizeof(list) / sizeof *(list)                                                      \
    }
static const Kind layout_kind     = KIND(Layout, layouts, 0x4c74416dU);
static const Kind desc_kind       = KIND(Desc, descs, 0x4c74446dU);
static const Kind preference_kind = KIND(Preference, preferences, 0x4c74506dU);
static const Kind emulation_kind  = KIND(Emulation, emulations, 0x4c74456dU);
static const Kind transform_kind  = KIND(Transform, transforms, 0x4c74546dU);

static bool is(const Kind *k, const void *p)
{
    uint32_t magic = 0;
    if (p)
        memcpy(&magic, p, sizeof magic);
    return magic == k->magic;
}

const Layout *layout_of(const void *p)
{
    return is(&layout_kind, p) ? p : NULL;
}

const Desc *desc_of(const void *p)
{
    return is(&desc_kind, p) ? p : NULL;
}

const Preference *preference_of(const void *p)
{
    return is(&preference_kind, p) ? p : NULL;
}

const Transform *transform_of(const void *p)
{
    return is(&transform_kind, p) ? p : NULL;
}

/* Into memory of `size` bytes. */
static Lt init(const Kind *k, void *p, size_t size, const void *value)
{
    if (!p || size < k->bytes)
        return LT_INVALID_VALUE;
    memset(p, 0, size);
    memcpy(p, value, k->bytes);
    memcpy(p, &k->magic, sizeof k->magic);
    return LT_SUCCESS;
}

static Lt create(const Kind *k, void **out, const void *value)
{
    if (!out)
        return LT_INVALID_VALUE;
    void *p = malloc(k->bytes);
    if (!p)
        return LT_ALLOC_FAILED;
    *out = p;
    return init(k, p, k->bytes, value);
}

static Lt destroy(const Kind *k, void *p)
{
    if (p && !is(k, p))
        return LT_INVALID_VALUE;
    if (p)
        memset(p, 0, sizeof k->magic);
    free(p);
    return LT_SUCCESS;
}

static const Member *member_of(const Kind *k, int attribute)
{
    for (size_t i = 0; i < k->members; i++)
        if (k->member[i].attribute == attribute)
            return &k->member[i];
    return NULL;
}

static Lt set(const Kind *k, void *p, int attribute, const void *from, size_t size)
{
    const Member *m = member_of(k, attribute);
    if (!is(k, p) || !m || !from || size < m->bytes)
        return LT_INVALID_VALUE;
    memcpy((char *)p + m->offset, from, m->bytes);
    return LT_SUCCESS;
}

/* A size of 0 asks how many bytes there are. */
static Lt get(const Kind *k, const void *p, int attribute, void *to, size_t size, size_t *written)
{
    const Member *m = member_of(k, attribute);
    if (!is(k, p) || !m || (size ? !to || size < m->bytes : !written))
        return LT_INVALID_VALUE;
    if (size)
        memcpy(to, (const char *)p + m->offset, m->bytes);
    if (written)
        *written = m->bytes;
    return LT_SUCCESS;
}

#define ATTRIBUTES(name, kind)                                                                                         \
    Lt cublasLt##name##Destroy(void *p)                                                                                \
    {                                                                                                                  \
        return destroy(&kind, p);                                                                                      \
    }                                                                                                                  \
    Lt cublasLt##name##SetAttribute(void *p, int attribute, const void *from, size_t size)                             \
    {                                                                                                                  \
        return set(&kind, p, attribute, from, size);                                                                   \
    }                                                                                                                  \
    Lt cublasLt##name##GetAttribute(const void *p, int attribute, void *to, size_t size, size_t *written)              \
    {                                                                                                                  \
        return get(&kind, p, attribute, to, size, written);                                                            \
    }
ATTRIBUTES(MatrixLayout, layout_kind)
ATTRIBUTES(MatmulDesc, desc_kind)
ATTRIBUTES(MatmulPreference, preference_kind)
ATTRIBUTES(EmulationDesc, emulation_kind)
ATTRIBUTES(MatrixTransformDesc, transform_kind)

/* ---- how each begins ---- */

static Layout new_layout(int type, uint64_t rows, uint64_t columns, int64_t ld)
{
    return (Layout){.type = (uint32_t)type, .count = 1, .rows = rows, .columns = columns, .ld = ld};
}

Lt cublasLtMatrixLayoutInit_internal(void *p, size_t size, int type, uint64_t rows, uint64_t columns, int64_t ld)
{
    const Layout l = new_layout(type, rows, columns, ld);
    return init(&layout_kind, p, size, &l);
}

Lt cublasLtMatrixLayoutCreate(void **out, int type, uint64_t rows, uint64_t columns, int64_t ld)
{
    const Layout l = new_layout(type, rows, columns, ld);
    return create(&layout_kind, out, &l);
}

static Desc new_desc(int compute, int scale)
{
    return (Desc){
        .compute = compute, .scale = scale, .fill = 2 /* full */, .epilogue = 1, .aux_type = -1, .bias_type = -1};
}

Lt cublasLtMatmulDescInit_internal(void *p, size_t size, int compute, int scale)
{
    const Desc d = new_desc(compute, scale);
    return init(&desc_kind, p, size, &d);
}

Lt cublasLtMatmulDescCreate(void **out, int compute, int scale)
{
    const Desc d = new_desc(compute, scale);
    return create(&desc_kind, out, &d);
}

static const Preference new_preference = {
    .reductions = 7, .align_a = 256, .align_b = 256, .align_c = 256, .align_d = 256, .kinds = UINT64_MAX};

Lt cublasLtMatmulPreferenceInit_internal(void *p, size_t size)
{
    return init(&preference_kind, p, size, &new_preference);
}

Lt cublasLtMatmulPreferenceCreate(void **out)
{
    return create(&preference_kind, out, &new_preference);
}

static const Emulation new_emulation = {.special = 0xffff};

Lt cublasLtEmulationDescInit_internal(void *p, size_t size)
{
    return init(&emulation_kind, p, size, &new_emulation);
}

Lt cublasLtEmulationDescCreate(void **out)
{
    return create(&emulation_kind, out, &new_emulation);
}

Lt cublasLtMatrixTransformDescInit_internal(void *p, size_t size, int scale)
{
    return init(&transform_kind, p, size, &(Transform){.scale = scale});
}

Lt cublasLtMatrixTransformDescCreate(void **out, int scale)
{
    return create(&transform_kind, out, &(Transform){.scale = scale});
}

/* ---- matrices by their layouts ---- */

const void *layout_item(const Layout *l, const void *p, int64_t i)
{
    if (l->pointers)
        return ((const void *const *)p)[i];
    return (const char *)p + (l->count > 1 ? i * l->stride : 0) * (int64_t)number_bytes((int)l->type);
}

int64_t layout_index(const Layout *l, int64_t row, int64_t column)
{
    return l->order == ORDER_ROW ? row * l->ld + column : column * l->ld + row;
}

LibrarySpan layout_span(const Layout *l, const void *item, LibraryUse use)
{
    size_t element = number_bytes((int)l->type);
    bool   rows    = l->order == ORDER_ROW;
    return (LibrarySpan){.at     = item,
                         .pitch  = (size_t)l->ld * element,
                         .width  = (size_t)(rows ? l->columns : l->rows) * element,
                         .height = (size_t)(rows ? l->rows : l->columns),
                         .use    = use};
}

Lt layout_check(const Layout *l)
{
    if (!l || l->count < 1 || l->rows > INT32_MAX || l->columns > INT32_MAX || l->ld > INT32_MAX)
        return LT_INVALID_VALUE;
    if (!number_bytes((int)l->type) || l->order > ORDER_ROW || l->order < ORDER_COLUMN || l->plane)
        return LT_NOT_SUPPORTED;
    uint64_t least = l->order == ORDER_ROW ? l->columns : l->rows;
    return l->ld < (int64_t)least || l->ld < 1 ? LT_INVALID_VALUE : LT_SUCCESS;
}
