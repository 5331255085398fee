/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers of 32 bits that a thread needs at once, where no assembler says how many it gives. */
#ifndef WW_CHECK_TIME_PRESSURE_H
#define WW_CHECK_TIME_PRESSURE_H

#include "ptx/ptx.h"

/* An estimate; predicates are none of them. */
unsigned pressure_of(const Func *f);

#endif
