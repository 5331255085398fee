/* SPDX-License-Identifier: Apache-2.0
 *
 * A box of a tensor: between global memory and the dense bytes that stand in shared memory, and where those bytes stand there. */
#ifndef WW_EMU_TENSOR_H
#define WW_EMU_TENSOR_H

#include "emu/access/atom.h"
#include "emu/memory/memory.h"
#include "emu/observer.h"
#include "emu/async/tensormap.h"

typedef struct TensorBox {
    TensorMap map;
    int32_t   start[TENSOR_DIMS];
    uint16_t  offset[3]; /* im2col */
} TensorBox;

typedef struct TensorReduction { bool on; AtomOp op; Type type; } TensorReduction;

/* Bytes of the box in shared memory, elements outside of the tensor included. */
uint32_t tensor_box_bytes(const TensorMap *m);
/* Its rows in shared memory: bytes of one, and from one to the next. */
void tensor_rows(const TensorMap *m, uint32_t *row, uint32_t *pitch);
/* im2col: is the base pixel in the map's box of base pixels?  false: *which is the coordinate that is not. */
bool tensor_base_inside(const TensorBox *b, unsigned *which);
/* NULL, or why a GPU does not write (or reduce into) that box. */
const char *tensor_bad_store(const TensorBox *b);
/* Copies the box to data, or from it (elements outside of the tensor are left alone), perhaps as a reduction.  false: *bad is an address in
 * no allocation, of a row of *bytes. */
bool tensor_gather(const TensorBox *b, Memory *mem, uint8_t *data, uint64_t *bad, uint64_t *bytes);
bool tensor_scatter(const TensorBox *b, Memory *mem, const uint8_t *data, TensorReduction r, uint64_t *bad, uint64_t *bytes);
/* The rows of the box that lie in the tensor: *run is malloced. */
size_t tensor_runs(const TensorBox *b, AsyncRun **run);
/* The place of the 16 bytes whose place without swizzle is `offset`. */
static inline uint32_t tensor_swizzle(Swizzle s, uint32_t offset)
{
    static const uint32_t bits[SWIZZLE_COUNT] = {0, 1, 3, 7};
    return offset ^ ((offset >> 7 & bits[s]) << 4);
}

#endif
