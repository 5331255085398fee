/* SPDX-License-Identifier: Apache-2.0
 *
 * A smaller kernel that still shows it: statements are left out in ever smaller runs, until none can be spared.  A block goes as a whole or
 * keeps what makes it one. */
#include <string.h>

#include "tests/engines/engine.h"

static bool out_is(const uint64_t *set, uint32_t i)
{
    return set[i / 64] >> i % 64 & 1;
}

/* Adds what of the n lines from i on may go: whole blocks, and single statements. */
static bool leave_out(const Kernel *k, uint32_t i, uint32_t n, uint64_t *set)
{
    bool any = false;
    for (uint32_t end = i + n; i < end && i < k->nlines; i++) {
        const Line *l = &k->line[i];
        if (l->fixed || out_is(set, i) || (l->close != i && l->close >= end && n > 1))
            continue;
        for (uint32_t j = i; j <= l->close; j++)
            set[j / 64] |= UINT64_C(1) << j % 64;
        any = true;
        i   = l->close;
    }
    return any;
}

void kernel_reduce(const Kernel *k, bool (*still)(void *user, const uint64_t *left_out), void *user, uint64_t *left_out)
{
    size_t    words = k->nlines / 64 + 1;
    uint64_t *tried = ARENA_ARRAY(k->arena, uint64_t, words);
    memset(left_out, 0, words * sizeof *left_out);
    bool less = true;
    for (uint32_t n = k->nlines / 2; n; n = n > 1 ? n / 2 : less ? 1 : 0) {
        less = false;
        for (uint32_t i = 0; i < k->nlines; i += n) {
            memcpy(tried, left_out, words * sizeof *tried);
            if (!leave_out(k, i, n, tried) || !still(user, tried))
                continue;
            memcpy(left_out, tried, words * sizeof *tried);
            less = true;
        }
    }
}
