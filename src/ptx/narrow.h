/* SPDX-License-Identifier: Apache-2.0
 *
 * Vector loads of which not every element is read: the assembler (seen in ptxas 13.0) loads one element, or the aligned pair, or two elements of 4 bytes
 * each by itself. */
#ifndef WW_PTX_NARROW_H
#define WW_PTX_NARROW_H

#include "ptx/ptx.h"

enum { NARROW_AT = 16, NARROW_COUNT = 4 }; /* where it stands in a role; bits of the elements: above them, how many there are */

/* Adds to role[i] of instruction i of f, where it is such a load, the elements that its machine instructions load, a bit each, and their number
 * (MERGE_READ of merge.h). */
void ptx_narrow(const Func *f, uint32_t *role);

#endif
