/* SPDX-License-Identifier: Apache-2.0
 *
 * Pieces of fragments, which mma and wmma share (matrix_mma.c, matrix_wmma.c). */
#ifndef WW_EMU_MATRIX_FRAGMENT_H
#define WW_EMU_MATRIX_FRAGMENT_H

#include "emu/matrix.h"
#include "emu/run.h"

/* `rows` (8 or 16) rows of A from row0 on, or 8 columns of B, out of registers. */
void fragment_factor(const Warp *w, const Slot *slot, unsigned regs, Type t, unsigned rows, unsigned k, unsigned row0, MatrixFactor *x);
/* A piece of C or D, 8 columns wide; n: columns of the whole. */
void fragment_acc_get(const Warp *w, const Slot *slot, unsigned regs, Type t, unsigned row0, unsigned col0, unsigned n, MatrixAcc *x);
void fragment_acc_set(const Warp *w, const Slot *slot, unsigned regs, Type t, unsigned row0, unsigned col0, unsigned n, const MatrixAcc *x);

/* matrix_wmma.c */
void wmma_multiply(Warp *w, const MmaInfo *m);

#endif
