/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers of a function that some path reads before it has written them. */
#ifndef WW_PTX_UNSET_H
#define WW_PTX_UNSET_H

#include "ptx/cfg.h"

/* Their indices in f->regs, ascending, in `a`; *n of them.  Never too few; more than there are where a write is guarded or partial. */
uint32_t *ptx_unset(Arena *a, const Func *f, const Cfg *cfg, uint32_t *n);

#endif
