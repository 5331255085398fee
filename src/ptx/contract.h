/* SPDX-License-Identifier: Apache-2.0
 *
 * Products and sums that become one fma.  mul, add and sub of floating point that name no rounding may be contracted by the assembler (PTX
 * manual, 9.7.3 and 9.7.4); compilers leave c - a * b to it.  So a card rounds such a pair once, and the text alone does not say which
 * pairs.
 *
 * The rules are those that NVIDIA's assembler (13.0, sm_90) was seen to follow.  A sum takes its product when
 *
 *     neither names a rounding, both have .ftz or neither has, they are of one type (f32, f64, f16, bf16), and the product has no .sat
 *     both stand in one basic block, and what the product was made of has not changed
 *     every use of the product is such a sum (x + x is not), and takes it: of two products a sum takes the first operand's if it can
 *
 * Modules with debug information (.target debug) are assembled without optimisation: nothing is contracted. */
#ifndef WW_PTX_CONTRACT_H
#define WW_PTX_CONTRACT_H

#include "ptx/cfg.h"

typedef struct Contraction { /* of an instruction */
    uint32_t product;   /* the instruction that it takes, plus 1; 0: none */
    uint8_t  operand;   /* 1, 2: as which of its operands */
    bool     subtracts;
    bool     may;       /* a sum of an unrounded product: whether it is contracted is the assembler's choice */
} Contraction;

/* By instruction, in `a`. */
const Contraction *contractions_of(Arena *a, const Module *m, const Func *f, const Cfg *cfg);

#endif
