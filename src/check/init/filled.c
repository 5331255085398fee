/* SPDX-License-Identifier: Apache-2.0
 *
 * The words of filled.h.  They are compared while workers run, too: a word changes once, from its own to another. */
#include "check/init/filled.h"

#include <stdlib.h>

#include "base/arena.h"

enum {
    LARGEST = 64 << 20, /* bytes of an allocation; filling takes memory and time */
    WORD    = 4,
    LONE    = 64 << 10, /* bytes of an allocation from which on a word alone in its page is taken for an accident */
    NEAR    = 4096,     /* bytes of that page */
    SMALL   = 1 << 16,  /* what programs write often has few digits */
    SELDOM  = 64        /* launches between two looks that find nothing new */
};

static uint32_t mixed(uint32_t x)
{
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
}

/* What is put into word i. */
static uint32_t own_word(const Region *r, uint64_t i)
{
    uint32_t x = mixed((uint32_t)i * 0x9e3779b1u ^ mixed((uint32_t)r->bytes));
    return x < SMALL || x > UINT32_MAX - SMALL ? x ^ 0x5ad1c3b7u : x;
}

static bool was_cleared(const Region *r, uint64_t i)
{
    const uint32_t *bits = __atomic_load_n(&r->cleared, __ATOMIC_ACQUIRE);
    return bits && (__atomic_load_n(bits + i / 32, __ATOMIC_RELAXED) >> i % 32 & 1);
}

static bool is_own(const Region *r, uint64_t i)
{
    const uint32_t *word = (const uint32_t *)(uintptr_t)r->base;
    uint32_t        x    = __atomic_load_n(word + i, __ATOMIC_RELAXED);
    return x == own_word(r, i) || (!x && was_cleared(r, i));
}

static uint64_t words(const Region *r)
{
    return r->bytes / WORD;
}

/* Is another word of its page nobody's? */
static bool has_company(const Region *r, uint64_t i)
{
    uint64_t from = i & ~(uint64_t)(NEAR / WORD - 1), to = from + NEAR / WORD;
    to = to < words(r) ? to : words(r);
    if ((i + 1 < to && is_own(r, i + 1)) || (i > from && is_own(r, i - 1)))
        return true;
    for (uint64_t k = from; k < to; k++)
        if (k != i && is_own(r, k))
            return true;
    return false;
}

static bool is_nobodys(const Region *r, uint64_t i)
{
    return i < words(r) && is_own(r, i) && (r->bytes < LONE || has_company(r, i));
}

static uint32_t *cleared_of(Region *r)
{
    uint32_t *bits = __atomic_load_n(&r->cleared, __ATOMIC_ACQUIRE), *none = NULL;
    if (bits)
        return bits;
    bits = xcalloc(words(r) / 32 + 1, sizeof *bits);
    if (__atomic_compare_exchange_n(&r->cleared, &none, bits, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return bits;
    free(bits);
    return none;
}

/* A kernel is about to read it: it finds zero, as without checks. */
static void clear(Region *r, uint64_t i)
{
    uint32_t *word = (uint32_t *)(uintptr_t)r->base + i, own = own_word(r, i);
    if (__atomic_load_n(word, __ATOMIC_RELAXED) != own)
        return;
    __atomic_fetch_or(cleared_of(r) + i / 32, UINT32_C(1) << i % 32, __ATOMIC_RELAXED);
    __atomic_compare_exchange_n(word, &own, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* The host may have written zeros, too, to what kernels found cleared. */
static void forget_cleared(Region *r)
{
    for (uint64_t i = 0; r->cleared && i < words(r); i++) {
        if (r->cleared[i / 32] >> i % 32 & 1)
            written_write(r, r->base + i * WORD, WORD);
        else if (!r->cleared[i / 32])
            i |= 31;
    }
    free(r->cleared);
    r->cleared = NULL;
}

void filled_make(Region *r)
{
    uint32_t *word = (uint32_t *)(uintptr_t)r->base;
    if (r->bytes > LARGEST || r->bytes < WORD) {
        written_write(r, r->base, r->bytes);
        return;
    }
    r->filled = true;
    for (uint64_t i = 0; i < words(r); i++)
        word[i] = own_word(r, i);
    if (r->bytes % WORD)
        written_write(r, r->base + words(r) * WORD, r->bytes % WORD);
    widths_add(r->widths, 16); /* the host's stores are as wide as they like */
}

void filled_settle(Region *r, uint64_t address, uint64_t n)
{
    uint64_t end = (address - r->base + n + WORD - 1) / WORD, from;
    end          = end < words(r) ? end : words(r);
    if (!r->filled || !r->left)
        return;
    forget_cleared(r);
    for (uint64_t i = (address - r->base) / WORD; i < end;) {
        for (from = i; i < end && !is_nobodys(r, i);)
            i++;
        if (i > from)
            written_by_host(r, r->base + from * WORD, (i - from) * WORD);
        for (; i < end && is_nobodys(r, i);)
            i++;
    }
}

void filled_look(Region *r)
{
    uint64_t before = r->left;
    if (!r->filled || !r->left)
        return;
    forget_cleared(r);
    if (r->rest-- > 0)
        return;
    for (uint64_t i = 0; i < r->pages; i++) /* one by one: those that are written as a whole are not looked at */
        if (!written_good(r, r->base + i * WRITTEN_PAGE, WRITTEN_PAGE))
            filled_settle(r, r->base + i * WRITTEN_PAGE, WRITTEN_PAGE);
    r->rests = r->left < before ? 0 : r->rests * 2 + 1 < SELDOM ? r->rests * 2 + 1 : SELDOM;
    r->rest  = (int)r->rests;
}

uint32_t filled_still(Region *r, uint64_t address, unsigned n, uint32_t bad)
{
    uint64_t offset = address - r->base;
    uint32_t still  = 0;
    if (!r->filled)
        return bad;
    for (uint64_t i = offset / WORD; i * WORD < offset + n; i++) {
        unsigned from  = i * WORD > offset ? (unsigned)(i * WORD - offset) : 0;
        unsigned to    = (i + 1) * WORD - offset < n ? (unsigned)((i + 1) * WORD - offset) : n;
        uint32_t these = bad & (uint32_t)(((UINT64_C(1) << to) - 1) & ~((UINT64_C(1) << from) - 1));
        if (!these)
            continue;
        if (is_nobodys(r, i)) {
            still |= these;
            clear(r, i);
        } else {
            written_write(r, r->base + i * WORD, WORD);
        }
    }
    return still;
}
