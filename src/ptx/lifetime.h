/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers whose life is short: from a first write to a last read in one basic block.  A compiler writes most registers once, so that an unrolled kernel
 * has many thousands of them, of which few are alive at a time. */
#ifndef WW_PTX_LIFETIME_H
#define WW_PTX_LIFETIME_H

#include "ptx/cfg.h"

typedef struct Lifetime { /* of a register */
    bool     used;        /* some instruction names it, or it is a parameter or a result; a compiler declares many that none does */
    bool     brief;       /* what follows is known: */
    uint32_t first, last; /* the instruction that writes it, all of it and unguarded; the last one that may read or write it */
} Lifetime;

/* By Reg.index, in `a`.  cfg NULL: none is brief.  Never brief: predicates, bytes, vectors, parameters, results, registers that wgmma reads or writes while the
 * warp goes on, and those of which a part is named.  The factors of a product that a sum may take (ptx/contract.h) live as long as the product. */
Lifetime *ptx_lifetimes(Arena *a, const Func *f, const Cfg *cfg);

#endif
