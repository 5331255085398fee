/* SPDX-License-Identifier: Apache-2.0
 *
 * Two things are kept of global accesses.
 *   Footprint: a bit for each sector, loaded or stored, by chunks of 1 MiB of addresses.  It is a union, so neither the order of blocks nor the
 *   number of workers matters.
 *   Streams: of the blocks that lie on SAMPLED multiprocessors in the first wave (block b starts on multiprocessor b modulo their number), each
 *   warp's accesses in order, at most MOST entries a block.  They are replayed as a multiprocessor would make them: one access of each warp in
 *   turn.  (The emulator runs a warp for long before the next, which no card does.)
 *
 * Left out: blocks of later waves, which find in L1 what earlier ones left; bulk and tensor copies, textures, local memory.
 * Updates by atomics are counted by a hash of their word: that of the hottest word is what serialises. */
#include "check/time/stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "model/cache.h"

enum { SAMPLED = 4, MOST_BLOCKS = 64, MOST_WARPS = 1 << 18, MOST = 1 << 14 };
enum { HOT_BITS = 12, HOT = 1 << HOT_BITS, CHUNK = 20, SECTOR = 5, WORDS = (1 << (CHUNK - SECTOR)) / 64 };

typedef struct Chunk {
    uint64_t number; /* address >> CHUNK, plus 1; 0 = empty */
    uint64_t read[WORDS], written[WORDS];
} Chunk;

typedef struct Footprint {
    Chunk **slot;
    size_t  n, cap;
    Chunk  *last;
} Footprint;

typedef struct Entry { /* one line of an access */
    uint64_t line;
    uint32_t instr;
    uint16_t warp;
    uint8_t  sectors;
    bool     first, store, through; /* first: of its access; through: past L1 */
} Entry;

typedef struct Stream { /* one block's */
    uint64_t block;
    Entry   *entry;
    size_t   n, cap;
    uint64_t cut;
} Stream;

typedef struct Watch {
    Observer      base;
    StreamSetting is;
    uint64_t      blocks;
    uint32_t      instrs;
    Footprint     seen;
    uint32_t     *made; /* accesses by warp of the launch; NULL: it has too many */
    unsigned      warps_of_block;
    uint64_t      hot[2][HOT];         /* by lanes; by accesses */
    Stream        stream[MOST_BLOCKS]; /* in the order of sampled_block */
    StreamHits   *hits;
} Watch;

typedef struct State {
    Watch    *w;
    Footprint seen;
    uint32_t *made;
    uint64_t  hot[2][HOT];
    Stream    stream[MOST_BLOCKS];
} State;

/* ---- which blocks ---- */

static unsigned sampled_sms(const Watch *w)
{
    unsigned n = MOST_BLOCKS / (w->is.resident ? w->is.resident : 1);
    return n < 1 ? 1 : n > SAMPLED ? SAMPLED : n;
}

/* The place of a block in Watch.stream; -1: it is not looked at. */
static int sampled_block(const Watch *w, uint64_t block)
{
    unsigned n = sampled_sms(w), step = w->is.sms / n ? w->is.sms / n : 1;
    uint64_t sm = block % w->is.sms, turn = block / w->is.sms;
    if (sm % step || sm / step >= n || turn >= w->is.resident || turn * n + sm / step >= MOST_BLOCKS)
        return -1;
    return (int)(turn * n + sm / step);
}

/* ---- footprint ---- */

static void footprint_grow(Footprint *f)
{
    size_t  cap  = f->cap ? 2 * f->cap : 64;
    Chunk **slot = xcalloc(cap, sizeof(Chunk *));
    for (size_t i = 0; i < f->cap; i++)
        if (f->slot[i]) {
            size_t at = (f->slot[i]->number * 0x9e3779b97f4a7c15ull) >> 20 & (cap - 1);
            while (slot[at])
                at = (at + 1) & (cap - 1);
            slot[at] = f->slot[i];
        }
    free(f->slot);
    f->slot = slot;
    f->cap  = cap;
}

