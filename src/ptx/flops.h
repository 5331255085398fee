/* SPDX-License-Identifier: Apache-2.0
 *
 * How many floating-point operations an instruction is: flops.def. */
#ifndef WW_PTX_FLOPS_H
#define WW_PTX_FLOPS_H

#include "ptx/ptx.h"

typedef enum FlopsKind { FLOPS_HALF, FLOPS_SINGLE, FLOPS_DOUBLE } FlopsKind;

typedef struct Flops { /* of a lane */
    FlopsKind kind;
    unsigned  sums, products, fused; /* a fused one is two operations */
} Flops;

/* False: it makes none. */
bool flops_of(const Instr *in, Flops *out);

#endif
