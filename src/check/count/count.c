/* SPDX-License-Identifier: Apache-2.0
 *
 * The counting observer.  Kernels repeat few address patterns: the same lanes with the same differences between their
 * addresses, at other places.  So every instruction keeps the last WAYS patterns it showed, and for each of them how often its
 * first active lane stood at which place of the model's period (model.h):
 *
 *     Way  | key: mask, space | hits[place] -> counts | delta[32]: address minus first active address, 0 if idle |
 *
 * Where nothing comes back (an instruction that missed CHAOS times running), the model runs at once for the next DIRECT accesses (scatter.h),
 * for twice as many when the next look finds nothing either.
 * An access that matches a way (one vector compare over the 32 lanes) costs one increment.  The model runs only when a way is
 * evicted and at the join, once for each place with hits, and its numbers are multiplied by them.  A global atomic whose cost
 * depends on where it lies (model_movable) is not a pattern: the model runs at once.
 *
 * Invariants: an instruction's operation, width and cache policy never change (its space may: generic addresses);
 * addresses are naturally aligned (the emulator stops at others).  A state belongs to one worker; sums do not depend on which worker
 * ran which block, so neither do results.
 * With a sink (count.h) a shared way keeps the whole offset instead of the place, and every way is told before it is folded.
 * Accesses that the assembler joins: joined.h.
 * It does not model caches over time: sectors are those requested, not those missed. */
#include "check/count/count.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/simd.h"
#include "base/stress.h"
#include "check/count/atomic.h"
#include "check/count/count_async.h"
#include "check/count/count_sums.h"
#include "check/count/hits.h"
#include "check/count/joined.h"
#include "check/count/narrow.h"
#include "check/count/rounds.h"
#include "check/count/same.h"
#include "check/count/scatter.h"
#include "check/count/totals.h"
#include "model/model.h"
#include "ptx/merge.h"

enum {
    WAYS        = STRESSED(8, 1), /* a stride that goes by powers of two has six: 1 to 16, and more */
    CHAOS       = STRESSED(32, 4),
    DIRECT      = 1024,
    DOUBLINGS   = 5,
    MERGE_ALIGN = 16 /* decides about merging */
};

_Static_assert((int)ACCESS_GLOBAL == MODEL_GLOBAL && (int)ACCESS_SHARED == MODEL_SHARED &&
                   (int)ACCESS_LOCAL == MODEL_LOCAL,
               "the observer's spaces are the model's");
_Static_assert((int)ACCESS_LD == MODEL_LD && (int)ACCESS_ST == MODEL_ST && (int)ACCESS_ATOM == MODEL_ATOM &&
                   (int)ACCESS_RED == MODEL_RED && (int)ACCESS_LDSM == MODEL_LDSM && (int)ACCESS_STSM == MODEL_STSM,
               "the observer's operations are the model's");

/* ---- what is remembered ---------------------------------------------------------------------------------------------- */

typedef struct Way {
    uint64_t  key;          /* key_of; 0 = empty (no access has mask 0) */
    uint64_t *hits;         /* by place: (first active address modulo the period) / bytes */
    uint32_t  period;       /* less one */
    uint32_t  keep;         /* bits of the first active address that tell hits apart: period, or all for the sink */
    uint32_t  shift;        /* log2 of the bytes */
    uint32_t  places, room; /* of hits */
    _Alignas(64) union {
        uint32_t d32[LANES];
        uint64_t d64[LANES];
    } delta;
} Way;

typedef struct Site { /* one instruction of one worker */
    WwCounters sum;
    Joined     joined;
    uint64_t   others[3]; /* other shared accesses as the assembler makes them: passes, their ideal, rounds of loops */
    Way       *last;      /* way that matched last */
    uint32_t   role;      /* merge.h */
    uint8_t    op, bytes, cache;
    uint8_t    victim;    /* way to replace next */
    uint16_t   misses;    /* in a row */
    uint16_t   direct;    /* accesses yet to be given to the model at once */
    uint8_t    doublings; /* how often that number has doubled since something came back */
    Rounds    *rounds;    /* of a loop of compare-and-swap: all of its accesses come to site_rounds.  Or NULL */
    uint16_t   chaos;     /* with rounds: as direct without */
    bool       here;      /* of State.here: its accesses as PTX has them are another site's */
    Way        way[WAYS];
} Site;

typedef struct Count Count;

