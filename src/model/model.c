/* SPDX-License-Identifier: Apache-2.0
 *
 * The one entry to the access model: divides accesses between the bank rule (banks.c) and the coalescing rule (coalesce.c),
 * and says what a memo of costs may rely on (model_period).  It does not model caches over time: every access stands alone. */
#include "model/model.h"

#include <string.h>

#include "model/rules.h"

void model_access(const Profile *p, const ModelAccess *a, ModelCost *out)
{
    memset(out, 0, sizeof *out);
    if (a->mask == 0)
        return;
    if (a->space == MODEL_SHARED)
        model_banks(p->arch, a, out);
    else
        model_coalesce(p->arch, a, out);
}

/* Shared words of sub-word accesses depend on where in its word the first address lies, and banks of 8 bytes pair words by
 * absolute place; otherwise adding a word to every address only turns the banks.  Local words are interleaved by lane: a word
 * further moves every lane by one row.  Global sectors, lines and segments lie on absolute boundaries of at most 128 bytes. */
unsigned model_period(const Profile *p, ModelSpace space, ModelOp op, unsigned bytes)
{
    (void)op;
    if (space == MODEL_GLOBAL)
        return 128;
    if (space == MODEL_SHARED && p->arch->bank_rule == BANKS_WIDE)
        return 256;
    return bytes < 4 ? 4 : 1;
}
