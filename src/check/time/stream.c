/* SPDX-License-Identifier: Apache-2.0
 *
 * Three things are kept of global accesses.
 *   Footprint: which sectors are loaded, stored, stored as a whole (footprint.h).
 *   Updates by atomics: of which word and which slice of L2 there are most, since these take turns (updates.h).
 *   Streams: of the blocks that lie on SAMPLED multiprocessors in the first wave (block b starts on multiprocessor b modulo their number), each
 *   warp's accesses in order, at most MOST entries a block, and more of fewer blocks.  They are replayed as a multiprocessor would make
 *   them: one access of each warp in turn.  (The emulator runs a warp for long before the next, which no card does.)
 *
 * A fetch of a texture is told texel by texel, and is one access here.  Its lines are those of texels in rows; a card keeps neighbours of two
 * rows in one sector, so that a fetch along a row touches more sectors and leaves them for the next row's.
 *
 * Left out: blocks of later waves, which find in L1 what earlier ones left; bulk and tensor copies, local memory. */
#include "check/time/stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "check/time/updates.h"
#include "model/cache.h"
#include "ptx/merge.h"

enum { SAMPLED = 4, MOST_BLOCKS = 64, MOST_WARPS = 1 << 18, MOST = 1 << 14, LINE = 7, SECTOR = 5 };
enum { FETCH_LINES = 4 * LANES };

typedef struct Entry { /* one line of an access */
    uint64_t line;
    uint32_t next; /* the warp's next access, once the launch is over; the stream's n: there is none */
    uint32_t instr;
    uint16_t warp;
    uint8_t  sectors;
    uint8_t  lines;                            /* of the whole access, at its first line; at others 0 */
    uint8_t  from;                             /* FetchFrom, likewise; after the replay */
    bool     load : 1, store : 1, through : 1; /* through: past L1; neither load nor store: an update or a copy */
    bool     texture : 1;                      /* or a surface */
} Entry;

typedef struct Stream { /* one block's */
    uint64_t block;
    Entry   *entry;
    size_t   n, cap;
    uint64_t cut;
} Stream;

typedef struct Fetch { /* of texels, as far as it has been told */
    Access   of;
    Touch    touch[FETCH_LINES];
    unsigned n; /* 0: there is none */
} Fetch;

typedef struct Drawn { /* sectors of textures and surfaces */
    uint64_t loaded, stored;
} Drawn;

typedef struct Watch {
    Observer      base;
    StreamSetting is;
    uint64_t      blocks;
    size_t        most; /* entries of a block */
    uint32_t      instrs;
    Footprint     seen;
    uint32_t     *made; /* accesses by warp of the launch; NULL: it has too many */
    uint64_t     *ran;  /* instructions, likewise */
    unsigned      warps_of_block;
    Updates       updates;
    Drawn         drawn;
    Stream        stream[MOST_BLOCKS]; /* in the order of sampled_block */
    StreamHits   *hits;
} Watch;

typedef struct State {
    Watch          *w;
    const EmuInstr *instr;
    Footprint       seen;
    uint32_t       *made;
    uint64_t       *ran;
    Updates         updates;
    Drawn           drawn;
    Fetch           fetch;
    Stream          stream[MOST_BLOCKS];
} State;

/* ---- which blocks ---- */

/* Multiprocessors that have a block. */
static unsigned busy_sms(const Watch *w)
{
    return w->blocks && w->blocks < w->is.sms ? (unsigned)w->blocks : w->is.sms;
}

static unsigned sampled_sms(const Watch *w)
{
    unsigned n    = MOST_BLOCKS / (w->is.resident ? w->is.resident : 1),
             most = busy_sms(w) < SAMPLED ? busy_sms(w) : SAMPLED;
    return n < 1 ? 1 : n > most ? most : n;
}

/* The place of a block in Watch.stream; -1: it is not looked at. */
static int sampled_block(const Watch *w, uint64_t block)
{
    unsigned n = sampled_sms(w), step = busy_sms(w) / n;
    step = step > 1 ? step - !(step & 1) : 1; /* rows of an even number of blocks may begin alike in their lines */
    uint64_t sm = block % w->is.sms, turn = block / w->is.sms;
    if (sm % step || sm / step >= n || turn >= w->is.resident || turn * n + sm / step >= MOST_BLOCKS)
        return -1;
    return (int)(turn * n + sm / step);
}

