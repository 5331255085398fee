/* SPDX-License-Identifier: Apache-2.0
 *
 * Bits by sector, in chunks of 1 MiB of addresses.
 *
 * Pairs: L2 fetches the aligned 64 bytes in which a sector lies.  Of a pair's two sectors the second is a hit, unless one request asks for both:
 * they miss together.  So a pair misses twice where any load asked for both, else once.  Updates pass L2 sector by sector: once.  (Which request
 * comes first depends on the order of warps, which nobody knows; pairs asked for in both ways are rare.)
 * Stores never miss.  L2 keeps which bytes it was given, and reads the rest of a sector when it goes to device memory; two stores that fill a
 * sector together read nothing.  A launch's stores are joined word by word: a word of which one byte is stored counts as stored.
 * Left out: sectors that a launch stores before it loads them, which are hits. */
#include "check/time/footprint.h"

#include <stdlib.h>

#include "base/arena.h"

enum { CHUNK = 20, SECTOR = 5, SECTORS = 1 << (CHUNK - SECTOR), WORDS = SECTORS / 64, WHOLE = 0xff };

struct Chunk {
    uint64_t number; /* address >> CHUNK, plus 1; 0 = empty */
    uint64_t read[WORDS], written[WORDS];
    uint64_t together[WORDS]; /* loaded by a request that asked for the pair's other sector as well */
    uint64_t whole[WORDS];    /* stored by one request with all bytes */
    uint8_t *stored;          /* by sector, a bit for each word of four bytes; NULL: all stores were of whole sectors */
};

static Chunk **place(Footprint *f, uint64_t number)
{
    size_t at = (number * 0x9e3779b97f4a7c15ull) >> 20 & (f->cap - 1);
    while (f->slot[at] && f->slot[at]->number != number)
        at = (at + 1) & (f->cap - 1);
    return &f->slot[at];
}

static void grow(Footprint *f)
{
    Footprint to = {.cap = f->cap ? 2 * f->cap : 64, .n = f->n, .last = f->last};
    to.slot      = xcalloc(to.cap, sizeof(Chunk *));
    for (size_t i = 0; i < f->cap; i++)
        if (f->slot[i])
            *place(&to, f->slot[i]->number) = f->slot[i];
    free(f->slot);
    *f = to;
}

static Chunk *chunk_of(Footprint *f, uint64_t number)
{
    if (f->last && f->last->number == number)
        return f->last;
    if (2 * f->n >= f->cap)
        grow(f);
    Chunk **at = place(f, number);
    if (!*at) {
        *at           = xcalloc(1, sizeof(Chunk));
        (*at)->number = number;
        f->n++;
    }
    return f->last = *at;
}

/* The words of four bytes in which any of these bytes lies. */
static uint8_t words_of(uint32_t bytes)
{
    uint8_t words = 0;
    for (unsigned i = 0; i < 8; i++)
        words |= (uint8_t)((bytes >> 4 * i & 15 ? 1u : 0u) << i);
    return words;
}

static void store(Chunk *c, unsigned first, const Touch *t)
{
    for (unsigned i = 0; i < 4; i++) {
        if (!(t->sectors >> i & 1))
            continue;
        if (t->bytes[i] == UINT32_MAX) {
            c->whole[first / 64] |= 1ull << (first % 64 + i);
            continue;
        }
        if (!c->stored)
            c->stored = xcalloc(SECTORS, 1);
        c->stored[first + i] |= words_of(t->bytes[i]);
    }
}

void footprint_add(Footprint *f, const Touch *t, TouchKind kind)
{
    Chunk   *c     = chunk_of(f, (t->line >> (CHUNK - 7)) + 1);
    unsigned first = (unsigned)(t->line << 2) & (SECTORS - 1), shift = first % 64;
    unsigned pairs = t->sectors & t->sectors >> 1 & 5u;
    if (kind != TOUCH_STORE)
        c->read[first / 64] |= (uint64_t)t->sectors << shift;
    if (kind == TOUCH_LOAD)
        c->together[first / 64] |= (uint64_t)(pairs * 3) << shift;
    if (kind != TOUCH_LOAD)
        c->written[first / 64] |= (uint64_t)t->sectors << shift;
    if (kind == TOUCH_STORE)
        store(c, first, t);
}

