/* SPDX-License-Identifier: Apache-2.0
 *
 * The instructions of a launch by the user's lines. */
#ifndef WW_CHECK_PLACED_H
#define WW_CHECK_PLACED_H

#include "emu/observer.h"
#include "ptx/place.h"

typedef struct Placed { /* an instruction and the user's line it belongs to */
    Place    place;
    uint32_t id;
} Placed;
/* The instructions that are wanted, by file, line and id; the caller frees *out. */
size_t placed_by_line(const Module *m, const EmuInstr *instr, uint32_t n, bool (*wanted)(void *user, uint32_t id), void *user,
                      Placed **out);
bool   placed_together(const Placed *a, const Placed *b); /* in one line */

/* The line of PTX that such a place names; in `a`, NULL for others. */
const char *placed_snippet(const Module *m, const Place *p, Arena *a);

/* The calls that inlined the function of the instruction's line; in `a`, NULL when there are none. */
const WwPlace *placed_inlined(const Module *m, const Instr *in, Arena *a, size_t *n);

#endif
