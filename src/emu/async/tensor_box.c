/* SPDX-License-Identifier: Apache-2.0
 *
 * Boxes of tensors.  A box is walked row by row: a row is the elements of the innermost dimension (im2col: the channels of a pixel), which
 * lie side by side in global and in shared memory.  Rows stand in shared memory one after the other, a swizzle's span apart where they are
 * shorter than that.
 *
 *   tiled        dimension i > 0 contributes ceil(box / element stride) places, element stride apart; the innermost one only of interleaved
 *                tensors
 *   im2col       dimensions are C, then one to three spatial ones, then N.  The walk begins at the base pixel the instruction names, steps
 *                by the element strides through the box of base pixels (lower corner to dimension - 1 + upper corner), first W, then H, D,
 *                N; each pixel is read at base + offset
 *   interleaved  dimensions are W, H, D, the slice of channels, N: an element of the innermost one is a pixel's slice, 16 or 32 bytes,
 *                whatever the type, and a box has one slice.  im2col: a row is one pixel
 *
 * What lies outside of the tensor reads as the fill value and is not written, but for the rest of a row's last 16 bytes.  Loads round
 * TFLOAT32 elements; nothing is flushed.  A store may not begin before the tensor, nor may a box of base pixels reach beyond it.  All this
 * is read off an H200 (tests/tensor). */
#include "emu/async/tensor_box.h"

#include <string.h>

#include "base/arena.h"
#include "emu/access/atom.h"

enum { STORE_UNIT = 16 }; /* bytes that are written as one */

typedef struct Row { /* count elements from element (at[0], at[1], ...) */
    int64_t  at[TENSOR_DIMS];
    uint32_t count;
} Row;

static uint64_t dim_of(const TensorMap *m, unsigned i)
{
    return (uint64_t)m->dim_less_1[i] + 1;
}

static bool interleaved(const TensorMap *m)
{
    return m->interleave != INTERLEAVE_NONE;
}

/* Bytes of an element of the innermost dimension. */
static unsigned unit_bytes(const TensorMap *m)
{
    return m->interleave == INTERLEAVE_16B ? 16 : m->interleave == INTERLEAVE_32B ? 32 : tensormap_element_bytes(m);
}

/* im2col: the first spatial dimension, and the one behind the last. */
static unsigned first_spatial(const TensorMap *m)
{
    return interleaved(m) ? 0 : 1;
}

static unsigned end_spatial(const TensorMap *m)
{
    return first_spatial(m) + m->rank - 2u;
}

/* Tiled: the first dimension that the walk steps through, rather than a row. */
static unsigned first_walked(const TensorMap *m)
{
    return interleaved(m) && m->element_stride[0] > 1 ? 0 : 1;
}

static uint32_t places(const TensorMap *m, unsigned i)
{
    if (interleaved(m) && i + 2 == m->rank)
        return 1;
    return (m->box[i] + m->element_stride[i] - 1u) / m->element_stride[i];
}

static uint32_t row_elements(const TensorMap *m)
{
    if (m->im2col)
        return interleaved(m) ? 1 : m->channels;
    return first_walked(m) ? m->box[0] : 1;
}

static uint32_t rows_of(const TensorMap *m)
{
    uint32_t n = 1;
    if (m->im2col)
        return m->pixels;
    for (unsigned i = first_walked(m); i < m->rank; i++)
        n *= places(m, i);
    return n;
}

static uint32_t row_bytes(const TensorMap *m)
{
    return row_elements(m) * unit_bytes(m);
}

uint32_t tensor_box_bytes(const TensorMap *m)
{
    return rows_of(m) * row_bytes(m);
}

void tensor_rows(const TensorMap *m, uint32_t *row, uint32_t *pitch)
{
    static const uint32_t span[SWIZZLE_COUNT] = {0, 32, 64, 128};
    *row                                      = row_bytes(m);
    *pitch                                    = !interleaved(m) && *row < span[m->swizzle] ? span[m->swizzle] : *row;
}

const char *tensor_bad_store(const TensorBox *b)
{
    const TensorMap *m = &b->map;
    for (unsigned i = 0; i < m->rank; i++)
        if (b->start[i] < 0)
            return "a box that is written must not begin before the tensor";
    for (unsigned i = 0; m->im2col && i + 2 < m->rank; i++)
        if (m->lower[i] < 0 || m->upper[i] > 0)
            return "a box of base pixels that is written must lie in the tensor";
    return NULL;
}

bool tensor_base_inside(const TensorBox *b, unsigned *which)
{
    const TensorMap *m     = &b->map;
    unsigned         first = first_spatial(m);
    for (unsigned i = first; m->im2col && i < end_spatial(m); i++)
        if (b->start[i] < m->lower[i - first] || b->start[i] > (int64_t)m->dim_less_1[i] + m->upper[i - first]) {
            *which = i;
            return false;
        }
    return true;
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
    w->row.count = row_elements(&b->map);
}