/* The last load without a pattern: a store to the same places, as of a[i] += x, costs as much. */
typedef struct Loaded {
    uint64_t  key;    /* key_of; 0: there is none.  Of all lanes: those of idle ones are arbitrary */
    bool      wanted; /* there was such a store: until then loads are not kept */
    uint8_t   bytes;
    ModelCost cost;
    uint64_t  at[LANES]; /* off or addr */
} Loaded;

typedef struct State { /* one worker */
    Count *count;
    void  *kept; /* the sink's state */
    Site **site; /* by instruction id; &nowhere until it makes an access */
    Site **here; /* likewise: loads where they are made that are made elsewhere than they stand; NULL: there was none */
    uint32_t        sites;
    const EmuInstr *instr;   /* by instruction id; NULL: nothing is merged */
    Scatter        *scatter; /* NULL: the model alone says what an access costs */
    Arena          *arena;   /* of the sites */
    Site           *nowhere; /* whose last way is empty */
    Loaded          loaded;
    AsyncLane       lane;
} State;

struct Count {
    Observer       base;
    const Profile *profile;
    Totals         total;
    WwCounters     all;
    bool           stale;        /* derived counters must be computed anew */
    bool           in_registers; /* what is local memory in PTX: count_in_registers */
    CountSink     *sink;         /* or NULL */
};

/* cp.async reads global memory and writes shared memory under one instruction. */
static ModelOp model_op(unsigned space, unsigned op)
{
    if (op == ACCESS_COPY)
        return space == ACCESS_SHARED ? MODEL_ST : MODEL_LD;
    return (ModelOp)op;
}

enum { LINES_SHIFT = 40 }; /* in an access's key */

static inline uint64_t key_of(const Access *a)
{
    return a->mask | (uint64_t)a->space << 32 | (uint64_t)a->lines << LINES_SHIFT;
}

/* ---- adding up ------------------------------------------------------------------------------------------------------- */

static ModelL1 l1_of(unsigned cache)
{
    if (cache == CACHE_CG || cache == CACHE_CV)
        return MODEL_L1_OFF;
    return cache == CACHE_CA ? MODEL_L1_ON : MODEL_L1_AUTO;
}

static bool is_store(unsigned op)
{
    return op == ACCESS_ST || op == ACCESS_STSM;
}

static bool is_joinable(unsigned op)
{
    return op == ACCESS_LD || op == ACCESS_LDSM || is_store(op);
}

/* What the machine's own instructions take of n shared atomics. */
static void add_own(Site *s, const ModelCost *own, uint64_t n)
{
    s->others[0] += n * own->wavefronts;
    s->others[1] += n * own->ideal_wavefronts;
    s->others[2] += n * own->rounds;
}

/* Adds n accesses of that cost to the sums.  m->addr matters to those alone that have a role or are made narrower. */
static void add_cost(const Profile *p, Site *s, const ModelAccess *m, const ModelCost *c, uint64_t n)
{
    WwCounters *sum = &s->sum;
    if (m->space != MODEL_SHARED) {
        ModelCost made[NARROW_PARTS];
        if (!s->here && m->space == MODEL_GLOBAL && s->op == ACCESS_LD) {
            sum->global_ld_requests_ptx += n * c->requests;
            sum->global_ld_sectors_ptx += n * c->sectors;
        }
        if (m->space == MODEL_GLOBAL && (s->role & (MERGE_REPEAT | MERGE_SINKS)))
            return;
        if (!(s->role & MERGE_READ)) {
            counters_cost(sum, m->space, s->op, c, n);
            return;
        }
        unsigned parts = narrow_costs(p, m, c, s->role, made);
        for (unsigned i = 0; i < parts; i++)
            counters_cost(sum, m->space, s->op, &made[i], n);
        return;
    }
    if (!s->here)
        counters_cost(sum, m->space, s->op, c, n); /* as PTX has it */
    if (s->role & MERGE_SINKS)
        return;
    if (is_joinable(s->op)) {
        joined_count(&s->joined, p, s->role, m, c, n);
    } else {
        ModelCost own = atomic_cost(p, s->role, m, c);
        add_own(s, &own, n);
    }
}

/* Adds n accesses to the sums. */
static void add_access(const Profile *p, Site *s, const ModelAccess *m, unsigned lines, uint64_t n)
{
    ModelCost c;
    model_access(p, m, &c);
    c.wavefronts = lines > c.wavefronts ? lines : c.wavefronts;
    add_cost(p, s, m, &c, n);
}

