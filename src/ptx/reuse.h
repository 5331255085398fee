/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared memory that is read behind a barrier and written again before the next one: with the second barrier forgotten, a race that nobody
 * sees on a card, whose warps go on together from a barrier. */
#ifndef WW_PTX_REUSE_H
#define WW_PTX_REUSE_H

#include "ptx/cfg.h"

/* Is there a way from a barrier to a load of shared memory, and on, without a barrier, to a store there in another basic block?  (The load
 * and the store of one block are mostly one element's: a[i] += a[i + n].)  Generic addresses are not looked at. */
bool reuses_shared(Arena *a, const Func *f, const Cfg *cfg);

#endif