/* The row that the walk stands at. */
static const Row *current(Walk *w)
{
    const TensorMap *m = &w->b->map;
    for (unsigned i = 0; i < m->rank; i++) {
        w->row.at[i] = w->base[i];
        if (!m->im2col && i >= first_walked(m))
            w->row.at[i] += (int64_t)w->index[i] * m->element_stride[i];
        if (m->im2col && i >= first_spatial(m) && i < end_spatial(m))
            w->row.at[i] += w->b->offset[i - first_spatial(m)];
    }
    return &w->row;
}

static void next_tiled(Walk *w)
{
    const TensorMap *m = &w->b->map;
    for (unsigned i = first_walked(m); i < m->rank; i++) {
        if (++w->index[i] < places(m, i))
            return;
        w->index[i] = 0;
    }
}

static void next_pixel(Walk *w)
{
    const TensorMap *m     = &w->b->map;
    unsigned         first = first_spatial(m);
    for (unsigned i = first; i < end_spatial(m); i++) {
        w->base[i] += m->element_stride[i];
        if (w->base[i] <= (int64_t)m->dim_less_1[i] + m->upper[i - first])
            return;
        w->base[i] = m->lower[i - first];
    }
    w->base[m->rank - 1] += m->element_stride[m->rank - 1];
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
    *address += (uint64_t)(r->at[0] + *first) * unit_bytes(m);
    return *first < *end;
}

static bool is_allocated(Memory *mem, uint64_t address, uint64_t bytes)
{
    Alloc        tmp;
    const Alloc *a = memory_find(mem, address, &tmp);
    return a && address + bytes <= a->base + a->bytes;
}

/* ---- elements ---- */

/* n elements of the fill value: zeros, or the NaN that an H200 gives, 16 bits again and again. */
static void fill(const TensorMap *m, uint8_t *to, uint32_t n)
{
    static const uint16_t nan   = 0x7ff7;
    size_t                bytes = (size_t)n * unit_bytes(m);
    if (m->fill == FILL_ZEROS)
        memset(to, 0, bytes);
    else
        for (size_t i = 0; i < bytes; i += sizeof nan)
            memcpy(to + i, &nan, sizeof nan);
}

/* What a load makes of elements: TFLOAT32 is rounded to nearest even, to 10 bits of mantissa; every NaN becomes one. */
static void convert(const TensorMap *m, uint8_t *data, uint64_t bytes)
{
    if (m->type != TENSOR_TFLOAT32 && m->type != TENSOR_TFLOAT32_FTZ)
        return;
    for (uint64_t i = 0; i < bytes; i += 4) {
        uint32_t x;
        memcpy(&x, data + i, 4);
        x = (x & 0x7fffffff) > 0x7f800000 ? 0x7fffe000 : (x + 0xfff + (x >> 13 & 1)) & ~UINT32_C(0x1fff);
        memcpy(data + i, &x, 4);
    }
}

bool tensor_gather(const TensorBox *b, Memory *mem, uint8_t *data, uint64_t *bad, uint64_t *bytes)
{
    const TensorMap *m    = &b->map;
    unsigned         size = unit_bytes(m);
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
        convert(m, to + (size_t)first * size, *bytes);
        fill(m, to + (size_t)end * size, r->count - end);
    }
    return true;
}

bool tensor_scatter(const TensorBox *b, Memory *mem, const uint8_t *data, TensorReduction red, uint64_t *bad,
                    uint64_t *bytes)
{
    const TensorMap *m    = &b->map;
    unsigned         size = unit_bytes(m);
    uint32_t         rows = rows_of(m), width = row_bytes(m), first, end;
    Walk             w;
    uint64_t         to;
    begin(&w, b);
    for (uint32_t i = 0; i < rows; i++, next(&w)) {
        const Row     *r    = current(&w);
        const uint8_t *from = data + (size_t)i * width;
        if (!inside(m, r, &first, &end, &to))
            continue;
        *bytes         = (uint64_t)(end - first) * size;
        uint64_t whole = (*bytes + STORE_UNIT - 1) / STORE_UNIT * STORE_UNIT;
        if (whole <= (uint64_t)(r->count - first) * size && is_allocated(mem, to, whole))
            *bytes = whole;
        if (!is_allocated(mem, to, *bytes)) {
            *bad = to;
            return false;
        }
        from += (size_t)first * size;
        if (red.on)
            atom_many((uint8_t *)(uintptr_t)to, from, (uint32_t)(*bytes / type_bytes(red.type)), red.op, red.type);
        else
            memcpy((void *)(uintptr_t)to, from, *bytes);
    }
    return true;
}

size_t tensor_runs(const TensorBox *b, AsyncRun **run)
{
    const TensorMap *m    = &b->map;
    uint32_t         rows = rows_of(m), first, end;
    AsyncRun        *r    = xmalloc((rows + 1u) * sizeof *r);
    size_t           n    = 0;
    uint64_t         at;
    Walk             w;
    begin(&w, b);
    for (uint32_t i = 0; i < rows; i++, next(&w)) {
        if (!inside(m, current(&w), &first, &end, &at))
            continue;
        uint32_t bytes = (end - first) * tensormap_element_bytes(m);
        if (n && r[n - 1].at + r[n - 1].bytes == at)
            r[n - 1].bytes += bytes;
        else
            r[n++] = (AsyncRun){at, bytes};
    }
    *run = r;
    return n;
}