/* How many blocks are looked at, at most. */
static unsigned places(const Watch *w)
{
    uint64_t turns = (w->blocks + w->is.sms - 1) / (w->is.sms ? w->is.sms : 1),
             most  = w->is.resident ? w->is.resident : 1;
    uint64_t n     = sampled_sms(w) * (turns < most ? turns : most);
    return n < 1 ? 1 : n > MOST_BLOCKS ? MOST_BLOCKS : (unsigned)n;
}

/* ---- while the launch runs ---- */

static void *stream_fork(Observer *o, const LaunchInfo *info, unsigned worker)
{
    Watch *w  = (Watch *)o;
    State *s  = xcalloc(1, sizeof *s);
    s->w      = w;
    s->instr  = info->instr;
    w->blocks = (uint64_t)info->grid[0] * info->grid[1] * info->grid[2];
    w->instrs = info->instrs;
    w->most   = (size_t)MOST * MOST_BLOCKS / places(w);
    (void)worker;
    w->warps_of_block = (info->block[0] * info->block[1] * info->block[2] + LANES - 1) / LANES;
    if (w->blocks * w->warps_of_block <= MOST_WARPS) {
        s->made = xcalloc(w->blocks * w->warps_of_block, sizeof *s->made);
        s->ran  = xcalloc(w->blocks * w->warps_of_block, sizeof *s->ran);
    }
    return s;
}

static void add_entry(Stream *s, const Access *a, const Touch *touch)
{
    if (s->n == s->cap) {
        s->cap   = s->cap ? 2 * s->cap : 256;
        s->entry = xrealloc(s->entry, s->cap * sizeof *s->entry);
    }
    bool beyond = a->sem != SEM_WEAK && a->scope > SCOPE_CTA; /* others may have written it meanwhile */
    bool past   = a->is_volatile || beyond || a->cache == CACHE_CG || a->cache == CACHE_CV || a->op == ACCESS_ATOM ||
                a->op == ACCESS_RED;
    s->entry[s->n++] = (Entry){.line    = touch->line,
                               .instr   = a->instr,
                               .warp    = (uint16_t)a->warp,
                               .sectors = touch->sectors,
                               .load    = a->op == ACCESS_LD,
                               .store   = a->op == ACCESS_ST,
                               .through = past || a->op == ACCESS_COPY,
                               .texture = a->space != ACCESS_GLOBAL};
}

static void add_lines(const Watch *w, Stream *s, const Access *a, const Touch *touch, unsigned n)
{
    size_t begin = s->n, room = w->most - begin;
    if (!room) {
        s->cut++;
        return;
    }
    if (n > room)
        n = (unsigned)room;
    for (unsigned i = 0; i < n; i++)
        add_entry(s, a, &touch[i]);
    s->entry[begin].lines = (uint8_t)n;
}

/* The lines that the lanes touch, each with its sectors and, of stores, bytes, behind the n that there are; how many.  Neighbours mostly lie on
 * one line, so that is tried first.  No lane's bytes reach beyond a sector: accesses of up to 32 bytes are aligned. */
static unsigned lines_of(const Access *a, Touch *touch, unsigned n)
{
    unsigned at    = 0;
    uint32_t bytes = a->op == ACCESS_ST ? (uint32_t)((1ull << a->bytes) - 1) : 0;
    for (uint32_t mask = a->mask; mask; mask &= mask - 1) {
        uint64_t addr = a->addr[__builtin_ctz(mask)], line = addr >> LINE;
        if (!n || touch[at].line != line)
            for (at = 0; at < n && touch[at].line != line;)
                at++;
        if (at == n)
            touch[n++] = (Touch){.line = line};
        touch[at].sectors |= (uint8_t)(1u << (addr >> SECTOR & 3));
        touch[at].bytes[addr >> SECTOR & 3] |= bytes << (addr & 31);
    }
    return n;
}