static Chunk *footprint_chunk(Footprint *f, uint64_t number)
{
    if (f->last && f->last->number == number)
        return f->last;
    if (2 * f->n >= f->cap)
        footprint_grow(f);
    size_t at = (number * 0x9e3779b97f4a7c15ull) >> 20 & (f->cap - 1);
    while (f->slot[at] && f->slot[at]->number != number)
        at = (at + 1) & (f->cap - 1);
    if (!f->slot[at]) {
        f->slot[at]         = xcalloc(1, sizeof(Chunk));
        f->slot[at]->number = number;
        f->n++;
    }
    return f->last = f->slot[at];
}

static void footprint_add(Footprint *f, uint64_t line, unsigned sectors, bool reads, bool writes)
{
    Chunk   *c   = footprint_chunk(f, (line >> (CHUNK - 7)) + 1);
    unsigned bit = (unsigned)(line << 2) & ((1u << (CHUNK - SECTOR)) - 1);
    uint64_t set = (uint64_t)sectors << (bit & 63);
    if (reads)
        c->read[bit / 64] |= set;
    if (writes)
        c->written[bit / 64] |= set;
}

static void footprint_join(Footprint *to, Footprint *from)
{
    for (size_t i = 0; i < from->cap; i++) {
        const Chunk *c = from->slot[i];
        Chunk       *t = c ? footprint_chunk(to, c->number) : NULL;
        for (size_t k = 0; c && k < WORDS; k++) {
            t->read[k] |= c->read[k];
            t->written[k] |= c->written[k];
        }
    }
}

static void footprint_free(Footprint *f)
{
    for (size_t i = 0; i < f->cap; i++)
        free(f->slot[i]);
    free(f->slot);
}

/* ---- while the launch runs ---- */

static void *stream_fork(Observer *o, const LaunchInfo *info, unsigned worker)
{
    Watch *w  = (Watch *)o;
    State *s  = xcalloc(1, sizeof *s);
    s->w      = w;
    w->blocks = (uint64_t)info->grid[0] * info->grid[1] * info->grid[2];
    w->instrs = info->instrs;
    (void)worker;
    w->warps_of_block = (info->block[0] * info->block[1] * info->block[2] + LANES - 1) / LANES;
    if (w->blocks * w->warps_of_block <= MOST_WARPS)
        s->made = xcalloc(w->blocks * w->warps_of_block, sizeof *s->made);
    return s;
}

static void add_entry(Stream *s, const Access *a, uint64_t line, unsigned sectors, bool first)
{
    if (s->n == MOST) {
        s->cut += first;
        return;
    }
    if (s->n == s->cap) {
        s->cap   = s->cap ? 2 * s->cap : 256;
        s->entry = xrealloc(s->entry, s->cap * sizeof *s->entry);
    }
    bool past =
        a->is_volatile || a->cache == CACHE_CG || a->cache == CACHE_CV || a->op == ACCESS_ATOM || a->op == ACCESS_RED;
    s->entry[s->n++] = (Entry){.line    = line,
                               .instr   = a->instr,
                               .warp    = (uint16_t)a->warp,
                               .sectors = (uint8_t)sectors,
                               .first   = first,
                               .store   = a->op == ACCESS_ST,
                               .through = past || a->op == ACCESS_COPY};
}

/* The lines that the lanes touch, each with its sectors; how many.  Neighbours mostly lie on one line, so that is tried first. */
static unsigned lines_of(const Access *a, uint64_t line[LANES], uint8_t sectors[LANES])
{
    unsigned n = 0, at = 0;
    for (uint32_t mask = a->mask; mask; mask &= mask - 1) {
        uint64_t addr = a->addr[__builtin_ctz(mask)], l = addr >> 7;
        if (!n || line[at] != l)
            for (at = 0; at < n && line[at] != l;)
                at++;
        if (at == n) {
            line[n]      = l;
            sectors[n++] = 0;
        }
        sectors[at] |= (uint8_t)(1u << (addr >> SECTOR & 3));
    }
    return n;
}

