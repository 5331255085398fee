/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensor maps: what cp.async.bulk.tensor reads to find a box of a tensor.  NVIDIA's 128 bytes are not documented; these are ours, so a map
 * is made here (cuTensorMapEncode*, tensormap.replace), not copied from a GPU.  Sizes are stored as the interface gives them. */
#ifndef WW_EMU_TENSORMAP_H
#define WW_EMU_TENSORMAP_H

#include <stdbool.h>
#include <stdint.h>

#include "ptx/ptx.h"

enum { TENSOR_DIMS = 5, TENSOR_MAP_BYTES = 128, TENSOR_MAP_ALIGN = 64, TENSOR_MAP_MAGIC = 0x4d545757 };

/* Element types, numbered as CUtensorMapDataType.  TENSOR_TYPE(name, bytes, type of reductions) */
#define TENSOR_TYPES(X)                                                                                                \
    X(UINT8, 1, NONE) X(UINT16, 2, U16) X(UINT32, 4, U32) X(INT32, 4, S32) X(UINT64, 8, U64) X(INT64, 8, S64)          \
    X(FLOAT16, 2, F16) X(FLOAT32, 4, F32) X(FLOAT64, 8, F64) X(BFLOAT16, 2, BF16) X(FLOAT32_FTZ, 4, F32)               \
    X(TFLOAT32, 4, F32) X(TFLOAT32_FTZ, 4, F32)
typedef enum TensorType {
#define X(name, bytes, type) TENSOR_##name,
    TENSOR_TYPES(X)
#undef X
    TENSOR_TYPE_COUNT
} TensorType;

typedef enum Swizzle { SWIZZLE_NONE, SWIZZLE_32B, SWIZZLE_64B, SWIZZLE_128B, SWIZZLE_COUNT } Swizzle;
typedef enum Interleave { INTERLEAVE_NONE, INTERLEAVE_16B, INTERLEAVE_32B, INTERLEAVE_COUNT } Interleave;
enum { FILL_ZEROS, FILL_NAN, FILL_COUNT };
enum { L2_PROMOTIONS = 4 };

typedef struct TensorMap {
    uint32_t magic;
    uint8_t  rank, type, interleave, swizzle, l2_promotion, fill;
    bool     im2col;
    uint8_t  pad;
    uint32_t pixels, channels;          /* im2col: of a box */
    uint64_t address;
    uint64_t stride[TENSOR_DIMS - 1];   /* bytes, of dimension 1 ... */
    uint32_t dim_less_1[TENSOR_DIMS];   /* a dimension may have 2^32 elements */
    uint16_t box[TENSOR_DIMS];          /* elements, before element strides */
    uint8_t  element_stride[TENSOR_DIMS];
    uint8_t  pad2;
    int16_t  lower[3], upper[3];        /* im2col: the box of base pixels, from the tensor's corners */
    uint8_t  reserved[TENSOR_MAP_BYTES - 112];
} TensorMap;
_Static_assert(sizeof(TensorMap) == TENSOR_MAP_BYTES, "a tensor map has 128 bytes");

/* What cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col are given. */
typedef struct TensorMapAsk {
    uint32_t        type, rank;
    uint64_t        address;
    const uint64_t *dim, *stride; /* stride: rank - 1 of them, bytes */
    const uint32_t *box, *element_stride;
    uint32_t        interleave, swizzle, l2_promotion, fill;
    bool            im2col;
    const int      *lower, *upper; /* rank - 2 of them */
    uint32_t        channels, pixels;
} TensorMapAsk;

/* Fills in *out; NULL, or what the interface's documentation forbids. */
const char *tensormap_encode(const TensorMapAsk *ask, TensorMap *out);
/* NULL, or what is wrong with the address. */
const char *tensormap_set_address(TensorMap *m, uint64_t address);
unsigned    tensormap_element_bytes(const TensorMap *m);
/* The PTX type that reductions compute in; TY_NONE where they are not defined. */
Type        tensormap_reduction_type(const TensorMap *m);

#endif
