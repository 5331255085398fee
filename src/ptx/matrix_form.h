/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix instructions' shapes: how many rows, columns and terms, of which types, in how many registers a lane (matrix_form.c), and
 * whether an instruction's operands fit them (matrix_check.c). */
#ifndef WW_PTX_MATRIX_FORM_H
#define WW_PTX_MATRIX_FORM_H

#include "ptx/ptx.h"

typedef enum MatrixUnit { MATRIX_MMA, MATRIX_WMMA, MATRIX_WGMMA } MatrixUnit;

typedef struct MatrixForm {
    MatrixUnit unit;
    unsigned   m, n, k;
    Type       a, b, c, d;
    unsigned   na, nb, nc, nd; /* registers: 32 bits, f64: 64 bits; wgmma: of A when it is in registers, of D */
    bool       a_col, b_col;   /* column-major A, B (mma: b_col is usual) */
    bool       satfinite;
    bool       sparse;    /* A holds half of its elements */
    bool       is_and;    /* b1: and instead of xor */
    unsigned   selectors; /* sparse: how many there are */
} MatrixForm;

/* m, n and k of a word like "m16n8k16" of the opcode; false if it has none. */
bool matrix_shape(const Opcode *o, unsigned *m, unsigned *n, unsigned *k);
/* Bits of one element; 0 for a type no matrix has. */
unsigned matrix_bits(Type t);
/* mma, wmma.mma and wgmma.mma_async; false if the opcode combines a shape and types that no such instruction has. */
bool matrix_form(const Opcode *o, MatrixForm *f);
/* wmma.load and wmma.store: registers a lane holds of a fragment ('a', 'b', 'c', 'd'); 0 if there is no such fragment. */
unsigned matrix_wmma_regs(unsigned m, unsigned n, unsigned k, char which, Type t);
/* wgmma: the immediates behind scale-d that the form has (scale-a, scale-b, trans-a, trans-b). */
unsigned matrix_wgmma_immediates(const MatrixForm *f, bool a_in_registers);
/* Operands of a matrix instruction that do not fit it: the culprit, and why (text in `a`); NULL when they fit. */
const Operand *matrix_misfit(Arena *a, const Instr *in, const char **why);

#endif
