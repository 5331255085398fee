/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps patterns: one hash table for each worker, joined into one at the end.  The same pattern told twice (the memo forgot it and
 * learned it again) is one entry with the sum of the hits.
 *
 * Invariants: what is kept does not depend on which worker ran which block: an instruction is wild when its distinct patterns over
 * all workers are too many, and the list is sorted.
 * Not kept: the order of accesses, and which warp or block made them (trace.h does for some blocks). */
#include "check/count/pattern.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/arena.h"
#include "check/count/hits.h"

typedef struct Key {
    uint32_t instr, mask;
    uint32_t kind; /* space, op, cache, bytes */
    uint32_t zero; /* no padding: keys are compared as bytes */
    int64_t  delta[LANES];
} Key;

typedef struct Entry {
    Key            key;
    Pattern        p;
    UT_hash_handle hh;
} Entry;

typedef struct Table {
    Entry    *by_key;
    uint16_t *kept; /* entries by instruction; PATTERN_MOST + 1 = wild */
    uint32_t  instrs;
} Table;

struct Patterns {
    CountSink       sink;
    Table           table;
    const Pattern **list; /* NULL until asked for */
    size_t          n;
};

static Key key_of(const CountPattern *p)
{
    Key k = {.instr = p->instr,
             .mask  = p->mask,
             .kind  = (uint32_t)p->space | (uint32_t)p->op << 8 | (uint32_t)p->cache << 16 | (uint32_t)p->bytes << 24};
    memcpy(k.delta, p->delta, sizeof k.delta);
    return k;
}

static void entry_free(Table *t, Entry *e)
{
    HASH_DEL(t->by_key, e); /* NOLINT(clang-analyzer-unix.Malloc): uthash's list */
    free(e->p.hits);
    free(e);
}

static void make_wild(Table *t, uint32_t instr)
{
    Entry *e, *next;
    HASH_ITER(hh, t->by_key, e, next)
    if (e->key.instr == instr)
        entry_free(t, e);
    t->kept[instr] = PATTERN_MOST + 1;
}

/* Adds hits of the places [first, first + n). */
static void entry_hits(Pattern *p, const uint64_t *hits, uint32_t first, uint32_t n)
{
    if (!p->places)
        p->first = first;
    uint32_t low = first < p->first ? first : p->first, end = p->first + p->places;
    end = first + n > end ? first + n : end;
    if (low < p->first || end > p->first + p->places) {
        uint64_t *wider = xcalloc(end - low, sizeof *wider);
        if (p->places)
            memcpy(wider + (p->first - low), p->hits, p->places * sizeof *wider);
        free(p->hits);
        p->hits   = wider;
        p->first  = low;
        p->places = end - low;
    }
    for (uint32_t i = 0; (i = hits_next(hits, i, n)) < n; i++) {
        p->hits[first - p->first + i] += hits[i];
        p->total += hits[i];
    }
}

static void table_add(Table *t, const Key *k, const uint64_t *hits, uint32_t first, uint32_t n)
{
    Entry   *e      = NULL;
    uint32_t unused = hits_next(hits, 0, n);
    hits += unused;
    first += unused;
    n -= unused;
    while (n && !hits[n - 1])
        n--;
    if (!n || k->instr >= t->instrs || t->kept[k->instr] > PATTERN_MOST)
        return;
    HASH_FIND(hh, t->by_key, k, sizeof *k, e);
    if (!e) {
        if (t->kept[k->instr]++ == PATTERN_MOST) {
            make_wild(t, k->instr);
            return;
        }
        e    = xcalloc(1, sizeof *e);
        e->p = (Pattern){.instr = k->instr,
                         .mask  = k->mask,
                         .space = (uint8_t)k->kind,
                         .op    = (uint8_t)(k->kind >> 8),
                         .cache = (uint8_t)(k->kind >> 16),
                         .bytes = (uint8_t)(k->kind >> 24)};
        memcpy(e->p.delta, k->delta, sizeof k->delta);
        e->key = *k;
        HASH_ADD(hh, t->by_key, key, sizeof e->key, e);
    }
    entry_hits(&e->p, hits, first, n);
}

static void table_size(Table *t, uint32_t instrs)
{
    if (instrs <= t->instrs)
        return;
    t->kept = xrealloc(t->kept, instrs * sizeof *t->kept);
    memset(t->kept + t->instrs, 0, (instrs - t->instrs) * sizeof *t->kept);
    t->instrs = instrs;
}

static void table_clear(Table *t)
{
    Entry *e, *next;
    HASH_ITER(hh, t->by_key, e, next)
    entry_free(t, e);
    free(t->kept);
    *t = (Table){0};
}

/* ---- the sink -------------------------------------------------------------------------------------------------------- */

static void *sink_fork(CountSink *s, const LaunchInfo *info)
{
    Table *t = xcalloc(1, sizeof *t);
    (void)s;
    table_size(t, info->instrs);
    return t;
}

