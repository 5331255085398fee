/* SPDX-License-Identifier: Apache-2.0
 *
 * Boxes of tensors.  A box is walked row by row: a row is the elements of the innermost dimension (im2col: the channels of a pixel), which lie side by side
 * in global and in shared memory.  Rows stand in shared memory one after the other.
 *
 *   tiled    dimension i > 0 contributes ceil(box / element stride) places, element stride apart; the innermost one has no element stride
 *   im2col   dimensions are C, then one to three spatial ones, then N.  The walk begins at the base pixel the instruction names, steps by the element
 *            strides through the box of base pixels (lower corner to dimension - 1 + upper corner), first W, then H, D, N; each pixel is read at base + offset
 *
 * What lies outside of the tensor reads as the fill value and is not written. */
#include "emu/tensor.h"

#include <string.h>

#include "emu/atom.h"

typedef struct Row { /* count elements from element (at[0], at[1], ...) */
    int64_t  at[TENSOR_DIMS];
    uint32_t count;
} Row;

static uint64_t dim_of(const TensorMap *m, unsigned i)
{
    return (uint64_t)m->dim_less_1[i] + 1;
}

static uint32_t places(const TensorMap *m, unsigned i)
{
    return i == 0 ? m->box[0] : (m->box[i] + m->element_stride[i] - 1u) / m->element_stride[i];
}

static uint32_t rows_of(const TensorMap *m)
{
    uint32_t n = 1;
    if (m->im2col)
        return m->pixels;
    for (unsigned i = 1; i < m->rank; i++)
        n *= places(m, i);
    return n;
}

static uint32_t row_bytes(const TensorMap *m)
{
    return (m->im2col ? m->channels : m->box[0]) * tensormap_element_bytes(m);
}

uint32_t tensor_box_bytes(const TensorMap *m)
{
    return rows_of(m) * row_bytes(m);
}

bool tensor_is_narrow(const TensorMap *m)
{
    static const uint32_t span[SWIZZLE_COUNT] = {0, 32, 64, 128};
    return row_bytes(m) < span[m->swizzle];
}

/* ---- walking ---- */

typedef struct Walk {
    const TensorBox *b;
    int64_t          base[TENSOR_DIMS]; /* im2col: the base pixel */
    uint32_t         index[TENSOR_DIMS];
    Row              row;
} Walk;

static void begin(Walk *w, const TensorBox *b)
{
    *w = (Walk){.b = b};
    for (unsigned i = 0; i < b->map.rank; i++)
        w->base[i] = b->start[i];
    w->row.count = b->map.im2col ? b->map.channels : b->map.box[0];
}

/* The row that the walk stands at. */
static const Row *current(Walk *w)
{
    const TensorMap *m = &w->b->map;
    for (unsigned i = 0; i < m->rank; i++) {
        w->row.at[i] = w->base[i];
        if (!m->im2col && i > 0)
            w->row.at[i] += (int64_t)w->index[i] * m->element_stride[i];
        if (m->im2col && i > 0 && i + 1 < m->rank)
            w->row.at[i] += w->b->offset[i - 1];
    }
    return &w->row;
}

static void next_tiled(Walk *w)
{
    const TensorMap *m = &w->b->map;
    for (unsigned i = 1; i < m->rank; i++) {
        if (++w->index[i] < places(m, i))
            return;
        w->index[i] = 0;
    }
}

static void next_pixel(Walk *w)
{
    const TensorMap *m = &w->b->map;
    for (unsigned i = 1; i + 1 < m->rank; i++) {
        w->base[i] += m->element_stride[i];
        if (w->base[i] <= (int64_t)m->dim_less_1[i] + m->upper[i - 1])
            return;
        w->base[i] = m->lower[i - 1];
    }
    w->base[m->rank - 1]++;
}

static void next(Walk *w)
{
    if (w->b->map.im2col)
        next_pixel(w);
    else
        next_tiled(w);
}

