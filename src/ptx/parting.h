/* SPDX-License-Identifier: Apache-2.0
 *
 * Where lanes that part at a block's end meet again on a card: at the nearest block that all paths pass, and at none before it, though
 * paths may come together earlier. */
#ifndef WW_PTX_PARTING_H
#define WW_PTX_PARTING_H

#include "ptx/cfg.h"

typedef struct Parting {
    uint32_t meets; /* block; CFG_NONE: not before they end */
    bool     early; /* a block before that one lies on several of the ways: lanes run it one way's after the other's */
} Parting;

/* By block, of reachable ones. */
Parting *ptx_partings(Arena *a, const Func *f, const Cfg *cfg);

#endif
