/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops that wait for other threads: how often they turn depends on time, on a card too. */
#ifndef WW_PTX_WAITS_H
#define WW_PTX_WAITS_H

#include "ptx/cfg.h"

/* By instruction: does it stand in such a loop?  In `a`; NULL: none does. */
const bool *waits_of(Arena *a, const Func *f, const Cfg *cfg);

#endif