/* Of every word that the lanes update: how many of them do, and that they do. */
static void count_updates(State *s, const Access *a)
{
    uint64_t before = 0;
    for (uint32_t mask = a->mask; mask; mask &= mask - 1) {
        uint64_t word = (a->addr[__builtin_ctz(mask)] >> 2) + 1;
        size_t   at   = (word * 0x9e3779b97f4a7c15ull) >> (64 - HOT_BITS);
        s->hot[0][at]++;
        s->hot[1][at] += word != before;
        before = word;
    }
}

static void stream_access(void *state, const Access *a)
{
    State   *s = state;
    uint64_t line[LANES];
    uint8_t  sectors[LANES];
    if (!a->addr)
        return;
    if (s->made && a->warp < s->w->warps_of_block)
        s->made[a->block * s->w->warps_of_block + a->warp]++;
    if (a->op == ACCESS_ATOM || a->op == ACCESS_RED)
        count_updates(s, a);
    unsigned n = lines_of(a, line, sectors);
    int      k = sampled_block(s->w, a->block);
    for (unsigned i = 0; i < n; i++) {
        footprint_add(&s->seen, line[i], sectors[i], a->op != ACCESS_ST, a->op != ACCESS_LD && a->op != ACCESS_COPY);
        if (k >= 0)
            add_entry(&s->stream[k], a, line[i], sectors[i], i == 0);
    }
}

static void stream_join(Observer *o, void *state)
{
    Watch *w = (Watch *)o;
    State *s = state;
    footprint_join(&w->seen, &s->seen);
    footprint_free(&s->seen);
    if (s->made && !w->made) {
        w->made = s->made;
    } else if (s->made) {
        for (uint64_t i = 0; i < w->blocks * w->warps_of_block; i++)
            w->made[i] += s->made[i];
        free(s->made);
    }
    for (unsigned i = 0; i < HOT; i++) {
        w->hot[0][i] += s->hot[0][i];
        w->hot[1][i] += s->hot[1][i];
    }
    for (unsigned i = 0; i < MOST_BLOCKS; i++)
        if (s->stream[i].n) { /* a block runs on one worker */
            free(w->stream[i].entry);
            w->stream[i] = s->stream[i];
        }
    free(s);
}

Observer *stream_new(const StreamSetting *is)
{
    Watch        *w   = xcalloc(1, sizeof *w);
    const uint8_t all = 1u << ACCESS_LD | 1u << ACCESS_ST | 1u << ACCESS_ATOM | 1u << ACCESS_RED | 1u << ACCESS_COPY;
    w->is             = *is;
    w->base           = (Observer){.fork = stream_fork, .access = stream_access, .join = stream_join};
    w->base.wants[ACCESS_GLOBAL] = all;
    return &w->base;
}

void stream_free(Observer *o)
{
    Watch *w = (Watch *)o;
    if (!w)
        return;
    footprint_free(&w->seen);
    for (unsigned i = 0; i < MOST_BLOCKS; i++)
        free(w->stream[i].entry);
    free(w->hits);
    free(w->made);
    free(w);
}

/* ---- afterwards ---- */

typedef struct Cursor { /* a warp of a block: its next entry */
    const Stream *s;
    size_t        at;
    uint16_t      warp;
} Cursor;

static void skip(Cursor *c)
{
    while (c->at < c->s->n && c->s->entry[c->at].warp != c->warp)
        c->at++;
}

/* One line of an access; gives how many of its sectors were not there. */
static unsigned step_line(Watch *w, ModelCache *l1, const Entry *e, StreamSum *sum)
{
    if (e->store)
        model_cache_store(l1, e->line, e->sectors);
    if (e->store || e->through || e->instr >= w->instrs)
        return 0;
    StreamHits *h     = &w->hits[e->instr];
    unsigned    asked = (unsigned)__builtin_popcount(e->sectors);
    unsigned    hits  = (unsigned)__builtin_popcount(model_cache_load(l1, e->line, e->sectors));
    h->sectors += asked;
    h->hits += hits;
    h->lines++;
    sum->l1.sectors += asked;
    sum->l1.hits += hits;
    return asked - hits;
}

