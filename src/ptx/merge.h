/* SPDX-License-Identifier: Apache-2.0
 *
 * What the assembler makes of accesses besides one machine instruction each (cc 7.0 and later; seen in ptxas 13.0):
 *   - scalar 4-byte shared loads become one of 8 or 16 bytes.  Here is the static half of that question: neighbours in a basic block with
 *     one base and adjacent offsets.  Whether the base is aligned well enough shows when the kernel runs;
 *   - of equal non-coherent global loads (ld.global.nc) in a basic block one is left;
 *   - an integer atomic on one address for all lanes (a shared variable itself, or global memory by a parameter) is reduced over the warp
 *     first when its result is not used or all lanes add the same: one lane makes it. */
#ifndef WW_PTX_MERGE_H
#define WW_PTX_MERGE_H

#include "ptx/ptx.h"

/* bits of a role */
enum {
    MERGE_QUAD  = 1, /* one of four at offsets o, o+4, o+8, o+12, o a multiple of 16 */
    MERGE_PAIR  = 2, /* one of two at offsets o, o+4, o a multiple of 8 */
    MERGE_QUAD1 = 4, /* the one at o: it stands for all four */
    MERGE_PAIR1 = 8, /* the one at o: it stands for both */
    MERGE_PLACE = 0xf0, /* offset modulo 16, times 16 */
    /* of instructions that are not shared loads */
    MERGE_REPEAT = 0x10, /* a load that an earlier one makes needless */
    MERGE_LEADER = 0x20, /* an atomic that one lane makes for all */
};

/* role[i] of instruction i of f; 0 = stays what it is. */
void merge_plan(const Func *f, uint8_t *role);

#endif
