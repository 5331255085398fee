/* SPDX-License-Identifier: Apache-2.0
 *
 * Atomic updates of global memory: which word and which slice of L2 has most of them. */
#ifndef WW_CHECK_TIME_UPDATES_H
#define WW_CHECK_TIME_UPDATES_H

#include "emu/observer.h"

enum { UPDATE_PLACES = 1 << 12, UPDATE_SLICES = 256 };

typedef struct Updates {                 /* zeros: there were none */
    uint64_t integers[UPDATE_PLACES];    /* by a hash of their word */
    uint64_t floats[UPDATE_PLACES];
    uint64_t quarters[UPDATE_SLICES];    /* of a turn, by slice */
    uint64_t passes;
} Updates;

typedef struct UpdatesSum {
    uint64_t hottest, hottest_float; /* of one word: integers; floating point */
    double   turns;                  /* of the slice that has most: a turn updates the words of one whole sector */
    uint64_t passes;                 /* sectors, as often as they are updated */
} UpdatesSum;

/* An access ATOM or RED of a launch with these instructions.  joins: neighbours of a warp that update one word with an operation that warps can
 * reduce do so once.  slices: of L2, at most UPDATE_SLICES; 0: not known, nothing is counted by slice. */
void updates_add(Updates *u, const Access *a, const EmuInstr *instr, bool joins, unsigned slices);
void updates_join(Updates *to, const Updates *from);
void updates_sum(const Updates *u, UpdatesSum *out);

#endif
