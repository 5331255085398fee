/* SPDX-License-Identifier: Apache-2.0
 *
 * Which scalar 4-byte shared loads the assembler joins into one of 8 or 16 bytes (cc 7.0 and later; seen in ptxas 13.0).
 * The static half of that question: neighbours in a basic block with one base and adjacent offsets.  Whether the base is aligned
 * well enough shows when the kernel runs. */
#ifndef WW_CHECK_MERGE_H
#define WW_CHECK_MERGE_H

#include "ptx/ptx.h"

/* bits of a role */
enum {
    MERGE_QUAD  = 1, /* one of four at offsets o, o+4, o+8, o+12, o a multiple of 16 */
    MERGE_PAIR  = 2, /* one of two at offsets o, o+4, o a multiple of 8 */
    MERGE_QUAD1 = 4, /* the one at o: it stands for all four */
    MERGE_PAIR1 = 8, /* the one at o: it stands for both */
    MERGE_PLACE = 0xf0, /* offset modulo 16, times 16 */
};

/* role[i] of instruction i of f; 0 = stays what it is. */
void merge_plan(const Func *f, uint8_t *role);

#endif
