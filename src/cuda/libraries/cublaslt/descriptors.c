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

/* The type of a plane's elements. */
static int plane_type(int type)
{
    static const struct {
        int complex, part;
    } types[] = {{C_32F, R_32F}, {C_64F, R_64F}, {C_16F, R_16F}, {C_16BF, R_16BF}, {C_8I, R_8I}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].complex == type)
            return types[i].part;
    return -1;
}

/* Of what index and stride count. */
static int element_type(const Layout *l)
{
    return l->plane ? plane_type((int)l->type) : (int)l->type;
}

bool layout_is_complex(const Layout *l)
{
    return plane_type((int)l->type) >= 0;
}

const void *layout_item(const Layout *l, const void *p, int64_t i)
{
    if (l->pointers)
        return ((const void *const *)p)[i];
    return (const char *)p + (l->count > 1 ? i * l->stride : 0) * (int64_t)number_bytes(element_type(l));
}

/* Rows of a tile; 0: the order has none. */
static int64_t tile_rows(const Layout *l)
{
    static const int8_t rows[ORDERS] = {[ORDER_COL32] = 1, [ORDER_COL4_4R2_8C] = 8, [ORDER_COL32_2R_4R4] = 32};
    return l->order >= 0 && l->order < ORDERS ? rows[l->order] : 0;
}

/* Elements that 32 columns take. */
static int64_t group_size(const Layout *l)
{
    int64_t rows = tile_rows(l);
    return ((int64_t)l->rows + rows - 1) / rows * rows * 32;
}

/*   COL4_4R2_8C, 256 elements:  odd row | column / 8 | second four | row / 2 | column % 4
 *   COL32_2R_4R4, 1024:         row % 8 / 2 | row / 8 | odd row | column */
static int64_t in_tile(int order, int64_t row, int64_t column)
{
    if (order == ORDER_COL4_4R2_8C)
        return (row & 1) * 128 + column / 8 * 32 + (column / 4 & 1) * 16 + row / 2 * 4 + column % 4;
    return order == ORDER_COL32_2R_4R4 ? ((row % 8 / 2 * 4 + row / 8) * 2 + row % 2) * 32 + column : column;
}

int64_t layout_index(const Layout *l, int64_t row, int64_t column)
{
    int64_t rows = tile_rows(l);
    if (!rows)
        return l->order == ORDER_ROW ? row * l->ld + column : column * l->ld + row;
    return column / 32 * l->ld + row / rows * rows * 32 + in_tile(l->order, row % rows, column % 32);
}

Number layout_at(const Layout *l, const void *item, int64_t row, int64_t column)
{
    int64_t at = layout_index(l, row, column);
    if (!l->plane)
        return number_at((int)l->type, item, at);
    return (Number){number_at(element_type(l), item, at).re,
                    number_at(element_type(l), (const char *)item + l->plane, at).re};
}

void layout_put(const Layout *l, void *item, int64_t row, int64_t column, Number x)
{
    int64_t at = layout_index(l, row, column);
    number_put(element_type(l), item, at, x);
    if (l->plane)
        number_put(element_type(l), (char *)item + l->plane, at, (Number){x.im, 0});
}

unsigned layout_spans(const Layout *l, const void *item, LibraryUse use, LibrarySpan out[2])
{
    int64_t     tile = tile_rows(l);
    bool        rows = l->order == ORDER_ROW, part = tile && (l->columns % 32 || (int64_t)l->rows % tile);
    size_t      e = number_bytes(element_type(l));
    LibrarySpan s = {.at    = item,
                     .pitch = (size_t)l->ld * e,
                     .width = (tile   ? (size_t)group_size(l)
                               : rows ? l->columns
                                      : l->rows) *
                              e,
                     .height = tile   ? (l->columns + 31) / 32
                               : rows ? l->rows
                                      : l->columns,
                     .use    = part && use == LIBRARY_READS ? LIBRARY_HOLDS : use};
    out[0]        = s;
    s.at          = (const char *)item + l->plane;
    if (l->plane)
        out[1] = s;
    return l->plane ? 2 : 1;
}

Lt layout_check(const Layout *l)
{
    if (!l || l->count < 1 || l->rows > INT32_MAX || l->columns > INT32_MAX || l->ld > INT32_MAX)
        return LT_INVALID_VALUE;
    if (!number_bytes(element_type(l)) || l->order < ORDER_COLUMN || l->order >= ORDERS)
        return LT_NOT_SUPPORTED;
    int64_t least = tile_rows(l) ? group_size(l) : (int64_t)(l->order == ORDER_ROW ? l->columns : l->rows);
    return l->ld < least || l->ld < 1 ? LT_INVALID_VALUE : LT_SUCCESS;
}
