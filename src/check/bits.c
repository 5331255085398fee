/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of bits, with a count of what is left, so that a memory that is written altogether costs one comparison. */
#include "check/bits.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

void bits_make(Bits *b, uint32_t bytes)
{
    *b = (Bits){.bytes = bytes, .bad = xcalloc(bytes / 64 + 2, sizeof *b->bad)};
}

void bits_free(Bits *b)
{
    free(b->bad);
    free(b->copied);
    *b = (Bits){0};
}

static uint64_t ones(uint32_t n)
{
    return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

uint32_t bits_read(const Bits *b, uint32_t at, unsigned n, uint32_t *origin)
{
    *origin = 0;
    if (!b->left || at >= b->bytes)
        return 0;
    unsigned shift = at % 64;
    uint64_t word  = b->bad[at / 64] >> shift;
    if (shift)
        word |= b->bad[at / 64 + 1] << (64 - shift);
    word &= ones(n);
    if (word && b->copied)
        *origin = b->copied[(at + (unsigned)__builtin_ctzll(word)) / 4];
    return (uint32_t)word;
}

bool bits_good(const Bits *b, uint32_t at, uint32_t n)
{
    uint64_t found = 0;
    for (n = at >= b->bytes ? 0 : n < b->bytes - at ? n : b->bytes - at; b->left && n;) {
        uint32_t shift = at % 64, step = 64 - shift < n ? 64 - shift : n;
        found |= b->bad[at / 64] & ones(step) << shift;
        at += step;
        n -= step;
    }
    return !found;
}

bool bits_any(const Bits *b, const uint32_t *off, uint32_t mask, unsigned bytes)
{
    uint64_t found = 0;
    if (!b->left)
        return false;
    if (mask == UINT32_MAX) {
        for (unsigned i = 0; i < 32; i++)
            found |= b->bad[off[i] / 64] >> off[i] % 64;
        return found & ones(bytes);
    }
    for (; mask; mask &= mask - 1) {
        uint32_t at = off[__builtin_ctz(mask)];
        found |= b->bad[at / 64] >> at % 64;
    }
    return found & ones(bytes);
}

/* Sets or clears the bits of a range. */
static void set(Bits *b, uint32_t at, uint32_t n, bool bad)
{
    if (at >= b->bytes)
        return;
    for (n = n < b->bytes - at ? n : b->bytes - at; n;) {
        uint32_t  shift = at % 64, step = 64 - shift < n ? 64 - shift : n;
        uint64_t *word = &b->bad[at / 64], mask = ones(step) << shift, change = (bad ? ~*word : *word) & mask;
        if (change) {
            *word ^= change;
            b->left += bad ? (uint32_t)__builtin_popcountll(change) : -(uint32_t)__builtin_popcountll(change);
        }
        at += step;
        n -= step;
    }
}

void bits_write(Bits *b, uint32_t at, uint32_t n)
{
    if (b->left)
        set(b, at, n, false);
}

void bits_spoil(Bits *b, uint32_t at, uint32_t n)
{
    set(b, at, n, true);
    for (uint32_t i = at / 4; b->copied && i < (at + n + 3) / 4 && i < b->bytes / 4; i++)
        b->copied[i] = 0;
}

void bits_copy_in(Bits *b, uint32_t at, unsigned n, uint32_t bad, uint32_t origin)
{
    if (!b->copied)
        b->copied = xcalloc(b->bytes / 4 + 2, sizeof *b->copied);
    for (unsigned i = 0; i < n && at + i < b->bytes; i++) {
        set(b, at + i, 1, bad >> i & 1);
        if (bad >> i & 1)
            b->copied[(at + i) / 4] = origin;
    }
}