static const uint8_t ones[16] = {0, 1, 1, 2, 1, 2, 2, 3,
                                 1, 2, 2, 3, 2, 3, 3, 4}; /* sectors of a line: a call on CPUs that cannot count */

static void note_lines(State *s, const Access *a, const Touch *touch, unsigned n)
{
    bool      updates = a->op == ACCESS_ATOM || a->op == ACCESS_RED, texture = a->space != ACCESS_GLOBAL;
    TouchKind kind = updates ? TOUCH_UPDATE : a->op == ACCESS_ST ? TOUCH_STORE : TOUCH_LOAD;
    int       k    = sampled_block(s->w, a->block);
    if (s->made && a->warp < s->w->warps_of_block)
        s->made[a->block * s->w->warps_of_block + a->warp]++;
    for (unsigned i = 0; i < n; i++)
        footprint_add(&s->seen, &touch[i], kind);
    for (unsigned i = 0; texture && !updates && i < n; i++)
        *(kind == TOUCH_STORE ? &s->drawn.stored : &s->drawn.loaded) += ones[touch[i].sectors & 15];
    if (k >= 0)
        add_lines(s->w, &s->stream[k], a, touch, n);
}

static void end_fetch(State *s)
{
    if (s->fetch.n)
        note_lines(s, &s->fetch.of, s->fetch.touch, s->fetch.n);
    s->fetch.n = 0;
}

/* All first texels of the lanes come first, then all second ones.  One that touches more lines than there is room for becomes several. */
static void note_texels(State *s, const Access *a)
{
    Fetch *f = &s->fetch;
    if (!a->texel || f->n > FETCH_LINES - LANES)
        end_fetch(s);
    f->of      = *a;
    f->of.addr = NULL; /* the caller's */
    f->n       = lines_of(a, f->touch, f->n);
}

static void note_access(void *state, const Access *a)
{
    State *s = state;
    Touch  touch[LANES];
    if (!a->addr)
        return;
    if (a->space == ACCESS_TEXTURE) {
        note_texels(s, a);
        return;
    }
    end_fetch(s);
    if (a->space == ACCESS_GLOBAL && (a->op == ACCESS_ATOM || a->op == ACCESS_RED))
        updates_add(&s->updates, a, s->instr, s->w->is.joins, s->w->is.slices);
    note_lines(s, a, touch, lines_of(a, touch, 0));
}

/* Loads that are made elsewhere are told of there (note_access). */
static void stream_access(void *state, const Access *a)
{
    const State *s = state;
    if (!s->instr || !(s->instr[a->instr].merges & MERGE_SINKS) || !s->w->is.sinks)
        note_access(state, a);
}

static void stream_warp_end(void *state, uint64_t block, uint32_t warp, uint64_t instructions)
{
    State *s = state;
    if (s->ran && block < s->w->blocks && warp < s->w->warps_of_block)
        s->ran[block * s->w->warps_of_block + warp] += instructions;
}

static void stream_join(Observer *o, void *state)
{
    Watch *w = (Watch *)o;
    State *s = state;
    end_fetch(s);
    w->drawn.loaded += s->drawn.loaded;
    w->drawn.stored += s->drawn.stored;
    footprint_join(&w->seen, &s->seen);
    footprint_free(&s->seen);
    if (s->made && !w->made) {
        w->made = s->made;
        w->ran  = s->ran;
    } else if (s->made) {
        for (uint64_t i = 0; i < w->blocks * w->warps_of_block; i++) {
            w->made[i] += s->made[i];
            w->ran[i] += s->ran[i];
        }
        free(s->made);
        free(s->ran);
    }
    updates_join(&w->updates, &s->updates);
    for (unsigned i = 0; i < MOST_BLOCKS; i++)
        if (s->stream[i].n) { /* a block runs on one worker */
            free(w->stream[i].entry);
            w->stream[i] = s->stream[i];
        }
    free(s);
}