/* One access of the warp; false: it has no more. */
static bool step(Watch *w, ModelCache *l1, Cursor *c, StreamSum *sum)
{
    skip(c);
    if (c->at >= c->s->n)
        return false;
    const Entry *first  = &c->s->entry[c->at];
    unsigned     missed = 0;
    do {
        missed += step_line(w, l1, &c->s->entry[c->at++], sum);
        skip(c);
    } while (c->at < c->s->n && !c->s->entry[c->at].first);
    if (first->instr < w->instrs) {
        w->hits[first->instr].accesses++;
        w->hits[first->instr].waited += missed > 0;
    }
    return true;
}

/* Adds a cursor for each warp that made an access. */
static void add_warps(const Stream *s, Cursor **list, size_t *n)
{
    uint64_t seen[1024 / 64] = {0};
    for (size_t i = 0; i < s->n; i++) {
        unsigned warp = s->entry[i].warp & 1023;
        if (seen[warp / 64] & 1ull << warp % 64)
            continue;
        seen[warp / 64] |= 1ull << warp % 64;
        *list       = xrealloc(*list, (*n + 1) * sizeof **list);
        (*list)[*n] = (Cursor){s, i, s->entry[i].warp};
        ++*n;
    }
}

static void replay_sm(Watch *w, unsigned sm, unsigned sms, StreamSum *sum)
{
    ModelCache *l1   = model_cache_new(w->is.l1_bytes);
    Cursor     *list = NULL;
    size_t      n    = 0;
    for (unsigned k = sm; k < MOST_BLOCKS; k += sms) {
        const Stream *s = &w->stream[k];
        sum->blocks += s->n > 0;
        sum->cut += s->cut;
        add_warps(s, &list, &n);
    }
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < n; i++)
            more |= step(w, l1, &list[i], sum);
    }
    free(list);
    model_cache_free(l1);
}

/* Of the hottest word, less what others that share its place have by chance. */
static uint64_t hottest(const uint64_t *hot)
{
    uint64_t all = 0, most = 0;
    for (unsigned i = 0; i < HOT; i++) {
        all += hot[i];
        most = hot[i] > most ? hot[i] : most;
    }
    return most - all / HOT;
}

/* How uneven the warps are. */
static void judge_warps(const Watch *w, StreamSum *out)
{
    double all = 0, of_blocks = 0, most = 0;
    if (!w->made)
        return;
    for (uint64_t b = 0; b < w->blocks; b++) {
        uint32_t longest = 0;
        for (unsigned i = 0; i < w->warps_of_block; i++) {
            uint32_t n = w->made[b * w->warps_of_block + i];
            all += n;
            longest = n > longest ? n : longest;
        }
        of_blocks += longest;
        most = longest > most ? longest : most;
    }
    if (all <= 0)
        return;
    double mean        = all / (double)(w->blocks * w->warps_of_block);
    out->block_longest = of_blocks / (double)w->blocks - mean;
    out->longest       = most - mean;
}

void stream_replay(Observer *o, StreamSum *out)
{
    Watch   *w = (Watch *)o;
    unsigned n = sampled_sms(w);
    *out       = (StreamSum){.of = w->blocks};
    w->hits    = xcalloc(w->instrs + 1u, sizeof *w->hits);
    for (unsigned sm = 0; sm < n; sm++)
        replay_sm(w, sm, n, out);
    judge_warps(w, out);
    out->hottest        = hottest(w->hot[0]);
    out->hottest_joined = hottest(w->hot[1]);
    for (size_t i = 0; i < w->seen.cap; i++)
        for (size_t k = 0; w->seen.slot[i] && k < WORDS; k++) {
            const Chunk *c = w->seen.slot[i];
            out->read_sectors += (uint64_t)__builtin_popcountll(c->read[k]);
            out->write_sectors += (uint64_t)__builtin_popcountll(c->written[k]);
            out->all_sectors += (uint64_t)__builtin_popcountll(c->read[k] | c->written[k]);
        }
}

const StreamHits *stream_instr(const Observer *o, uint32_t id)
{
    return &((const Watch *)o)->hits[id];
}
