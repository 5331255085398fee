/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensor maps changed by kernels: tensormap.replace, and the copy from shared to global memory that makes the change visible.
 * The result is checked field by field, not as a whole: a map whose fields do not go together is found when a copy uses it. */
#include <string.h>

#include "emu/access/access.h"
#include "emu/async/bulk.h"
#include "emu/async/tensormap_proxy.h"
#include "emu/core/ctl.h"
#include "emu/core/fault.h"

/* PTX numbers the element types otherwise than the driver does: .f32.ftz stands before .f64. */
static const uint8_t element_types[] = {TENSOR_UINT8,       TENSOR_UINT16,  TENSOR_UINT32,   TENSOR_INT32,
                                        TENSOR_UINT64,      TENSOR_INT64,   TENSOR_FLOAT16,  TENSOR_FLOAT32,
                                        TENSOR_FLOAT32_FTZ, TENSOR_FLOAT64, TENSOR_BFLOAT16, TENSOR_TFLOAT32,
                                        TENSOR_TFLOAT32_FTZ};

static bool below(uint64_t value, unsigned count, uint8_t *field)
{
    if (value >= count)
        return false;
    *field = (uint8_t)value;
    return true;
}

/* A new value of one field; false: it cannot have that value.  in_16: strides are given in units of 16 bytes (before PTX 8.5). */
static bool replace(TensorMap *m, Word field, unsigned i, uint64_t value, bool in_16)
{
    switch (field) {
    case WORD_global_address: m->address = value; return true;
    case WORD_rank: m->rank = (uint8_t)(value + 1); return value < TENSOR_DIMS;
    case WORD_box_dim: m->box[i] = (uint16_t)value; return value >= 1 && value <= 256;
    case WORD_global_dim: m->dim_less_1[i] = (uint32_t)(value - 1); return true;
    case WORD_global_stride:
        m->stride[i] = in_16 ? value * 16 : value;
        return i < TENSOR_DIMS - 1 && m->stride[i] % 16 == 0;
    case WORD_element_stride: m->element_stride[i] = (uint8_t)value; return value >= 1 && value <= 8;
    case WORD_elemtype:
        if (value < sizeof element_types)
            m->type = element_types[value];
        return value < sizeof element_types;
    case WORD_interleave_layout: return below(value, INTERLEAVE_COUNT, &m->interleave);
    case WORD_swizzle_mode: return below(value, SWIZZLE_COUNT, &m->swizzle);
    case WORD_fill_mode: return below(value, FILL_COUNT, &m->fill);
    default: return false;
    }
}

/* 128 zero bytes are a map too, of one element: kernels make maps of their own so.  false: they are neither that nor a map. */
static bool take_map(const uint8_t *p, TensorMap *m)
{
    static const uint8_t zeros[TENSOR_MAP_BYTES];
    memcpy(m, p, sizeof *m);
    if (m->magic == TENSOR_MAP_MAGIC)
        return true;
    if (memcmp(p, zeros, sizeof zeros) != 0)
        return false;
    *m = (TensorMap){.magic = TENSOR_MAP_MAGIC, .rank = 1};
    for (unsigned i = 0; i < TENSOR_DIMS; i++)
        m->box[i] = m->element_stride[i] = 1;
    return true;
}

/* n: the dimension; x: the field's Word; y: strides in units of 16 bytes */
const Uop *ctl_tensormap_replace(Warp *w, const Uop *u)
{
    bool     wide = u->x == WORD_global_address || u->x == WORD_global_stride;
    uint8_t *p[LANES];
    MemInfo  second = *(const MemInfo *)u->ptr;
    second.offset += TENSOR_MAP_ALIGN;
    if (!access_resolve(w, u, &second, false, p) || !access_resolve(w, u, u->ptr, false, p))
        return STOP;
    for (uint32_t left = w->mask; left; left &= left - 1) {
        unsigned  i     = (unsigned)__builtin_ctz(left);
        uint64_t  value = wide ? SLOT(w, uint64_t, u->b)[i] : SLOT(w, uint32_t, u->b)[i];
        TensorMap m;
        if (!take_map(p[i], &m))
            return fault_raise(w, u, FAULT_TENSOR_MAP, i, left,
                               "tensormap.replace in 128 bytes that are neither a tensor map nor all zero");
        if (m.im2col || u->n >= TENSOR_DIMS || !replace(&m, (Word)u->x, u->n, value, u->y))
            return fault_raise(w, u, FAULT_TENSOR_MAP, i, left, "tensormap.replace: %s[%u] cannot be %llu",
                               word_text((Word)u->x), u->n, (unsigned long long)value);
        tensormap_changes(w, (uint64_t)(uintptr_t)p[i]);
        memcpy(p[i], &m, sizeof m);
    }
    return u + 1;
}

const Uop *ctl_tensormap_copy(Warp *w, const Uop *u)
{
    const BulkInfo *c = u->ptr;
    uint8_t        *to[LANES], *from[LANES];
    Uop             side = *u;
    side.a               = u->b;
    if (!access_resolve(w, u, &c->dst, false, to) || !access_resolve(w, &side, &c->src, false, from))
        return STOP;
    for (uint32_t left = w->mask; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        if (SLOT(w, uint32_t, c->size)[i] != TENSOR_MAP_BYTES)
            return fault_raise(w, u, FAULT_TENSOR_MAP, i, left, "a tensor map has 128 bytes, not %u",
                               SLOT(w, uint32_t, c->size)[i]);
        tensormap_changes(w, (uint64_t)(uintptr_t)to[i]);
        memcpy(to[i], from[i], TENSOR_MAP_BYTES);
        tensormap_released(w, (uint64_t)(uintptr_t)to[i]);
    }
    return u + 1;
}
