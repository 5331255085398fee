/* SPDX-License-Identifier: Apache-2.0
 *
 * Of which power of two a register's value is a multiple, whatever the kernel is given: what an assembler can know of an address. */
#ifndef WW_PTX_MULTIPLES_H
#define WW_PTX_MULTIPLES_H

#include "ptx/merge.h"

enum { MULTIPLES_MOST = 4 }; /* 16: more is not asked for */

/* By Reg.index, the power.  at, user: where a shared variable lies.  Free it. */
uint8_t *ptx_multiples(const Func *f, MergeAt *at, const void *user);

#endif
