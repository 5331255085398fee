/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine instructions that stand in for PTX where nobody assembles it: what each instruction becomes on its own (standin.def), in an order and
 * with the waits that an assembler would give them (order.h). */
#ifndef WW_CHECK_TIME_STANDIN_H
#define WW_CHECK_TIME_STANDIN_H

#include "base/arena.h"
#include "emu/observer.h"
#include "ptx/ptx.h"
#include "sass/word.h"

typedef struct StandInResults { /* clocks until they are there */
    double dependent;           /* of arithmetic */
    double near;                /* of special functions, conversions and constants */
    double shared, global;      /* of loads */
} StandInResults;

typedef struct StandInInput {
    const EmuInstr *instr; /* of the launch, by id */
    uint32_t        ninstr;
    StandInResults  results;
    /* Does the assembler do the access together with another one, or not at all?  NULL: none is known. */
    bool (*gone)(void *user, uint32_t id);
    void  *user;
} StandInInput;

typedef struct StandIn {
    SassWord *word;
    uint32_t *line; /* by word, of the PTX */
    size_t    words;
} StandIn;

/* Of all functions that the launch can reach, the kernel first.  In `a`. */
void standin_make(Arena *a, const StandInInput *in, StandIn *out);

#endif