/* Adds n accesses of a way's pattern at one place to the sums. */
static void add_place(const Profile *p, Site *s, const Way *w, uint32_t place, uint64_t n)
{
    unsigned space = (uint8_t)(w->key >> 32);
    uint64_t addr[LANES], base = (UINT64_C(1) << 60) + ((uint64_t)place << w->shift); /* far from both ends */
    for (unsigned i = 0; i < LANES; i++)
        addr[i] = base + (space == ACCESS_GLOBAL ? w->delta.d64[i] : (uint64_t)(int32_t)w->delta.d32[i]);
    ModelAccess m = {(ModelSpace)space, model_op(space, s->op), l1_of(s->cache), s->bytes, (uint32_t)w->key, addr};
    add_access(p, s, &m, (unsigned)(w->key >> LINES_SHIFT), n);
}

/* Is the load made elsewhere than it stands, and are accesses counted as it stands? */
static bool is_elsewhere(const State *st, uint32_t instr)
{
    return st->instr && st->site != st->here && st->instr[instr].merges & MERGE_SINKS;
}

/* Does the sink want this instruction's patterns? */
static bool is_kept(const State *st, uint32_t instr)
{
    return st->count->sink && !is_elsewhere(st, instr) && st->count->sink->wants(st->kept, instr);
}

/* Tells the sink of a way's hits. */
static void way_tell(State *st, uint32_t instr, const Site *s, const Way *w)
{
    CountPattern p = {.instr  = instr,
                      .space  = (uint8_t)(w->key >> 32),
                      .op     = s->op,
                      .cache  = s->cache,
                      .bytes  = s->bytes,
                      .mask   = (uint32_t)w->key,
                      .hits   = w->hits,
                      .places = w->places};
    for (unsigned i = 0; i < LANES; i++)
        p.delta[i] = p.space == ACCESS_GLOBAL ? (int64_t)w->delta.d64[i] : (int32_t)w->delta.d32[i];
    st->count->sink->add(st->kept, &p);
}

/* Moves a way's hits into the sums. */
static void way_fold(State *st, uint32_t instr, Way *w)
{
    Site    *s    = st->site[instr];
    uint32_t last = w->period >> w->shift;
    if (w->key && is_kept(st, instr))
        way_tell(st, instr, s, w);
    uint32_t end = w->places <= last ? w->places : last + 1;
    for (uint32_t i = end; (i = hits_next(w->hits, i, w->places)) < w->places; i++) {
        w->hits[i & last] += w->hits[i];
        w->hits[i] = 0;
    }
    for (uint32_t i = 0; (i = hits_next(w->hits, i, end)) < end; i++) {
        add_place(st->count->profile, s, w, i, w->hits[i]);
        w->hits[i] = 0;
    }
}

/* Room for `places` hits; what is there stays. */
static void way_grow(State *st, Way *w, uint32_t places)
{
    if (places > w->room) {
        uint64_t *old  = w->hits;
        uint32_t  room = w->room * 2 > places ? w->room * 2 : places;
        w->hits        = ARENA_ARRAY(st->arena, uint64_t, room);
        if (w->places)
            memcpy(w->hits, old, w->places * sizeof *old);
        w->room = room;
    }
    w->places = places;
}

/* ---- misses ---------------------------------------------------------------------------------------------------------- */

/* Replaces a way by a's pattern; base: the first active address. */
static Way *site_replace(State *st, Site *s, const Access *a, uint64_t base)
{
    Way *w = &s->way[s->victim];
    way_fold(st, a->instr, w);
    for (unsigned i = 0; i < LANES; i++) {
        bool on = a->mask >> i & 1;
        if (a->off)
            w->delta.d32[i] = on ? a->off[i] - (uint32_t)base : 0;
        else
            w->delta.d64[i] = on ? a->addr[i] - base : 0;
    }
    unsigned period = model_period(st->count->profile, (ModelSpace)a->space, model_op(a->space, a->op), a->bytes);
    if (s->role && period < MERGE_ALIGN)
        period = MERGE_ALIGN;
    w->key    = key_of(a);
    w->period = period - 1;
    w->shift  = (uint32_t)__builtin_ctz(a->bytes);
    w->keep   = a->space == ACCESS_SHARED && is_kept(st, a->instr) ? UINT32_MAX : w->period;
    w->places = 0;
    way_grow(st, w, period > a->bytes ? period / a->bytes : 1);
    s->victim = (uint8_t)((s->victim + 1) % WAYS);
    return w;
}

