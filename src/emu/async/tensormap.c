/* SPDX-License-Identifier: Apache-2.0
 *
 * Making tensor maps: the rules of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col as the driver of CUDA 13.0 applies them on an
 * H200: where its documentation asks for more (32-byte interleave with 32-byte swizzle only), it does not.  Types that only sm_100
 * has (16U4, 16U6) are refused. */
#include "emu/async/tensormap.h"

#include <string.h>

static const struct {
    uint8_t bytes;
    Type    reduction;
} types[TENSOR_TYPE_COUNT] = {
#define X(name, bytes, type) {bytes, TY_##type},
    TENSOR_TYPES(X)
#undef X
};

enum { MAX_BOX = 256, MAX_ELEMENT_STRIDE = 8, MAX_CHANNELS = 256, MAX_PIXELS = 1024 };
static const uint64_t MAX_DIM = UINT64_C(1) << 32, MAX_STRIDE = UINT64_C(1) << 40;

unsigned tensormap_element_bytes(const TensorMap *m)
{
    return types[m->type].bytes;
}

Type tensormap_reduction_type(const TensorMap *m)
{
    return types[m->type].reduction;
}

static const char *bad_address(uint32_t interleave, uint64_t address)
{
    if (address % 16)
        return "the tensor's address must be a multiple of 16";
    if (interleave == INTERLEAVE_32B && address % 32)
        return "the tensor's address must be a multiple of 32 with 32-byte interleave";
    return NULL;
}

static const char *bad_tensor(const TensorMapAsk *a)
{
    uint64_t unit = a->interleave == INTERLEAVE_32B ? 32 : 16;
    if (a->type >= TENSOR_TYPE_COUNT)
        return "no element type of sm_90";
    if (a->interleave >= INTERLEAVE_COUNT || a->swizzle >= SWIZZLE_COUNT || a->l2_promotion >= L2_PROMOTIONS ||
        a->fill >= FILL_COUNT)
        return "interleave, swizzle, L2 promotion or fill has no such value";
    if (a->rank < 1 || a->rank > TENSOR_DIMS)
        return "a tensor has 1 to 5 dimensions";
    if (a->interleave != INTERLEAVE_NONE && a->rank < 3)
        return "an interleaved tensor has at least 3 dimensions";
    if (!a->dim || !a->element_stride || !a->stride)
        return "a null pointer";
    const char *why = bad_address(a->interleave, a->address);
    for (uint32_t i = 0; i < a->rank && !why; i++) {
        if (a->dim[i] == 0 || a->dim[i] > MAX_DIM)
            why = "a dimension must have 1 to 2^32 elements";
        else if (a->element_stride[i] == 0 || a->element_stride[i] > MAX_ELEMENT_STRIDE)
            why = "an element stride must be 1 to 8";
        else if (i + 1 < a->rank && (a->stride[i] % unit || a->stride[i] >= MAX_STRIDE))
            why = unit == 32 ? "a stride must be a multiple of 32 bytes with 32-byte interleave, below 2^40"
                             : "a stride must be a multiple of 16 bytes below 2^40";
    }
    return why;
}

static const char *bad_layout(const TensorMapAsk *a, uint64_t inner_bytes)
{
    static const unsigned span[SWIZZLE_COUNT] = {UINT32_MAX, 32, 64, 128};
    bool                  is_float            = a->type >= TENSOR_FLOAT16;
    if (inner_bytes % 16)
        return "the box's inner dimension must be a multiple of 16 bytes";
    if (a->interleave == INTERLEAVE_NONE && inner_bytes > span[a->swizzle])
        return "the box's inner dimension must not be longer than the swizzle's span";
    if (a->fill == FILL_NAN && !is_float)
        return "only floating-point tensors can be filled with NaN";
    return NULL;
}

static const char *bad_box(const TensorMapAsk *a)
{
    if (!a->box)
        return "a null pointer";
    for (uint32_t i = 0; i < a->rank; i++)
        if (a->box[i] == 0 || a->box[i] > MAX_BOX)
            return "a box must have 1 to 256 elements in each dimension";
    return bad_layout(a, (uint64_t)a->box[0] * types[a->type].bytes);
}

static const char *bad_im2col(const TensorMapAsk *a)
{
    static const int most[3] = {1 << 15, 1 << 7, 1 << 4}; /* by the number of spatial dimensions */
    if (a->rank < 3)
        return "an im2col tensor has 3 to 5 dimensions";
    if (!a->lower || !a->upper)
        return "a null pointer";
    for (uint32_t i = 0; i + 2 < a->rank; i++) {
        int limit = most[a->rank - 3];
        if (a->lower[i] < -limit || a->lower[i] >= limit || a->upper[i] < -limit || a->upper[i] >= limit)
            return "a corner of the pixel box is out of range";
        if ((int64_t)(int32_t)a->dim[i + 1] + a->upper[i] - a->lower[i] <= 0) /* the driver counts with 32 bits */
            return "the pixel box has no area";
    }
    if (a->channels == 0 || a->channels > MAX_CHANNELS)
        return "a box must have 1 to 256 channels a pixel";
    if (a->pixels == 0 || a->pixels > MAX_PIXELS)
        return "a box must have 1 to 1024 pixels a column";
    return bad_layout(a, (uint64_t)a->channels * types[a->type].bytes);
}

const char *tensormap_encode(const TensorMapAsk *a, TensorMap *out)
{
    const char *why = bad_tensor(a);
    if (!why)
        why = a->im2col ? bad_im2col(a) : bad_box(a);
    if (why)
        return why;
    TensorMap m = {.magic        = TENSOR_MAP_MAGIC,
                   .rank         = (uint8_t)a->rank,
                   .type         = (uint8_t)a->type,
                   .interleave   = (uint8_t)a->interleave,
                   .swizzle      = (uint8_t)a->swizzle,
                   .l2_promotion = (uint8_t)a->l2_promotion,
                   .fill         = (uint8_t)a->fill,
                   .im2col       = a->im2col,
                   .address      = a->address,
                   .channels     = a->channels,
                   .pixels       = a->pixels};
    for (uint32_t i = 0; i < a->rank; i++) {
        m.dim_less_1[i]     = (uint32_t)(a->dim[i] - 1);
        m.element_stride[i] = (uint8_t)a->element_stride[i];
        m.box[i]            = (uint16_t)(a->im2col ? 1 : a->box[i]);
        if (i + 1 < a->rank)
            m.stride[i] = a->stride[i];
        if (a->im2col && i + 2 < a->rank) {
            m.lower[i] = (int16_t)a->lower[i];
            m.upper[i] = (int16_t)a->upper[i];
        }
    }
    memcpy(out, &m, sizeof m); /* it may lie anywhere */
    return NULL;
}

const char *tensormap_set_address(TensorMap *m, uint64_t address)
{
    const char *why = m->magic != TENSOR_MAP_MAGIC ? "no tensor map" : bad_address(m->interleave, address);
    if (!why)
        m->address = address;
    return why;
}