static void join_chunk(Footprint *to, const Chunk *c)
{
    Chunk *t = chunk_of(to, c->number);
    for (size_t k = 0; k < WORDS; k++) {
        t->read[k] |= c->read[k];
        t->written[k] |= c->written[k];
        t->together[k] |= c->together[k];
        t->whole[k] |= c->whole[k];
    }
    if (c->stored && !t->stored)
        t->stored = xcalloc(SECTORS, 1);
    for (size_t i = 0; c->stored && i < SECTORS; i++)
        t->stored[i] |= c->stored[i];
}

void footprint_join(Footprint *to, const Footprint *from)
{
    for (size_t i = 0; i < from->cap; i++)
        if (from->slot[i])
            join_chunk(to, from->slot[i]);
}

void footprint_put(const Footprint *f, Parcel *p)
{
    parcel_put_number(p, f->n);
    for (size_t i = 0; i < f->cap; i++) {
        const Chunk *c = f->slot[i];
        if (!c)
            continue;
        parcel_put(p, c, sizeof *c);
        if (c->stored)
            parcel_put(p, c->stored, SECTORS);
    }
}

void footprint_take(Footprint *to, Parcel *p)
{
    for (size_t n = parcel_count(p, sizeof(Chunk)); n && !p->bad; n--) {
        Chunk    c;
        uint8_t *stored = NULL;
        parcel_take(p, &c, sizeof c);
        if (c.stored)
            parcel_take(p, stored = xcalloc(SECTORS, 1), SECTORS);
        c.stored = stored;
        if (!p->bad && c.number)
            join_chunk(to, &c);
        free(stored);
    }
}

static unsigned bits(uint64_t set)
{
    return (unsigned)__builtin_popcountll(set);
}

/* How many of these sectors, none of them stored as a whole by one request, lack words. */
static unsigned lacking(const Chunk *c, size_t k, uint64_t set)
{
    unsigned n = 0;
    for (; set; set &= set - 1)
        n += !c->stored || c->stored[k * 64 + (unsigned)__builtin_ctzll(set)] != WHOLE;
    return n;
}

/* of: sectors of the card's memory. */
static void sum_of(const Chunk *c, size_t k, uint64_t of, bool pairs, FootprintSum *out)
{
    uint64_t low = 0x5555555555555555ull, read = c->read[k] & of, written = c->written[k] & of;
    uint64_t pair  = (read | read >> 1) & low; /* pairs of which any is loaded, at the lower one's bit */
    uint64_t there = pairs ? pair * 3 : read;
    out->missed += pairs ? bits(pair) + bits(pair & c->together[k]) : bits(read);
    out->fetched += bits(there);
    out->written += bits(written);
    out->all += bits(there | written);
    out->partly += lacking(c, k, written & ~c->whole[k] & ~there);
}

static void sum_chunk(const Chunk *c, bool pairs, const HostMemory *host, FootprintSum *out)
{
    uint64_t from  = (c->number - 1) << CHUNK;
    size_t   first = hostmem_behind(host, from);
    bool     any   = first < host->n && host->range[first].from < from + (1u << CHUNK);
    for (size_t k = 0; k < WORDS; k++) {
        uint64_t at   = from + (k << (SECTOR + 6));
        uint64_t away = any ? hostmem_sectors(host, at, false) : 0;
        out->host_read += bits(c->read[k] & away);
        out->host_written += bits(c->written[k] & away);
        out->moved += any ? bits((c->read[k] | c->written[k]) & hostmem_sectors(host, at, true)) : 0;
        sum_of(c, k, ~away, pairs, out);
    }
}

void footprint_sum(const Footprint *f, bool pairs, const HostMemory *host, FootprintSum *out)
{
    *out = (FootprintSum){0};
    for (size_t i = 0; i < f->cap; i++)
        if (f->slot[i])
            sum_chunk(f->slot[i], pairs, host, out);
}

void footprint_free(Footprint *f)
{
    for (size_t i = 0; i < f->cap; i++) {
        if (f->slot[i])
            free(f->slot[i]->stored);
        free(f->slot[i]);
    }
    free(f->slot);
    *f = (Footprint){0};
}