void stream_put(const Observer *o, Parcel *p)
{
    const Watch *w = (const Watch *)o;
    footprint_put(&w->seen, p);
    parcel_put(p, &w->updates, sizeof w->updates);
    parcel_put(p, &w->drawn, sizeof w->drawn);
    parcel_put_number(p, w->made ? w->blocks * w->warps_of_block : 0);
    parcel_put(p, w->made, w->made ? w->blocks * w->warps_of_block * sizeof *w->made : 0);
    parcel_put(p, w->ran, w->made ? w->blocks * w->warps_of_block * sizeof *w->ran : 0);
    for (unsigned i = 0; i < MOST_BLOCKS; i++) {
        parcel_put_number(p, w->stream[i].block);
        parcel_put_number(p, w->stream[i].cut);
        parcel_put_number(p, w->stream[i].n);
        parcel_put(p, w->stream[i].entry, w->stream[i].n * sizeof(Entry));
    }
}

static void take_made(Watch *w, Parcel *p)
{
    size_t          n    = parcel_count(p, sizeof *w->made);
    const uint32_t *made = parcel_bytes(p, n * sizeof *made);
    const uint64_t *ran  = parcel_bytes(p, n * sizeof *ran);
    for (size_t i = 0; made && ran && w->made && i < n && i < w->blocks * w->warps_of_block; i++) {
        uint32_t more;
        uint64_t longer;
        memcpy(&more, made + i, sizeof more);
        memcpy(&longer, ran + i, sizeof longer);
        w->made[i] += more;
        w->ran[i] += longer;
    }
}

/* Do the accesses' numbers of lines lead to the stream's end? */
static bool is_whole(const Stream *s)
{
    size_t i = 0;
    while (i < s->n && s->entry[i].lines)
        i += s->entry[i].lines;
    return i == s->n;
}

void stream_add(Observer *o, Parcel *p)
{
    Watch   *w = (Watch *)o;
    Updates *u = xcalloc(1, sizeof *u);
    footprint_take(&w->seen, p);
    parcel_take(p, u, sizeof *u);
    updates_join(&w->updates, u);
    free(u);
    Drawn drawn = {0};
    parcel_take(p, &drawn, sizeof drawn);
    w->drawn.loaded += drawn.loaded;
    w->drawn.stored += drawn.stored;
    take_made(w, p);
    for (unsigned i = 0; i < MOST_BLOCKS; i++) {
        Stream s = {.block = parcel_number(p), .cut = parcel_number(p)};
        s.n = s.cap = parcel_count(p, sizeof(Entry));
        s.entry     = xcalloc(s.n + 1, sizeof *s.entry);
        parcel_take(p, s.entry, s.n * sizeof *s.entry);
        p->bad |= !is_whole(&s);
        if (s.n && !p->bad) { /* a block runs in one process */
            free(w->stream[i].entry);
            w->stream[i] = s;
        } else {
            free(s.entry);
        }
    }
}

Observer *stream_new(const StreamSetting *is)
{
    Watch        *w   = xcalloc(1, sizeof *w);
    const uint8_t all = 1u << ACCESS_LD | 1u << ACCESS_ST | 1u << ACCESS_ATOM | 1u << ACCESS_RED | 1u << ACCESS_COPY;
    w->is             = *is;
    w->base =
        (Observer){.fork = stream_fork, .access = stream_access, .warp_end = stream_warp_end, .join = stream_join};
    w->base.wants[ACCESS_GLOBAL] = w->base.wants[ACCESS_SURFACE] = all;
    w->base.wants[ACCESS_TEXTURE]                                = 1u << ACCESS_LD;
    if (is->sinks) {
        w->base.wants[ACCESS_GLOBAL] |= 1u << ACCESS_SUNK;
        w->base.sunk = note_access;
    }
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
    free(w->ran);
    free(w);
}

/* ---- afterwards ---- */

enum { WARPS = 1024 }; /* of a block, at most */

typedef struct Cursor { /* a warp of a block: its first access, and its next one */
    const Stream *s;
    size_t        begin, at;
    size_t        store; /* where its last access begins, if that was a store; SIZE_MAX: it was not */
    double        waits; /* clocks */
} Cursor;

typedef struct Sm { /* while its blocks' accesses are replayed */
    ModelCache *l1;
    Fetched    *fetched;
    uint32_t    round; /* one access of each warp */
} Sm;

