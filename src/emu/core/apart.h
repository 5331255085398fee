/* SPDX-License-Identifier: Apache-2.0
 *
 * Lanes that parted at a branch and keep apart until all ways from it meet (ptx/parting.h), though groups of them come by one place before. */
#ifndef WW_EMU_APART_H
#define WW_EMU_APART_H

#include "emu/core/run.h"

/* The running group parts: `first`, some of its lanes, goes on at pc, and the others wait at `other`; they meet at `meets` (NULL: nowhere). */
void apart_part(Warp *w, const Uop *pc, uint32_t first, const Uop *other, const Uop *meets);
/* Groups that stand where they meet those that they parted from are apart from them no longer. */
void apart_arrive(Warp *w);
/* Are they lanes that parted? */
bool apart_are(const Warp *w, uint32_t a, uint32_t b);
/* Of groups that are apart: does a go on before b? */
bool apart_first(const Warp *w, const Group *a, const Group *b);
/* The waiting group g goes on, and groups that wait at the same place go with it, or it alone. */
void apart_gather(Warp *w, Group *g);
/* b's lanes were joined to a's, as an instruction for several lanes does it. */
void apart_join(Warp *w, uint32_t a, uint32_t b);
/* Lanes that exit, or leave a frame (NULL: all). */
void apart_leave(Warp *w, uint32_t mask, const Frame *frame);
/* Where the running group has to stop at the latest: merge, or where it meets those that it parted from. */
const Uop *apart_merge(const Warp *w, const Uop *merge);

#endif
