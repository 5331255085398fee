/* SPDX-License-Identifier: Apache-2.0
 *
 * The bank checker's log.  The count of passes comes from the model with the access; here the lanes are only sorted
 * by bank, so that a reader sees why.  Banks on which all lanes agree on one word are left out: they cost nothing.
 * Where the profile serves half-warps, the halves are described one after the other.
 * An access wider than a bank is listed by its first word. */
#include "lab/conflict.h"

#include "model/profile.h"

enum { WARP = 32 };

typedef struct Banks {
    unsigned count, bytes;
    uint64_t word[WARP]; /* of each lane */
    uint32_t mask;       /* lanes looked at */
} Banks;

/* Lanes of the mask on the bank; *distinct says whether they want more than one word. */
static uint32_t lanes_on(const Banks *b, unsigned bank, bool *distinct)
{
    uint32_t lanes = 0;
    uint64_t first = 0;
    *distinct      = false;
    for (unsigned l = 0; l < WARP; l++) {
        if (!(b->mask >> l & 1) || b->word[l] % b->count != bank)
            continue;
        *distinct = *distinct || (lanes != 0 && b->word[l] != first);
        first     = lanes ? first : b->word[l];
        lanes |= 1u << l;
    }
    return lanes;
}

static void describe_banks(const Banks *b, const uint64_t *address, Str *out)
{
    for (unsigned bank = 0; bank < b->count; bank++) {
        bool     distinct;
        uint32_t lanes = lanes_on(b, bank, &distinct);
        if (!distinct)
            continue;
        str_printf(out, "; bank %u:", bank);
        for (unsigned l = 0; l < WARP; l++)
            if (lanes >> l & 1)
                str_printf(out, " lane %u at 0x%llx,", l, (unsigned long long)address[l]);
        out->s[--out->len] = '\0'; /* the last comma */
    }
}

void conflict_describe(const char *kernel, const Profile *p, const WwAccess *a, Str *out)
{
    Banks b      = {.count = p ? p->arch->banks : WARP, .bytes = p ? p->arch->bank_bytes : 4};
    bool  halves = p && p->arch->bank_rule == BANKS_BROADCAST;
    for (unsigned l = 0; l < WARP; l++)
        b.word[l] = a->address[l] / b.bytes;
    str_printf(out, "%s:%u: %s: %s.%s of %u bytes, block (%u,%u,%u), warp %u: %u passes, %u conflicts",
               a->file ? a->file : "?", a->line, kernel, a->op, a->space, a->bytes, a->block.x, a->block.y, a->block.z,
               a->warp, a->wavefronts, a->conflicts);
    for (unsigned half = 0; half < (halves ? 2u : 1u); half++) {
        b.mask = a->mask & (halves ? 0xffffu << 16 * half : ~0u);
        describe_banks(&b, a->address, out);
    }
}
