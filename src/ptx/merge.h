/* SPDX-License-Identifier: Apache-2.0
 *
 * What the assembler makes of accesses besides one machine instruction each (cc 7.0 and later; seen in ptxas 13.0):
 *   - shared loads and stores of 4 or 8 bytes become one of 8 or 16, those of 2 one of 4 or 8.  Here is the static half of that question: neighbours, over
 *     branches too, that lie in one aligned slot.  Whether their base is aligned well enough shows when the kernel runs;
 *   - a shared load of what a register still holds, since it was loaded or stored just before, is left out;
 *   - of a vector load only those elements are loaded that anybody reads (narrow.h);
 *   - of equal non-coherent global loads (ld.global.nc) in a basic block one is left;
 *   - an integer atomic on one address for all lanes is reduced over the warp first when its result is not used or all lanes add the same:
 *     one lane makes it;
 *   - one that counts up by one in shared memory, its result not used, is an instruction of its own, whose lanes on one word share a pass;
 *   - what shared memory cannot do at once (sums in floating point, all on 8 bytes but exchanges) is a loop: a load, then a compare-and-swap. */
#ifndef WW_PTX_MERGE_H
#define WW_PTX_MERGE_H

#include "ptx/cfg.h"

/* bits of a role */
enum {
    MERGE_QUAD   = 1,    /* one of those in a slot of 16 bytes that one access serves */
    MERGE_PAIR   = 2,    /* one of two of 4 bytes in a slot of 8.  Of accesses of 2 bytes all is half as wide */
    MERGE_QUAD1  = 4,    /* the first of them, of its basic block the lowest: it stands for all */
    MERGE_PAIR1  = 8,    /* likewise */
    MERGE_PLACE  = 0xf0, /* of these, offset modulo 16 (of 2 bytes: 8), times 16 */
    MERGE_REPEAT = 0x100, /* a load that an earlier access makes needless */
    MERGE_LEADER = 0x200, /* an atomic that one lane makes for all */
    MERGE_SWAPS  = 0x400, /* an atomic that is a loop of compare-and-swap, where it comes to shared memory */
    MERGE_AT_ONCE = 0x1000, /* such a loop to which the warps of a block come together, from a barrier, the kernel's beginning or a load */
    MERGE_SINKS  = 0x800, /* a load that is made elsewhere (sinks.h); not by merge_plan */
    MERGE_COUNTS = 0x2000, /* an atomic that counts up by one */
    MERGE_COMPARES = 0x4000, /* a compare-and-swap of PTX's own, which brings two words a lane */
    MERGE_SCANS = 0x8000, /* one lane makes it for all where all 32 take part: a sum of what differs by lane, its results used */
    MERGE_READ  = 0xff0000, /* of a vector load of which some elements are loaded (narrow.h): these, times 65536 */
};

/* Where a shared variable lies in its block's memory. */
typedef uint32_t MergeAt(const void *user, const Var *v);

/* role[i] of instruction i of f; 0 = stays what it is. */
void merge_plan(const Func *f, const Cfg *cfg, MergeAt *at, const void *user, uint32_t *role);

#endif
