/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads that the assembler moves into the branch that alone uses what they read (cc 7.0 and later; seen in ptxas 13.0): warps that skip the branch do
 * not load.  Nothing between the load and the branch may change the memory, and the branch must stay one in machine code. */
#ifndef WW_PTX_SINKS_H
#define WW_PTX_SINKS_H

#include "ptx/cfg.h"

typedef struct Sink {
    uint32_t   instr, block; /* the load; it is made where this block begins */
    const Reg *guard;        /* of the lanes there by those that came by the load; NULL: all did */
    bool       negated;      /* those for which the guard is false */
} Sink;

/* In the order of the function, in `a`.  The registers of their addresses and guards still hold there what they held at the load. */
const Sink *ptx_sinks(Arena *a, const Func *f, const Cfg *cfg, uint32_t *n);

#endif