/* Does any of its sectors lie with the host? */
static bool is_away(const Watch *w, const Entry *e)
{
    return w->is.host.n && hostmem_sectors(&w->is.host, e->line << LINE, false) & e->sectors;
}

/* One line of an access; gives from where it comes.  Loads that pass L1 by are counted there as misses. */
static FetchFrom step_line(const Watch *w, Sm *sm, const Entry *e, StreamHits *h)
{
    if (e->store) {
        model_cache_store(sm->l1, e->line, e->sectors);
        fetched_store(sm->fetched, e->line, e->sectors);
    }
    if (e->store || e->instr >= w->instrs)
        return FETCH_NEAR;
    unsigned near = e->through ? 0 : model_cache_load(sm->l1, e->line, e->sectors);
    h->lines++;
    if (e->load) {
        h->sectors += ones[e->sectors & 15];
        h->hits += ones[near & 15];
    }
    FetchFrom from = fetched_load(sm->fetched, e->line, e->sectors, near, sm->round);
    return from == FETCH_DRAM && is_away(w, e) ? FETCH_HOST : from;
}

/* Of a store's line: the sectors that the warp's access before, a store as well, has stored. */
static unsigned stored_before(const Cursor *c, const Entry *e)
{
    unsigned sectors = 0;
    size_t   end     = c->store < c->s->n ? c->store + c->s->entry[c->store].lines : 0;
    for (size_t i = c->store; i < end; i++)
        sectors |= c->s->entry[i].line == e->line ? c->s->entry[i].sectors : 0;
    return sectors & e->sectors;
}

static void count_store(const Cursor *c, const Entry *e, StreamSum *sum)
{
    if (!e->store)
        return;
    unsigned before = stored_before(c, e);
    sum->stored += (unsigned)__builtin_popcount(e->sectors);
    sum->joined += (unsigned)__builtin_popcount(before);
    sum->stored_lines += before != e->sectors;
}

/* One access of the warp; false: it has no more. */
static bool step(Watch *w, Sm *sm, Cursor *c, StreamSum *sum)
{
    if (c->at >= c->s->n)
        return false;
    const Entry *first    = &c->s->entry[c->at];
    FetchFrom    farthest = FETCH_NEAR;
    size_t       begin    = c->at;
    StreamHits   here     = {0};
    for (const Entry *e = first; e < first + first->lines; e++) {
        FetchFrom from = step_line(w, sm, e, &here);
        farthest       = from > farthest ? from : farthest;
        count_store(c, e, sum);
    }
    c->at = first->next;
    if (c->at < c->s->n)
        __builtin_prefetch(&c->s->entry[c->at]); /* wanted when all other warps have had their turn */
    StreamHits *total = first->texture ? &sum->texture : &sum->l1;
    total->sectors += here.sectors;
    total->hits += here.hits;
    c->store = first->store ? begin : SIZE_MAX;
    if (first->instr < w->instrs && !first->store) {
        StreamHits *h = &w->hits[first->instr];
        h->lines += here.lines;
        h->sectors += here.sectors;
        h->hits += here.hits;
        h->accesses++;
        c->s->entry[begin].from = (uint8_t)farthest;
        c->waits += w->is.clocks[farthest];
        h->from[farthest]++;
    }
    return true;
}

/* Adds a cursor for each warp that made an access, and chains its accesses. */
static void add_warps(Stream *s, Cursor **list, size_t *n)
{
    size_t  last[WARPS];
    uint8_t seen[WARPS] = {0};
    for (size_t i = 0; i < s->n; i += s->entry[i].lines) {
        unsigned warp    = s->entry[i].warp % WARPS;
        s->entry[i].next = (uint32_t)s->n;
        if (seen[warp]) {
            s->entry[last[warp]].next = (uint32_t)i;
        } else {
            *list           = xrealloc(*list, (*n + 1) * sizeof **list);
            (*list)[(*n)++] = (Cursor){s, i, i, SIZE_MAX, 0};
        }
        seen[warp] = 1;
        last[warp] = i;
    }
}

