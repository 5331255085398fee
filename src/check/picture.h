/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures of one access of a warp (WwPicture): what a mend changes, and what was wrong. */
#ifndef WW_CHECK_PICTURE_H
#define WW_CHECK_PICTURE_H

#include "base/arena.h"
#include "base/parcel.h"
#include "emu/observer.h"
#include "warpwright/warpwright.h"

/* As documents name them. */
const char *picture_space(AccessSpace space);
const char *picture_op(AccessOp op);
/* Offsets are addr in shared and local memory, elsewhere from the lowest lane's 128-byte line on; 0 in idle lanes. */
WwPicture   picture_of(AccessSpace space, AccessOp op, unsigned bytes, uint32_t mask, const uint64_t addr[LANES]);
/* A copy that lives as long as the arena; of NULL: NULL. */
const WwPicture *picture_copy(Arena *a, const WwPicture *p);
/* For the same program's process elsewhere; NULL stays NULL. */
void             picture_put(const WwPicture *p, Parcel *to);
const WwPicture *picture_take(Arena *a, Parcel *from);

#endif
