/* SPDX-License-Identifier: Apache-2.0
 *
 * Fragments in registers <-> tiles and columns (matrix_fragment.c), which mma, wmma and wgmma share; the products that are chains. */
#ifndef WW_EMU_MATRIX_FRAGMENT_H
#define WW_EMU_MATRIX_FRAGMENT_H

#include "emu/matrix/matrix.h"
#include "emu/core/run.h"

static inline const MatrixOps *matrix_ops(const Warp *w)
{
    return w->block->launch->dev->exec->matrix;
}

/* 8 (halves = 1) or 16 rows of A out of `regs` registers.  r: the frame's registers. */
void fragment_a(const Warp *w, const MatrixForm *f, const uint8_t *r, const Slot *slot, unsigned regs, unsigned halves,
                MatrixTile *to);
/* Eight columns of B. */
void fragment_b(const Warp *w, const MatrixForm *f, const Slot *slot, unsigned regs, float *to);
/* 8 or 16 rows of eight columns of C (as floats or whole numbers) and of D (bits). */
void fragment_c(const uint8_t *r, const Slot *slot, unsigned regs, Type t, MatrixColumn *to);
void fragment_d(uint8_t *r, const Slot *slot, unsigned regs, Type t, const MatrixColumn *from);

/* matrix_sparse.c: spreads the elements of a sparse A over its terms, by the metadata in `words` (one a lane).  A row and a group
 * of terms with impossible metadata: false, and in *lane who holds it. */
bool       sparse_spread(const MatrixForm *f, const uint32_t *words, unsigned selector, MatrixTile *a, unsigned *lane);
const Uop *sparse_fault(Warp *w, const Uop *u, unsigned lane);

/* matrix_wmma.c, matrix_chain.c */
void wmma_multiply(Warp *w, const MmaInfo *m);
void chain_multiply_f64(Warp *w, const MmaInfo *m);
void chain_multiply_quads(Warp *w, const MmaInfo *m);

#endif