/* Elements [*first, *end) of the row are inside the tensor, and the first of them lies at the address; false: none is. */
static bool inside(const TensorMap *m, const Row *r, uint32_t *first, uint32_t *end, uint64_t *address)
{
    *address = m->address;
    for (unsigned i = 1; i < m->rank; i++) {
        if (r->at[i] < 0 || (uint64_t)r->at[i] >= dim_of(m, i))
            return false;
        *address += (uint64_t)r->at[i] * m->stride[i - 1];
    }
    int64_t left = r->at[0] < 0 ? -r->at[0] : 0, right = (int64_t)dim_of(m, 0) - r->at[0];
    *first = left < r->count ? (uint32_t)left : r->count;
    *end   = right < 0 ? 0 : right < r->count ? (uint32_t)right : r->count;
    *address += (uint64_t)(r->at[0] + *first) * tensormap_element_bytes(m);
    return *first < *end;
}

static bool is_allocated(Memory *mem, uint64_t address, uint64_t bytes)
{
    Alloc        tmp;
    const Alloc *a = memory_find(mem, address, &tmp);
    return a && address + bytes <= a->base + a->bytes;
}

/* ---- elements ---- */

/* n elements of the fill value: zeros, or the NaN that an H200 gives f32 elements, 16 bits again and again. */
static void fill(const TensorMap *m, uint8_t *to, uint32_t n)
{
    static const uint16_t nan   = 0x7ff7;
    size_t                bytes = (size_t)n * tensormap_element_bytes(m);
    if (m->fill == FILL_ZEROS)
        memset(to, 0, bytes);
    else
        for (size_t i = 0; i < bytes; i += sizeof nan)
            memcpy(to + i, &nan, sizeof nan);
}

/* Would a load change the elements in a way that is not known?  TFLOAT32 rounds to 10 bits of mantissa, the FTZ types flush subnormal numbers. */
static bool converts(const TensorMap *m, const uint8_t *data, uint32_t n)
{
    bool tf32 = m->type == TENSOR_TFLOAT32 || m->type == TENSOR_TFLOAT32_FTZ,
         ftz  = m->type == TENSOR_FLOAT32_FTZ || m->type == TENSOR_TFLOAT32_FTZ;
    for (uint32_t i = 0; (tf32 || ftz) && i < n; i++) {
        uint32_t x;
        memcpy(&x, data + 4u * i, 4);
        if ((tf32 && (x & 0x1fff)) || (ftz && (x & 0x7f800000) == 0 && (x & 0x7fffff)))
            return true;
    }
    return false;
}

bool tensor_gather(const TensorBox *b, Memory *mem, uint8_t *data, uint64_t *bad, uint64_t *bytes)
{
    const TensorMap *m    = &b->map;
    unsigned         size = tensormap_element_bytes(m);
    uint32_t         rows = rows_of(m), width = row_bytes(m), first, end;
    Walk             w;
    uint64_t         from;
    begin(&w, b);
    for (uint32_t i = 0; i < rows; i++, next(&w)) {
        uint8_t   *to = data + (size_t)i * width;
        const Row *r  = current(&w);
        if (!inside(m, r, &first, &end, &from)) {
            fill(m, to, r->count);
            continue;
        }
        *bytes = (uint64_t)(end - first) * size;
        if (!is_allocated(mem, from, *bytes)) {
            *bad = from;
            return false;
        }
        fill(m, to, first);
        memcpy(to + (size_t)first * size, (const void *)(uintptr_t)from, *bytes);
        if (converts(m, to + (size_t)first * size, end - first)) {
            *bad = 0;
            return false;
        }
        fill(m, to + (size_t)end * size, r->count - end);
    }
    return true;
}

bool tensor_scatter(const TensorBox *b, Memory *mem, const uint8_t *data, TensorReduction red, uint64_t *bad,
                    uint64_t *bytes)
{
    const TensorMap *m    = &b->map;
    unsigned         size = tensormap_element_bytes(m);
    uint32_t         rows = rows_of(m), width = row_bytes(m), first, end;
    Walk             w;
    uint64_t         to;
    begin(&w, b);
    for (uint32_t i = 0; i < rows; i++, next(&w)) {
        const Row     *r    = current(&w);
        const uint8_t *from = data + (size_t)i * width;
        if (!inside(m, r, &first, &end, &to))
            continue;
        *bytes = (uint64_t)(end - first) * size;
        if (!is_allocated(mem, to, *bytes)) {
            *bad = to;
            return false;
        }
        from += (size_t)first * size;
        if (red.on)
            atom_many((uint8_t *)(uintptr_t)to, from, end - first, red.op, red.type);
        else
            memcpy((void *)(uintptr_t)to, from, *bytes);
    }
    return true;
}