/* Adds an access whose cost depends on where it lies; false if it does not.  Such an access has no way: its like goes here again. */
static bool site_immovable(const State *st, Site *s, const Access *a)
{
    if (a->space != ACCESS_GLOBAL || (a->op != ACCESS_ATOM && a->op != ACCESS_RED))
        return false;
    ModelAccess m = {MODEL_GLOBAL, (ModelOp)a->op, l1_of(a->cache), a->bytes, a->mask, a->addr};
    if (model_movable(st->count->profile, &m))
        return false;
    add_access(st->count->profile, s, &m, 0, 1);
    if (st->count->sink) {
        uint64_t     one = 1;
        CountPattern p   = {a->instr, a->space, a->op, a->cache, a->bytes, a->mask, {0}, &one, 1};
        for (uint32_t on = a->mask; on; on &= on - 1)
            p.delta[__builtin_ctz(on)] = (int64_t)(a->addr[__builtin_ctz(on)] - a->addr[__builtin_ctz(a->mask)]);
        st->count->sink->add(st->kept, &p);
    }
    return true;
}

/* What scatter says of an access, in `room` or where it is kept; NULL: nothing. */
static const ModelCost *scatter_cost(State *st, const Access *a, ModelOp op, ModelCost *room)
{
    Loaded     *l     = &st->loaded;
    const void *at    = a->off ? (const void *)a->off : a->addr;
    size_t      bytes = LANES * (a->off ? sizeof *a->off : sizeof *a->addr);
    bool        keeps = op == MODEL_LD && l->wanted && a->mask == UINT32_MAX;
    if (op == MODEL_ST && l->key == key_of(a) && l->bytes == a->bytes && memcmp(at, l->at, bytes) == 0)
        return &l->cost;
    if (keeps) {
        l->key = 0;
        room   = &l->cost;
    }
    if (!st->scatter || !st->scatter(st->count->profile, a, op, room))
        return NULL;
    l->wanted |= op == MODEL_ST;
    if (keeps) {
        l->key   = key_of(a);
        l->bytes = a->bytes;
        memcpy(l->at, at, bytes);
    }
    return room;
}

static void add_rounds(Site *s, Lost lost)
{
    s->others[0] += lost.passes;
    s->others[1] += lost.passes;
    s->others[2] += lost.rounds;
}

/* The rounds of an access; true: it has been counted by its pattern. */
static bool site_rounds(State *st, Site *s, const Access *a)
{
    Rounds *r = s->rounds;
    add_rounds(s, rounds_add(r, a));
    if (s->chaos) {
        s->chaos--;
        return false;
    }
    s->rounds = NULL;
    s->direct = 0;
    st->count->base.access(st, a);
    s->chaos  = s->direct;
    s->rounds = r;
    s->direct = 1;
    return true;
}

/* Adds a shared atomic that has a role and shows no pattern; false: only the model knows its cost. */
static bool site_direct_atomic(State *st, Site *s, const Access *a)
{
    const Profile *p  = st->count->profile;
    ModelOp        op = model_op(a->space, a->op), as = atomic_served_as(s->role, op);
    ModelCost      c, own;
    if (!st->scatter || a->space != ACCESS_SHARED || is_joinable(s->op) || !atomic_is_plain(s->role) ||
        !st->scatter(p, a, op, &c))
        return false;
    own = c;
    if (as != op && !st->scatter(p, a, as, &own))
        return false;
    if (!s->here)
        counters_cost(&s->sum, MODEL_SHARED, s->op, &c, 1);
    atomic_words(s->role, &own);
    add_own(s, &own, 1);
    return true;
}

/* Adds an access of a site that shows no patterns (Site.direct). */
static void site_direct(State *st, Site *s, const Access *a)
{
    if (s->rounds && site_rounds(st, s, a))
        return;
    const Profile   *p = st->count->profile;
    ModelCost        room;
    uint64_t         addr[LANES];
    ModelAccess      m = {(ModelSpace)a->space, model_op(a->space, a->op), l1_of(a->cache), a->bytes, a->mask, addr};
    const ModelCost *c = s->role || a->lines ? NULL : scatter_cost(st, a, m.op, &room);
    s->direct          = (uint16_t)(s->direct - !s->rounds);
    if (s->role && site_direct_atomic(st, s, a))
        return;
    if (c) {
        add_cost(p, s, &m, c, 1);
        return;
    }
    for (unsigned i = 0; i < LANES; i++)
        addr[i] = a->off ? a->off[i] : a->addr[i];
    add_access(p, s, &m, a->lines, 1);
}

