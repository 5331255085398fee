/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix instructions' shapes: how many rows, columns and terms, of which types, in how many registers a lane. */
#ifndef WW_PTX_MATRIX_FORM_H
#define WW_PTX_MATRIX_FORM_H

#include "ptx/ptx.h"

typedef struct MatrixForm {
    unsigned m, n, k;
    Type     a, b, c, d;
    unsigned na, nb, nc, nd; /* registers: 32 bits, f64: 64 bits */
    bool     a_col, b_col;   /* column-major A, B (mma: b_col is usual) */
    bool     satfinite;
} MatrixForm;

/* m, n and k of a word like "m16n8k16" of the opcode; false if it has none. */
bool matrix_shape(const Opcode *o, unsigned *m, unsigned *n, unsigned *k);
/* Bits of one element; 0 for a type no matrix has. */
unsigned matrix_bits(Type t);
/* mma.sync and wmma.mma; false if the opcode combines a shape and types that no such instruction has. */
bool matrix_form(const Opcode *o, MatrixForm *f);
/* wmma.load and wmma.store: registers a lane holds of a fragment ('a', 'b', 'c', 'd'); 0 if there is no such fragment. */
unsigned matrix_wmma_regs(unsigned m, unsigned n, unsigned k, char which, Type t);

#endif