static void sink_add(void *state, const CountPattern *p)
{
    Key k = key_of(p);
    table_add(state, &k, p->hits, 0, p->places);
}

static bool sink_wants(void *state, uint32_t instr)
{
    const Table *t = state;
    return instr < t->instrs && t->kept[instr] <= PATTERN_MOST;
}

static void sink_join(CountSink *s, void *state)
{
    Patterns *p    = (Patterns *)s;
    Table    *from = state;
    Entry    *e, *next;
    table_size(&p->table, from->instrs);
    for (uint32_t i = 0; i < from->instrs; i++)
        if (from->kept[i] > PATTERN_MOST && p->table.kept[i] <= PATTERN_MOST)
            make_wild(&p->table, i);
    HASH_ITER(hh, from->by_key, e, next)
    table_add(&p->table, &e->key, e->p.hits, e->p.first, e->p.places);
    table_clear(from);
    free(from);
    free(p->list);
    p->list = NULL;
}

void patterns_put(const Patterns *p, Parcel *out)
{
    const Table *t = &p->table;
    Entry       *e, *next;
    parcel_put_number(out, t->instrs);
    parcel_put(out, t->kept, t->instrs * sizeof *t->kept);
    parcel_put_number(out, HASH_COUNT(t->by_key));
    HASH_ITER(hh, t->by_key, e, next)
    {
        parcel_put(out, &e->key, sizeof e->key);
        parcel_put_number(out, e->p.first);
        parcel_put_number(out, e->p.places);
        parcel_put(out, e->p.hits, e->p.places * sizeof *e->p.hits);
    }
}

void patterns_add(Patterns *p, Parcel *from)
{
    size_t n = parcel_count(from, sizeof(uint16_t));
    table_size(&p->table, (uint32_t)n);
    for (size_t i = 0; i < n; i++) {
        uint16_t kept;
        parcel_take(from, &kept, sizeof kept);
        if (kept > PATTERN_MOST && p->table.kept[i] <= PATTERN_MOST)
            make_wild(&p->table, (uint32_t)i);
    }
    for (n = parcel_count(from, sizeof(Key)); n && !from->bad; n--) {
        Key k;
        parcel_take(from, &k, sizeof k);
        uint32_t  first  = (uint32_t)parcel_number(from);
        size_t    places = parcel_count(from, sizeof(uint64_t));
        uint64_t *hits   = xcalloc(places + 1, sizeof *hits);
        parcel_take(from, hits, places * sizeof *hits);
        table_add(&p->table, &k, hits, first, (uint32_t)places);
        free(hits);
    }
    free(p->list);
    p->list = NULL;
}

Patterns *patterns_new(void)
{
    Patterns *p   = xcalloc(1, sizeof *p);
    p->sink.fork  = sink_fork;
    p->sink.add   = sink_add;
    p->sink.wants = sink_wants;
    p->sink.join  = sink_join;
    return p;
}

void patterns_free(Patterns *p)
{
    if (!p)
        return;
    table_clear(&p->table);
    free(p->list);
    free(p);
}

CountSink *patterns_sink(Patterns *p)
{
    return &p->sink;
}

/* ---- what was kept --------------------------------------------------------------------------------------------------- */

static int by_pattern(const void *a, const void *b)
{
    const Pattern *x = *(const Pattern *const *)a, *y = *(const Pattern *const *)b;
    if (x->instr != y->instr)
        return x->instr < y->instr ? -1 : 1;
    if (x->space != y->space)
        return x->space < y->space ? -1 : 1;
    if (x->mask != y->mask)
        return x->mask < y->mask ? -1 : 1;
    for (int i = 0; i < LANES; i++)
        if (x->delta[i] != y->delta[i])
            return x->delta[i] < y->delta[i] ? -1 : 1;
    return 0;
}

static void make_list(Patterns *p)
{
    Entry *e, *next;
    p->n    = 0;
    p->list = xcalloc(HASH_COUNT(p->table.by_key) + 1, sizeof *p->list);
    HASH_ITER(hh, p->table.by_key, e, next)
    p->list[p->n++] = &e->p;
    qsort(p->list, p->n, sizeof *p->list, by_pattern);
}

size_t patterns_count(Patterns *p)
{
    if (!p->list)
        make_list(p);
    return p->n;
}

const Pattern *patterns_at(Patterns *p, size_t i)
{
    return i < patterns_count(p) ? p->list[i] : NULL;
}

bool patterns_wild(const Patterns *p, uint32_t instr)
{
    return instr < p->table.instrs && p->table.kept[instr] > PATTERN_MOST;
}

void pattern_addresses(const Pattern *t, uint32_t i, uint64_t *addr)
{
    uint64_t base = (uint64_t)(t->first + i) * t->bytes + (t->space == ACCESS_GLOBAL ? UINT64_C(1) << 60 : 0);
    for (unsigned k = 0; k < LANES; k++)
        addr[k] = base + (uint64_t)t->delta[k];
}