static Site *site_make(State *st, uint32_t instr)
{
    assert(instr < st->sites);
    Site *s         = arena_alloc_aligned(st->arena, sizeof *s, _Alignof(Site));
    s->here         = st->site == st->here;
    s->role         = st->instr ? st->instr[instr].merges & (s->here ? (uint32_t)MERGE_READ : UINT32_MAX) : 0;
    s->last         = s->way;
    st->site[instr] = s;
    return s;
}

static Site *site_new(State *st, const Access *a)
{
    Site *s  = site_make(st, a->instr);
    s->op    = a->op;
    s->bytes = a->bytes;
    s->cache = a->cache;
    if (s->role & MERGE_AT_ONCE && a->space == ACCESS_SHARED) {
        s->rounds = rounds_new(st->arena, st->count->profile, s->role);
        s->direct = 1;
    }
    return s;
}

static void count_async(void *state, const AsyncAccess *a)
{
    State *st = state;
    Site  *s  = st->site[a->instr];
    count_async_add(&(s == st->nowhere ? site_make(st, a->instr) : s)->sum, &st->lane, a);
}

/* ---- the hot path, once for each SIMD level -------------------------------------------------------------------------- */

/* Counts the access in this way if it is of its pattern. */
static inline __attribute__((always_inline)) bool way_take(State *st, Way *w, const Access *a, Same32 *eq32,
                                                           Same64 *eq64)
{
    unsigned first = (unsigned)__builtin_ctz(a->mask);
    uint64_t base;
    if (w->key != key_of(a))
        return false;
    if (a->off) {
        base = a->off[first];
        if (!eq32(a->off, (uint32_t)base, w->delta.d32, a->mask))
            return false;
    } else {
        base = a->addr[first];
        if (!eq64(a->addr, base, w->delta.d64, a->mask))
            return false;
    }
    uint32_t place = (uint32_t)(base & w->keep) >> w->shift;
    if (__builtin_expect(place >= w->places, 0))
        way_grow(st, w, place + 1);
    w->hits[place]++;
    return true;
}

/* The other ways, then a new one. */
static inline __attribute__((always_inline)) void access_slow(State *st, const Access *a, Same32 *eq32, Same64 *eq64)
{
    Site *s = st->site[a->instr];
    if (s == st->nowhere)
        s = site_new(st, a);
    assert(s->op == a->op && s->bytes == a->bytes && s->cache == a->cache);
    if (s->rounds && a->space != ACCESS_CLUSTER) { /* the first of them */
        site_direct(st, s, a);
        return;
    }
    if (a->space == ACCESS_CLUSTER) {
        count_remote_add(&s->sum, a);
        return;
    }
    for (unsigned k = 0; k < WAYS; k++)
        if (way_take(st, &s->way[k], a, eq32, eq64)) {
            s->last   = &s->way[k];
            s->misses = s->doublings = 0;
            return;
        }
    if (site_immovable(st, s, a))
        return;
    if (++s->misses >= CHAOS && !is_kept(st, a->instr)) {
        s->misses = 0;
        s->direct = (uint16_t)(DIRECT << s->doublings);
        if (s->doublings < DOUBLINGS)
            s->doublings++;
    }
    unsigned first = (unsigned)__builtin_ctz(a->mask);
    s->last        = site_replace(st, s, a, a->off ? a->off[first] : a->addr[first]);
    (void)way_take(st, s->last, a, eq32, eq64);
}

/* n accesses of one pattern at one place.  They need no way: nothing of them is compared. */
static void count_many(void *state, const Access *a, uint64_t n)
{
    State   *st = state;
    Site    *s  = st->site[a->instr];
    uint64_t addr[LANES];
    if (s == st->nowhere)
        s = site_new(st, a);
    for (unsigned i = 0; i < LANES; i++)
        addr[i] = a->off ? a->off[i] : a->addr[i];
    ModelAccess m = {(ModelSpace)a->space, model_op(a->space, a->op), l1_of(a->cache), a->bytes, a->mask, addr};
    add_access(st->count->profile, s, &m, a->lines, n);
}

