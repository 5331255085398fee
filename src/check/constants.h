/* SPDX-License-Identifier: Apache-2.0
 *
 * Which constants a launch read.  Loads of constants are told to nobody, so that is known from the instructions that were executed:
 * [variable + number] is exactly these bytes; of an address that was computed from a variable it is some of its bytes.  Instructions under a
 * guard, and addresses whose variable is not known (origin.h), are left out. */
#ifndef WW_CHECK_CONSTANTS_H
#define WW_CHECK_CONSTANTS_H

#include "check/check.h"

typedef struct ConstantReading { /* an instruction's */
    const Var *var;
    uint64_t   from, to; /* addresses */
    bool       some;     /* not all of them */
} ConstantReading;

/* Each instruction of a launch that has ended (in a checker's `end`), in their order. */
void constants_read(const CheckLaunch *l, void (*each)(void *user, uint32_t instr, const ConstantReading *x), void *user);

#endif
