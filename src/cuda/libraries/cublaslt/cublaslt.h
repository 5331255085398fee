/* SPDX-License-Identifier: Apache-2.0
 *
 * libcublasLt: products with epilogues, described by objects, over the host's BLAS.
 *
 *   descriptors.c  objects and their attributes (attributes.def)     handle.c  handles, versions, logging
 *   matmul.c       cublasLtMatmul and its one algorithm              transform.c  cublasLtMatrixTransform
 *
 * A program may keep a descriptor in memory of its own (the functions that end in Init_internal), so a descriptor is known by its first
 * bytes, not by a list.  Sums are of float or double, as in cublas/extended.c. */
#ifndef WW_CUBLASLT_H
#define WW_CUBLASLT_H

#include "cuda/libraries/host/host.h"
#include "cuda/libraries/library.h"

/* cublasStatus_t */
typedef enum Lt {
    LT_SUCCESS          = 0,
    LT_NOT_INITIALIZED  = 1,
    LT_ALLOC_FAILED     = 3,
    LT_INVALID_VALUE    = 7,
    LT_EXECUTION_FAILED = 13,
    LT_NOT_SUPPORTED    = 15
} Lt;

/* cublasLtOrder_t: after rows and columns, tiles of 32 columns and of 1, 8 or 32 rows */
enum { ORDER_COLUMN, ORDER_ROW, ORDER_COL32, ORDER_COL4_4R2_8C, ORDER_COL32_2R_4R4, ORDERS };
enum { OP_N, OP_T, OP_C };
/* cublasLtPointerMode_t */
enum { POINTER_HOST, POINTER_DEVICE, POINTER_VECTORS, POINTER_VECTOR_ZERO, POINTER_VECTOR_HOST };
/* bits of cublasLtEpilogue_t */
enum {
    EPILOGUE_RELU = 2, EPILOGUE_BIAS = 4, EPILOGUE_DRELU = 8, EPILOGUE_BGRAD = 16, EPILOGUE_GELU = 32, EPILOGUE_DGELU = 64,
    EPILOGUE_AUX = 128, EPILOGUE_BGRADA = 256, EPILOGUE_BGRADB = 512
};

/* Their sizes are at most those of NVIDIA's opaque types. */
typedef struct Layout {
    uint32_t magic, type;
    int32_t  order, count;
    uint64_t rows, columns;
    int64_t  ld, stride, plane;
    int32_t  pointers; /* the matrix is given as a list of pointers */
} Layout;

typedef struct Desc {
    uint32_t    magic;
    int32_t     compute, scale, pointer, ta, tb, tc, fill;
    uint32_t    epilogue;
    int32_t     sms, aux_type, bias_type; /* a type less than 0: the result's */
    const void *bias, *aux;
    int64_t     bias_stride, aux_ld, aux_stride, alpha_stride;
    const void *scale_a, *scale_b, *scale_c, *scale_d, *most_d, *aux_scale, *aux_most, *scale_out, *emulation;
    int32_t     mode_a, mode_b, mode_c, mode_d, mode_aux, mode_out;
    int8_t      fast;
} Desc;

typedef struct Preference {
    uint32_t magic, search;
    uint64_t workspace, kinds;
    uint32_t reductions, align_a, align_b, align_c, align_d;
    float    waves;
} Preference;

typedef struct Emulation { /* of products in other arithmetic; kept: the host computes with its own */
    uint32_t magic;
    int      strategy, special, control, most_bits, bit_offset;
    void    *bit_count;
} Emulation;

typedef struct Transform {
    uint32_t magic;
    int32_t  scale, pointer, ta, tb;
} Transform;

/* NULL: it is none. */
const Layout     *layout_of(const void *p);
const Desc       *desc_of(const void *p);
const Preference *preference_of(const void *p);
const Transform  *transform_of(const void *p);

bool is_handle(const void *handle);

/* ---- matrices by their layouts ---- */

/* Matrix i of a batch. */
const void *layout_item(const Layout *l, const void *p, int64_t i);
/* Where element (row, column) stands; of planar complex numbers: in each plane. */
int64_t     layout_index(const Layout *l, int64_t row, int64_t column);
Number      layout_at(const Layout *l, const void *item, int64_t row, int64_t column);
void        layout_put(const Layout *l, void *item, int64_t row, int64_t column, Number x);
bool        layout_is_complex(const Layout *l);
/* One span, or one for each plane of complex numbers; gives how many.  Tiles that are not full are not told as read: nobody writes their rest. */
unsigned    layout_spans(const Layout *l, const void *item, LibraryUse use, LibrarySpan out[2]);
/* Is it something that can be computed with? */
Lt          layout_check(const Layout *l);

#endif
