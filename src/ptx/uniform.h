/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers that hold the same value in all lanes of a warp, as an assembler can know it. */
#ifndef WW_PTX_UNIFORM_H
#define WW_PTX_UNIFORM_H

#include "ptx/ptx.h"

/* By register index, for 0 to f->nregs: may its lanes differ?  The caller frees it. */
bool *uniform_varying(const Func *f);

#endif