/* Counts the accesses of the warp of a block that waits longest, since the block does not end before it. */
static void count_slow(Watch *w, const Stream *s, const Cursor *list, size_t n)
{
    const Cursor *slow = NULL;
    for (size_t i = 0; i < n; i++)
        if (list[i].s == s && (!slow || list[i].waits > slow->waits))
            slow = &list[i];
    for (size_t i = slow ? slow->begin : s->n; i < s->n; i = s->entry[i].next) {
        const Entry *e = &s->entry[i];
        if (e->store || e->instr >= w->instrs)
            continue;
        w->hits[e->instr].slow[e->from]++;
    }
}

static void replay_sm(Watch *w, unsigned sm, unsigned sms, Fetched *fetched, StreamSum *sum)
{
    Sm      on   = {.l1 = model_cache_new(w->is.l1_bytes), .fetched = fetched};
    Cursor *list = NULL;
    size_t  n    = 0;
    for (unsigned k = sm; k < MOST_BLOCKS; k += sms) {
        Stream *s = &w->stream[k];
        sum->blocks += s->n > 0;
        sum->cut += s->cut;
        add_warps(s, &list, &n);
    }
    for (bool more = true; more;) {
        more = false;
        on.round++;
        for (size_t i = 0; i < n; i++)
            more |= step(w, &on, &list[i], sum);
    }
    for (unsigned k = sm; k < MOST_BLOCKS; k += sms)
        count_slow(w, &w->stream[k], list, n);
    free(list);
    model_cache_free(on.l1);
}

/* How uneven the blocks are.  Of numbers that are all alike or 0, (sum)^2 / sum of squares is how many are not 0. */
static void judge_blocks(const Watch *w, StreamSum *out)
{
    double all = 0, squares = 0, of_blocks = 0, most = 0;
    for (uint64_t b = 0; w->made && b < w->blocks; b++) {
        double longest = 0, block = 0;
        for (unsigned i = 0; i < w->warps_of_block; i++) {
            double n = w->made[b * w->warps_of_block + i];
            block += n;
            longest = n > longest ? n : longest;
        }
        all += block;
        squares += block * block;
        of_blocks += longest;
        most = longest > most ? longest : most;
    }
    if (all <= 0)
        return;
    out->busy_blocks = all * all / squares;
    out->longest     = most * out->busy_blocks / of_blocks;
}

/* The longest warp, and the block that has most to do.  Instructions, as warps run them that make no accesses as well, and a loop that makes many may
 * find them all in L1. */
static void judge_warps(const Watch *w, StreamSum *out)
{
    double all = 0, most = 0, heaviest = 0;
    for (uint64_t b = 0; w->ran && b < w->blocks; b++) {
        double block = 0;
        for (unsigned i = 0; i < w->warps_of_block; i++) {
            double n = (double)w->ran[b * w->warps_of_block + i];
            block += n;
            most = n > most ? n : most;
        }
        all += block;
        heaviest = block > heaviest ? block : heaviest;
    }
    if (all <= 0)
        return;
    out->uneven   = most * (double)(w->blocks * w->warps_of_block) / all;
    out->heaviest = heaviest / all;
}

void stream_replay(Observer *o, StreamSum *out)
{
    Watch   *w = (Watch *)o;
    unsigned n = sampled_sms(w);
    Fetched  fetched[SAMPLED];
    *out    = (StreamSum){.of = w->blocks, .textured = w->drawn.loaded, .drawn = w->drawn.stored};
    w->hits = xcalloc(w->instrs + 1u, sizeof *w->hits);
    for (unsigned sm = 0; sm < n; sm++) {
        fetched[sm] = (Fetched){.pairs = w->is.pairs};
        replay_sm(w, sm, n, &fetched[sm], out);
    }
    out->shared = fetched_together(fetched, n);
    for (unsigned sm = 0; sm < n; sm++)
        fetched_free(&fetched[sm]);
    judge_blocks(w, out);
    judge_warps(w, out);
    updates_sum(&w->updates, &out->updates);
    footprint_sum(&w->seen, w->is.pairs, &w->is.host, &out->seen);
}

const StreamHits *stream_instr(const Observer *o, uint32_t id)
{
    return &((const Watch *)o)->hits[id];
}