static uint32_t count_period(const Observer *o, AccessSpace space, AccessOp op, unsigned bytes)
{
    unsigned period = model_period(((const Count *)o)->profile, (ModelSpace)space, model_op(space, op), bytes);
    return period < MERGE_ALIGN ? MERGE_ALIGN : period;
}

/* LEVEL(name, attributes, compare, compare): the observer's access function. */
#define LEVEL(name, attributes, eq32, eq64)                                                                            \
    attributes __attribute__((noinline)) static void name##_slow(State *st, const Access *a)                           \
    {                                                                                                                  \
        access_slow(st, a, eq32, eq64);                                                                                \
    }                                                                                                                  \
    attributes static void name(void *state, const Access *a)                                                          \
    {                                                                                                                  \
        State *st = state;                                                                                             \
        Site  *s  = st->site[a->instr];                                                                                \
        if (__builtin_expect(s->direct && a->space != ACCESS_CLUSTER, 0))                                              \
            site_direct(st, s, a);                                                                                     \
        else if (__builtin_expect(!way_take(st, s->last, a, eq32, eq64), 0))                                           \
            name##_slow(st, a);                                                                                        \
    }

#if defined(__x86_64__)
LEVEL(access_plain, , same32, same64)
LEVEL(access_avx2, AVX2, same32_avx2, same64_avx2)
LEVEL(access_avx512, AVX512, same32_avx512, same64_avx512)
#else
LEVEL(access_plain, , same32, same64)
#endif

static void (*access_best(void))(void *, const Access *)
{
#if defined(__x86_64__)
    if (simd_best() == SIMD_AVX512)
        return access_avx512;
    if (simd_best() == SIMD_AVX2)
        return access_avx2;
#endif
    return access_plain;
}

/* ---- loads that are made elsewhere ------------------------------------------------------------------------------------ */

static Site **no_sites(const State *st)
{
    Site **site = xcalloc(st->sites + 1, sizeof(Site *));
    for (uint32_t i = 0; i < st->sites; i++)
        site[i] = st->nowhere;
    return site;
}

static void count_sunk(void *state, const Access *a)
{
    State *st = state;
    if (!st->here)
        st->here = no_sites(st);
    Site **here = st->here, **site = st->site;
    st->site = here;
    st->count->base.access(st, a);
    st->site = site;
}

/* ---- native code with a sink ----------------------------------------------------------------------------------------- */

/* A kept pattern of shared memory has a place for each offset. */
static uint32_t count_places(const Observer *o, AccessSpace space, AccessOp op, unsigned bytes)
{
    return space == ACCESS_SHARED ? 0 : count_period(o, space, op, bytes);
}

/* n accesses of one pattern at one place, where patterns may be kept. */
static void count_some(void *state, const Access *a, uint64_t n)
{
    State *st = state;
    if (!is_kept(st, a->instr)) {
        count_many(st, a, n);
        return;
    }
    st->count->base.access(st, a);
    Site    *s     = st->site[a->instr];
    uint64_t base  = a->off ? a->off[0] : a->addr[0];
    uint32_t place = (uint32_t)(base & s->last->keep) >> s->last->shift;
    s->last->hits[place] += n - 1;
}

/* ---- launch ---------------------------------------------------------------------------------------------------------- */

static void *count_fork(Observer *o, const LaunchInfo *info, unsigned worker)
{
    (void)worker;
    Count *c          = (Count *)o;
    State *st         = xcalloc(1, sizeof *st);
    st->count         = c;
    st->sites         = info->instrs;
    st->arena         = arena_new();
    st->nowhere       = arena_alloc_aligned(st->arena, sizeof(Site), _Alignof(Site));
    st->nowhere->last = st->nowhere->way;
    st->site          = no_sites(st);
    st->instr         = c->profile->arch->cc >= 70 ? info->instr : NULL;
    st->scatter       = scatter_best();
    if (c->sink)
        st->kept = c->sink->fork(c->sink, info);
    return st;
}

void count_put(const Observer *o, Parcel *p)
{
    totals_put(&((const Count *)o)->total, p);
}

void count_add(Observer *o, Parcel *p)
{
    totals_take(&((Count *)o)->total, p);
    ((Count *)o)->stale = true;
}

