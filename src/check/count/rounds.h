/* SPDX-License-Identifier: Apache-2.0
 *
 * What loops of compare-and-swap lose to the other warps of their block: a warp whose word another one changes meanwhile goes round again. */
#ifndef WW_CHECK_ROUNDS_H
#define WW_CHECK_ROUNDS_H

#include "base/arena.h"
#include "emu/observer.h"

typedef struct Rounds Rounds; /* of one instruction; zeros at first */

Rounds  *rounds_new(Arena *a);
/* Returns the rounds that are lost in the block before, where this access is the first of another one. */
uint64_t rounds_add(Rounds *r, const Access *a);
/* Those of the last block; the Arena has the rest.  NULL is allowed. */
uint64_t rounds_end(Rounds *r);

#endif
