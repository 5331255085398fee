/* SPDX-License-Identifier: Apache-2.0
 *
 * ww_tensor_map: the public description of a tensor map to what an implementation encodes. */
#include "device/device.h"

#include <string.h>

#include "emu/async/tensormap.h"

static const struct {
    const char *name;
    TensorType  type;
} types[] = {
    {"u8", TENSOR_UINT8},
    {"u16", TENSOR_UINT16},
    {"u32", TENSOR_UINT32},
    {"s32", TENSOR_INT32},
    {"u64", TENSOR_UINT64},
    {"s64", TENSOR_INT64},
    {"f16", TENSOR_FLOAT16},
    {"bf16", TENSOR_BFLOAT16},
    {"f32", TENSOR_FLOAT32},
    {"f64", TENSOR_FLOAT64},
    {"f32.ftz", TENSOR_FLOAT32_FTZ},
    {"tf32", TENSOR_TFLOAT32},
    {"tf32.ftz", TENSOR_TFLOAT32_FTZ},
};

static bool type_of(const char *name, uint32_t *out)
{
    for (size_t i = 0; name && i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, name) == 0) {
            *out = types[i].type;
            return true;
        }
    return false;
}

/* The place of bytes in list; its length when it is not there: no implementation has that number. */
static uint32_t place(const uint32_t *list, uint32_t n, uint32_t bytes)
{
    uint32_t i = 0;
    while (i < n && list[i] != bytes)
        i++;
    return i;
}

WwStatus ww_tensor_map(WwDevice *d, const WwTensorMap *t, void *map)
{
    static const uint32_t swizzles[] = {0, 32, 64, 128}, interleaves[] = {0, 16, 32}, promotions[] = {0, 64, 128, 256};
    uint32_t              step[TENSOR_DIMS];
    if (!d)
        return WW_ERR_INVALID;
    if (!t || !map)
        return device_fail(d, WW_ERR_INVALID, "ww_tensor_map: a null pointer");
    TensorMapAsk ask = {.rank         = t->rank,
                        .address      = t->address,
                        .dim          = t->dim,
                        .stride       = t->stride,
                        .box          = t->box,
                        .interleave   = place(interleaves, 3, t->interleave),
                        .swizzle      = place(swizzles, 4, t->swizzle),
                        .l2_promotion = place(promotions, 4, t->promote),
                        .fill         = t->fill_nan ? FILL_NAN : FILL_ZEROS,
                        .im2col       = t->im2col,
                        .lower        = t->lower,
                        .upper        = t->upper,
                        .channels     = t->channels,
                        .pixels       = t->pixels};
    if (!type_of(t->type, &ask.type))
        return device_fail(d, WW_ERR_INVALID, "ww_tensor_map: '%s' is not an element type of tensor maps",
                           t->type ? t->type : "");
    for (int i = 0; i < TENSOR_DIMS; i++)
        step[i] = t->element_stride[i] ? t->element_stride[i] : 1;
    ask.element_stride = step;
    return d->ops->tensor_map(d, &ask, map);
}