static void join_sites(Count *c, State *st)
{
    for (uint32_t i = 0; i < st->sites; i++) {
        Site *s = st->site[i];
        if (s == st->nowhere)
            continue;
        for (int k = 0; k < WAYS; k++)
            way_fold(st, i, &s->way[k]);
        add_rounds(s, rounds_end(s->rounds));
        totals_add(&c->total, i,
                   &(Total){.sum    = s->sum,
                            .joined = s->joined,
                            .others = {s->others[0], s->others[1], s->others[2]},
                            .role   = s->role,
                            .store  = is_store(s->op)});
    }
}

static void count_join(Observer *o, void *state)
{
    Count *c  = (Count *)o;
    State *st = state;
    totals_size(&c->total, st->sites);
    join_sites(c, st);
    if (st->here) {
        Site **site = st->site;
        st->site    = st->here;
        join_sites(c, st);
        free(st->site);
        st->site = site;
    }
    c->stale = true;
    if (c->sink)
        c->sink->join(c->sink, st->kept);
    arena_free(st->arena);
    free(st->site);
    free(st);
}

/* ---- results --------------------------------------------------------------------------------------------------------- */

/* Counters that follow from others: what shared loads and stores are after merging, what is no memory for the assembler, and the differences to
 * the ideals. */
static void derive(const Count *c, Total *t)
{
    const Joined *m = &t->joined;
    WwCounters   *s = &t->sum;
    int           h = joined_as(m, t->role);
    joined_tell(m, h, t->store, s);
    if (c->in_registers)
        s->local_ld_requests = s->local_ld_sectors = s->local_st_requests = s->local_st_sectors = 0;
    s->memory_l1_wavefronts_shared       = m->passes[h] + t->others[0];
    s->memory_l1_wavefronts_shared_ideal = m->ideal[h] + t->others[1];
    s->derived__memory_l1_wavefronts_shared_excessive =
        s->memory_l1_wavefronts_shared - s->memory_l1_wavefronts_shared_ideal;
    s->derived__memory_l2_theoretical_sectors_global_excessive =
        s->memory_l2_theoretical_sectors_global - s->memory_l2_theoretical_sectors_global_ideal;
}

const WwCounters *count_total(Observer *o)
{
    Count *c = (Count *)o;
    if (c->stale) {
        memset(&c->all, 0, sizeof c->all);
        for (uint32_t i = 0; i < c->total.n; i++)
            if (c->total.of[i]) {
                derive(c, c->total.of[i]);
                counters_add(&c->all, &c->total.of[i]->sum);
            }
        c->stale = false;
    }
    return &c->all;
}

uint32_t count_instrs(const Observer *o)
{
    return ((const Count *)o)->total.n;
}

const WwCounters *count_instr(Observer *o, uint32_t id)
{
    Count *c = (Count *)o;
    (void)count_total(o); /* derives */
    return id < c->total.n && c->total.of[id] ? &c->total.of[id]->sum : NULL;
}

uint64_t count_rounds(const Observer *o, uint32_t id)
{
    const Count *c = (const Count *)o;
    return id < c->total.n && c->total.of[id] ? c->total.of[id]->others[2] : 0;
}

uint32_t count_role(const Observer *o, uint32_t id)
{
    const Count *c = (const Count *)o;
    return id < c->total.n && c->total.of[id] ? c->total.of[id]->role : 0;
}

Observer *count_new(const Profile *p)
{
    Count *c = xcalloc(1, sizeof *c);
    for (int i = 0; i < ACCESS_SURFACE; i++) /* what surfaces cost is not modelled */
        c->base.wants[i] = (1u << ACCESS_OPS) - 1;
    for (int i = ACCESS_GLOBAL; i <= ACCESS_SHARED && p->arch->cc >= 70; i++)
        c->base.wants[i] |= 1u << ACCESS_SUNK;
    c->base.fork   = count_fork;
    c->base.access = access_best();
    c->base.async  = count_async;
    c->base.join   = count_join;
    c->base.many   = count_many;
    c->base.sunk   = count_sunk;
    c->base.period = count_period;
    c->profile     = p;
    return &c->base;
}

void count_tell(Observer *o, CountSink *sink)
{
    ((Count *)o)->sink = sink;
    o->many            = sink ? count_some : count_many;
    o->period          = sink ? count_places : count_period;
}

void count_in_registers(Observer *o)
{
    ((Count *)o)->in_registers = true;
}

void count_free(Observer *o)
{
    Count *c = (Count *)o;
    if (!c)
        return;
    totals_free(&c->total);
    free(c);
}
