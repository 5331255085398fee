/* SPDX-License-Identifier: Apache-2.0
 *
 * What loops of compare-and-swap lose to the other warps of their block: a warp whose word another one changes meanwhile goes round again. */
#ifndef WW_CHECK_ROUNDS_H
#define WW_CHECK_ROUNDS_H

#include "base/arena.h"
#include "emu/observer.h"
#include "model/model.h"

typedef struct Rounds Rounds; /* of one instruction; zeros at first */

typedef struct Lost {
    uint64_t rounds, passes;
} Lost;

/* role: the instruction's (ptx/merge.h). */
Rounds *rounds_new(Arena *a, const Profile *p, unsigned role);
/* Returns what is lost in the block before, where this access is the first of another one. */
Lost    rounds_add(Rounds *r, const Access *a);
/* That of the last block; the Arena has the rest.  NULL is allowed. */
Lost    rounds_end(Rounds *r);

#endif
