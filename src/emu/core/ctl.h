/* SPDX-License-Identifier: Apache-2.0
 *
 * The handlers of ctl.def, whichever file they are in, and what they share. */
#ifndef WW_EMU_CTL_H
#define WW_EMU_CTL_H

#include <string.h>

#include "emu/core/run.h"

#define CTL(name) const Uop *ctl_##name(Warp *w, const Uop *u);
#include "emu/core/ctl.def"
#undef CTL

static inline uint32_t pred_get(const Warp *w, Slot s)
{
    uint32_t m;
    memcpy(&m, w->r + s, 4);
    return m;
}

/* Writes the active lanes' bits. */
static inline void pred_set(Warp *w, Slot s, uint32_t bits)
{
    uint32_t m = (pred_get(w, s) & ~w->mask) | (bits & w->mask);
    memcpy(w->r + s, &m, 4);
}

/* The active lanes of a slot become v (sreg.c). */
void slot_broadcast32(Warp *w, Slot d, uint32_t v);
void slot_broadcast64(Warp *w, Slot d, uint64_t v);

#endif
