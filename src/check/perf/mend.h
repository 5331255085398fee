/* SPDX-License-Identifier: Apache-2.0
 *
 * Mends that were tried: the recorded accesses of a shared variable replayed under another layout.  Pure functions: patterns and a
 * profile in, passes before and after out.  What the replay does not confirm is not offered. */
#ifndef WW_CHECK_MEND_H
#define WW_CHECK_MEND_H

#include "check/count/pattern.h"
#include "model/profile.h"

/* One shared variable and every access that a launch made to it. */
typedef struct SharedUse {
    uint64_t              offset, bytes; /* in the block's window */
    const Pattern *const *pattern;       /* space ACCESS_SHARED */
    size_t                n;
    const uint32_t       *role; /* of each pattern's instruction (merge.h); NULL = all 0 */
} SharedUse;

/* Where byte `at` of the variable goes: row = at / pitch, column = at % pitch, then
 *   pad:      row * (pitch + pad) + column
 *   swizzle:  row * pitch + (column with its unit number ^ ((row >> shift) & mask))
 * pitch 0: nowhere else. */
typedef struct Layout {
    uint32_t pitch, pad;
    uint32_t unit, shift, mask; /* unit in bytes, a power of two; mask 0 = no swizzle */
} Layout;

typedef struct BankCost {
    uint64_t passes, conflicts; /* as the counters memory_l1_wavefronts_shared and ..bank_conflicts count them */
} BankCost;

typedef struct BankMend {
    Layout   layout;
    uint32_t unit; /* bytes of the variable's smallest access */
    BankCost before, after;
    uint64_t cost; /* bytes of shared memory it takes more */
    bool     strided; /* conflicting accesses have the pitch between neighbouring lanes: it is a row of the source */
} BankMend;

uint64_t layout_map(const Layout *l, uint64_t at);
/* Every access replayed; false: an access would not be aligned, or would not stay in one piece, under that layout. */
bool mend_replay(const Profile *p, const SharedUse *u, const Layout *l, BankCost *out);
/* The pattern's access with most conflicts as it is, and the same under the layout.  false: it has none, or does not fit. */
bool mend_shown(const Profile *p, const SharedUse *u, const Layout *l, uint64_t from[LANES], uint64_t to[LANES], const Pattern **of);
/* The smallest padding, and the first swizzle, that leave the fewest conflicts; a mend that takes away less than half of them is none.
 * *swizzle needs no memory but more arithmetic.  Returns whether there is a padding, a swizzle (bits 0 and 1). */
unsigned mend_banks(const Profile *p, const SharedUse *u, BankMend *pad, BankMend *swizzle);

#endif
