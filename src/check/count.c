/* SPDX-License-Identifier: Apache-2.0
 *
 * The counting observer.  The cost of an access (model/) depends only on the active lanes, the differences between their addresses
 * and where the first of them lies within the model's period; kernels repeat the same few patterns.  So every instruction keeps
 * the last WAYS patterns it showed:
 *
 *     Way  | key: mask, space, phase | hits | cost | delta[32]: address minus first active address, 0 if idle |
 *
 * An access that matches a way (one vector compare over the 32 lanes) costs one increment; costs are multiplied by hits and added
 * up when a way is evicted and at the join.  Only misses run the model.
 *
 * Invariants: an instruction's operation, width and cache policy never change (its space may: generic addresses).  A state
 * belongs to one worker; sums do not depend on which worker ran which block, so neither do results.
 * Merged loads: see merge.h.  Whether a group is joined is decided over the whole launch: the assembler joins only what it can
 * prove aligned, so one unaligned execution means it was not.
 * It does not model caches over time: sectors are those requested, not those missed. */
#include "check/count.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "check/merge.h"
#include "model/model.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { WAYS = 4 };

_Static_assert((int)ACCESS_GLOBAL == MODEL_GLOBAL && (int)ACCESS_SHARED == MODEL_SHARED &&
                   (int)ACCESS_LOCAL == MODEL_LOCAL,
               "the observer's spaces are the model's");
_Static_assert((int)ACCESS_LD == MODEL_LD && (int)ACCESS_ST == MODEL_ST && (int)ACCESS_ATOM == MODEL_ATOM &&
                   (int)ACCESS_RED == MODEL_RED,
               "the observer's operations are the model's");

/* ---- what is remembered ---------------------------------------------------------------------------------------------- */

/* A shared load under the three hypotheses of merge.h: alone, first of a pair, first of four.  Index into arrays of 3. */
enum { ALONE, PAIR, QUAD, HYPOTHESES };

typedef struct Merged {
    uint64_t loads[HYPOTHESES], passes[HYPOTHESES], ideal[HYPOTHESES];
    uint32_t unaligned; /* or of the base addresses' low four bits; tells which hypothesis holds */
} Merged;

typedef struct Way {
    uint64_t  key; /* key_of; 0 = empty (no access has mask 0) */
    uint64_t  hits;
    uint64_t  period; /* the model's, less one */
    ModelCost cost;
    uint32_t  passes[HYPOTHESES], ideal[HYPOTHESES]; /* shared loads */
    uint32_t  unaligned;
    _Alignas(64) union {
        uint32_t d32[LANES];
        uint64_t d64[LANES];
    } delta;
} Way;

typedef struct Site { /* one instruction of one worker */
    WwCounters sum;
    Merged     merged;
    Way       *last; /* way that matched last */
    uint8_t    role; /* merge.h */
    uint8_t    op, bytes, cache;
    uint8_t    victim; /* way to replace next */
    Way        way[WAYS];
} Site;

typedef struct Count Count;

typedef struct State { /* one worker */
    Count   *count;
    Site   **site; /* by instruction id; &nowhere until it makes an access */
    uint32_t sites;
    uint8_t *role;    /* by instruction id */
    Arena   *arena;   /* of the sites */
    Site    *nowhere; /* whose last way is empty */
} State;

typedef struct Total { /* one instruction of the launch */
    WwCounters sum;
    Merged     merged;
    uint8_t    role;
    bool       seen;
} Total;

struct Count {
    Observer       base;
    const Profile *profile;
    Total         *total;
    uint32_t       totals;
    WwCounters     all;
    bool           stale; /* derived counters must be computed anew */
};

static inline uint64_t key_of(const Access *a, uint64_t phase)
{
    return a->mask | (uint64_t)a->space << 32 | phase << 40;
}

/* ---- adding up ------------------------------------------------------------------------------------------------------- */

static void add_global(WwCounters *s, unsigned op, const ModelCost *c, uint64_t n)
{
    if (op == ACCESS_LD) {
        s->global_ld_requests += n * c->requests;
        s->global_ld_sectors += n * c->sectors;
    } else if (op == ACCESS_ST) {
        s->global_st_requests += n * c->requests;
        s->global_st_sectors += n * c->sectors;
    } else {
        s->global_atom_requests += n * c->requests;
        s->global_atom_sectors += n * c->sectors;
    }
    s->memory_l2_theoretical_sectors_global += n * c->touched;
    s->memory_l2_theoretical_sectors_global_ideal += n * c->ideal;
    s->memory_l1_tag_requests_global += n * c->tag_requests;
    s->lines_128 += n * c->lines_128;
    s->useful_bytes += n * c->useful_bytes;
    s->moved_bytes += n * c->moved_bytes;
}

static void add_shared(WwCounters *s, unsigned op, const ModelCost *c, uint64_t n)
{
    if (op == ACCESS_LD) {
        s->shared_ld_inst += n;
        s->shared_ld_wavefronts += n * c->wavefronts;
        s->shared_ld_bank_conflicts += n * c->conflicts;
    } else if (op == ACCESS_ST) {
        s->shared_st_inst += n;
        s->shared_st_wavefronts += n * c->wavefronts;
        s->shared_st_bank_conflicts += n * c->conflicts;
    } else {
        s->shared_atom_inst += n;
        s->shared_atom_wavefronts += n * c->wavefronts;
        s->shared_atom_bank_conflicts += n * c->conflicts;
    }
}

static void add_local(WwCounters *s, unsigned op, const ModelCost *c, uint64_t n)
{
    if (op == ACCESS_LD) {
        s->local_ld_requests += n * c->requests;
        s->local_ld_sectors += n * c->sectors;
    } else {
        s->local_st_requests += n * c->requests;
        s->local_st_sectors += n * c->sectors;
    }
}

/* Moves a way's hits into the sums. */
static void way_fold(Site *s, Way *w)
{
    uint64_t n     = w->hits;
    unsigned space = (unsigned)(w->key >> 32) & 3, op = s->op;
    w->hits = 0;
    if (n == 0)
        return;
    if (space == ACCESS_GLOBAL)
        add_global(&s->sum, op, &w->cost, n);
    else if (space == ACCESS_SHARED)
        add_shared(&s->sum, op, &w->cost, n);
    else
        add_local(&s->sum, op, &w->cost, n);
    if (space != ACCESS_SHARED || op != ACCESS_LD)
        return;
    for (int h = 0; h < HYPOTHESES; h++) {
        s->merged.loads[h] += w->ideal[h] ? n : 0;
        s->merged.passes[h] += n * w->passes[h];
        s->merged.ideal[h] += n * w->ideal[h];
    }
    s->merged.unaligned |= w->unaligned;
}

/* ---- misses ---------------------------------------------------------------------------------------------------------- */

static ModelL1 l1_of(unsigned cache)
{
    if (cache == CACHE_CG || cache == CACHE_CV)
        return MODEL_L1_OFF;
    return cache == CACHE_CA ? MODEL_L1_ON : MODEL_L1_AUTO;
}

static void merged_costs(const Profile *p, uint8_t role, ModelAccess m, Way *w)
{
    w->passes[ALONE] = w->cost.wavefronts;
    w->ideal[ALONE]  = w->cost.ideal_wavefronts;
    uint64_t base    = 0;
    for (uint32_t lanes = m.mask; lanes; lanes &= lanes - 1)
        base |= m.addr[__builtin_ctz(lanes)] - (role >> 4);
    w->unaligned = (uint32_t)(base & 15);
    for (int h = PAIR; h <= QUAD; h++) {
        w->passes[h] = w->ideal[h] = 0;
        if (!(role & (h == PAIR ? MERGE_PAIR1 : MERGE_QUAD1)))
            continue;
        ModelCost c;
        m.bytes = h == PAIR ? 8 : 16;
        model_access(p, &m, &c);
        w->passes[h] = c.wavefronts;
        w->ideal[h]  = c.ideal_wavefronts;
    }
}

static uint64_t period_of(const State *st, const Site *s, const Access *a)
{
    unsigned n = model_period(st->count->profile, (ModelSpace)a->space, (ModelOp)a->op, a->bytes);
    if (s->role && n < 16)
        n = 16; /* alignment decides about merging */
    return n - 1;
}

static void site_replace(State *st, Site *s, const Access *a, uint64_t base, uint64_t period)
{
    Way     *w = &s->way[s->victim];
    uint64_t addr[LANES];
    way_fold(s, w);
    for (unsigned i = 0; i < LANES; i++) {
        addr[i]    = a->off ? a->off[i] : a->addr[i];
        uint64_t d = a->mask >> i & 1 ? addr[i] - base : 0;
        if (a->off)
            w->delta.d32[i] = (uint32_t)d;
        else
            w->delta.d64[i] = d;
    }
    ModelAccess m = {(ModelSpace)a->space, (ModelOp)a->op, l1_of(a->cache), a->bytes, a->mask, addr};
    model_access(st->count->profile, &m, &w->cost);
    if (a->space == ACCESS_SHARED && a->op == ACCESS_LD)
        merged_costs(st->count->profile, s->role, m, w);
    w->key    = key_of(a, base & period);
    w->period = period;
    w->hits   = 1;
    s->last   = w;
    s->victim = (uint8_t)((s->victim + 1) % WAYS);
}

static Site *site_new(State *st, const Access *a)
{
    assert(a->instr < st->sites);
    Site *s            = arena_alloc_aligned(st->arena, sizeof *s, _Alignof(Site));
    s->role            = st->role[a->instr];
    s->op              = a->op;
    s->bytes           = a->bytes;
    s->cache           = a->cache;
    s->last            = s->way;
    st->site[a->instr] = s;
    return s;
}

/* ---- the hot path, once for each SIMD level -------------------------------------------------------------------------- */

/* Active lanes' offsets minus base equal delta. */
typedef bool Same32(const uint32_t *off, uint32_t base, const uint32_t *delta, uint32_t mask);
typedef bool Same64(const uint64_t *addr, uint64_t base, const uint64_t *delta, uint32_t mask);

static inline __attribute__((always_inline)) bool way_matches(const Way *w, const Access *a, Same32 *eq32, Same64 *eq64)
{
    unsigned first = (unsigned)__builtin_ctz(a->mask);
    if (a->off) {
        uint32_t base = a->off[first];
        return w->key == key_of(a, base & w->period) && eq32(a->off, base, w->delta.d32, a->mask);
    }
    uint64_t base = a->addr[first];
    return w->key == key_of(a, base & w->period) && eq64(a->addr, base, w->delta.d64, a->mask);
}

/* The other ways, then the model. */
static inline __attribute__((always_inline)) void access_slow(State *st, const Access *a, Same32 *eq32, Same64 *eq64)
{
    Site *s = st->site[a->instr];
    if (s == st->nowhere)
        s = site_new(st, a);
    assert(s->op == a->op && s->bytes == a->bytes && s->cache == a->cache);
    for (unsigned k = 0; k < WAYS; k++)
        if (way_matches(&s->way[k], a, eq32, eq64)) {
            s->way[k].hits++;
            s->last = &s->way[k];
            return;
        }
    unsigned first = (unsigned)__builtin_ctz(a->mask);
    site_replace(st, s, a, a->off ? a->off[first] : a->addr[first], period_of(st, s, a));
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
        Way   *w  = st->site[a->instr]->last;                                                                          \
        if (__builtin_expect(way_matches(w, a, eq32, eq64), 1))                                                        \
            w->hits++;                                                                                                 \
        else                                                                                                           \
            name##_slow(st, a);                                                                                        \
    }

#if defined(__x86_64__)
#define AVX2   __attribute__((target("arch=x86-64-v3")))
#define AVX512 __attribute__((target("arch=x86-64-v4")))

/* A bit for each lane that is equal; then the idle ones do not matter. */
static inline bool same32(const uint32_t *off, uint32_t base, const uint32_t *delta, uint32_t mask)
{
    __m128i  b     = _mm_set1_epi32((int)base);
    uint32_t equal = 0;
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) {
        __m128i x = _mm_sub_epi32(_mm_loadu_si128((const __m128i *)(off + 4 * i)), b);
        __m128i e = _mm_cmpeq_epi32(x, _mm_load_si128((const __m128i *)(delta + 4 * i)));
        equal |= (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(e)) << 4 * i;
    }
    return (mask & ~equal) == 0;
}

static inline bool same64(const uint64_t *addr, uint64_t base, const uint64_t *delta, uint32_t mask)
{
    __m128i  b     = _mm_set1_epi64x((long long)base);
    uint32_t equal = 0;
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++) {
        __m128i x = _mm_sub_epi64(_mm_loadu_si128((const __m128i *)(addr + 2 * i)), b);
        __m128i e = _mm_cmpeq_epi32(x, _mm_load_si128((const __m128i *)(delta + 2 * i)));
        e         = _mm_and_si128(e, _mm_shuffle_epi32(e, 0xb1)); /* both halves */
        equal |= (uint32_t)_mm_movemask_pd(_mm_castsi128_pd(e)) << 2 * i;
    }
    return (mask & ~equal) == 0;
}

AVX2 static inline bool same32_avx2(const uint32_t *off, uint32_t base, const uint32_t *delta, uint32_t mask)
{
    __m256i  b     = _mm256_set1_epi32((int)base);
    uint32_t equal = 0;
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        __m256i x = _mm256_sub_epi32(_mm256_loadu_si256((const __m256i *)(off + 8 * i)), b);
        __m256i e = _mm256_cmpeq_epi32(x, _mm256_load_si256((const __m256i *)(delta + 8 * i)));
        equal |= (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(e)) << 8 * i;
    }
    return (mask & ~equal) == 0;
}

AVX2 static inline bool same64_avx2(const uint64_t *addr, uint64_t base, const uint64_t *delta, uint32_t mask)
{
    __m256i  b     = _mm256_set1_epi64x((long long)base);
    uint32_t equal = 0;
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) {
        __m256i x = _mm256_sub_epi64(_mm256_loadu_si256((const __m256i *)(addr + 4 * i)), b);
        __m256i e = _mm256_cmpeq_epi64(x, _mm256_load_si256((const __m256i *)(delta + 4 * i)));
        equal |= (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(e)) << 4 * i;
    }
    return (mask & ~equal) == 0;
}

AVX512 static inline bool same32_avx512(const uint32_t *off, uint32_t base, const uint32_t *delta, uint32_t mask)
{
    __m512i   b  = _mm512_set1_epi32((int)base);
    __m512i   x0 = _mm512_sub_epi32(_mm512_loadu_si512(off), b), x1 = _mm512_sub_epi32(_mm512_loadu_si512(off + 16), b);
    __mmask16 k0 = _mm512_mask_cmpneq_epi32_mask((__mmask16)mask, x0, _mm512_load_si512(delta));
    __mmask16 k1 = _mm512_mask_cmpneq_epi32_mask((__mmask16)(mask >> 16), x1, _mm512_load_si512(delta + 16));
    return _mm512_kortestz(k0, k1);
}

AVX512 static inline bool same64_avx512(const uint64_t *addr, uint64_t base, const uint64_t *delta, uint32_t mask)
{
    __m512i  b = _mm512_set1_epi64((long long)base);
    __mmask8 k[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        __m512i x = _mm512_sub_epi64(_mm512_loadu_si512(addr + 8 * i), b);
        k[i]      = _mm512_mask_cmpneq_epi64_mask((__mmask8)(mask >> 8 * i), x, _mm512_load_si512(delta + 8 * i));
    }
    return _kortestz_mask8_u8(_kor_mask8(k[0], k[1]), _kor_mask8(k[2], k[3]));
}

LEVEL(access_plain, , same32, same64)
LEVEL(access_avx2, AVX2, same32_avx2, same64_avx2)
LEVEL(access_avx512, AVX512, same32_avx512, same64_avx512)
#else
static inline bool same32(const uint32_t *off, uint32_t base, const uint32_t *delta, uint32_t mask)
{
    uint32_t diff = 0;
    for (int i = 0; i < LANES; i++)
        diff |= ((off[i] - base) ^ delta[i]) & (0 - (mask >> i & 1));
    return diff == 0;
}

static inline bool same64(const uint64_t *addr, uint64_t base, const uint64_t *delta, uint32_t mask)
{
    uint64_t diff = 0;
    for (int i = 0; i < LANES; i++)
        diff |= ((addr[i] - base) ^ delta[i]) & (0 - (uint64_t)(mask >> i & 1));
    return diff == 0;
}

LEVEL(access_plain, , same32, same64)
#endif

static void (*access_best(void))(void *, const Access *)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd"))
        return access_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma"))
        return access_avx2;
#endif
    return access_plain;
}

/* ---- launch ---------------------------------------------------------------------------------------------------------- */

/* Roles of all instructions of the launch; ids of one function's instructions may stand in any order. */
static void plan_roles(const LaunchInfo *info, uint8_t *role)
{
    const struct Func *func = NULL;
    uint8_t           *plan = NULL;
    for (uint32_t id = 0; info->instr && id < info->instrs; id++) {
        const EmuInstr *e = &info->instr[id];
        if (!e->func || !e->in)
            continue;
        if (e->func != func) {
            func = e->func;
            plan = xrealloc(plan, func->ninstrs + 1);
            merge_plan(func, plan);
        }
        role[id] = plan[e->in - func->instrs];
    }
    free(plan);
}

static void *count_fork(Observer *o, const LaunchInfo *info, unsigned worker)
{
    (void)worker;
    Count *c          = (Count *)o;
    State *st         = xcalloc(1, sizeof *st);
    st->count         = c;
    st->sites         = info->instrs;
    st->site          = xcalloc(info->instrs + 1, sizeof *st->site);
    st->arena         = arena_new();
    st->nowhere       = arena_alloc_aligned(st->arena, sizeof(Site), _Alignof(Site));
    st->nowhere->last = st->nowhere->way;
    for (uint32_t i = 0; i < info->instrs; i++)
        st->site[i] = st->nowhere;
    st->role = xcalloc(info->instrs + 1, 1);
    if (c->profile->arch->cc >= 70)
        plan_roles(info, st->role);
    return st;
}

static void add_counters(WwCounters *to, const WwCounters *from)
{
#define COUNTER(name, text) to->name += from->name;
#include "warpwright/counters.def"
#undef COUNTER
}

static void total_add(Total *t, const Site *s)
{
    add_counters(&t->sum, &s->sum);
    for (int h = 0; h < HYPOTHESES; h++) {
        t->merged.loads[h] += s->merged.loads[h];
        t->merged.passes[h] += s->merged.passes[h];
        t->merged.ideal[h] += s->merged.ideal[h];
    }
    t->merged.unaligned |= s->merged.unaligned;
    t->role = s->role;
    t->seen = true;
}

static void count_join(Observer *o, void *state)
{
    Count *c  = (Count *)o;
    State *st = state;
    if (st->sites > c->totals) {
        c->total = xrealloc(c->total, st->sites * sizeof *c->total);
        memset(c->total + c->totals, 0, (st->sites - c->totals) * sizeof *c->total);
        c->totals = st->sites;
    }
    for (uint32_t i = 0; i < st->sites; i++) {
        Site *s = st->site[i];
        if (s == st->nowhere)
            continue;
        for (int k = 0; k < WAYS; k++)
            way_fold(s, &s->way[k]);
        total_add(&c->total[i], s);
    }
    c->stale = true;
    arena_free(st->arena);
    free(st->site);
    free(st->role);
    free(st);
}

/* ---- results --------------------------------------------------------------------------------------------------------- */

/* Counters that follow from others: what the shared loads are after merging, and the differences to the ideals. */
static void derive(Total *t)
{
    const Merged *m = &t->merged;
    WwCounters   *s = &t->sum;
    int           h = ALONE;
    if ((t->role & MERGE_QUAD) && (m->unaligned & 15) == 0)
        h = QUAD;
    else if ((t->role & MERGE_PAIR) && (m->unaligned & 7) == 0)
        h = PAIR;
    s->shared_ld_inst_merged             = m->loads[h];
    s->shared_ld_wavefronts_merged       = m->passes[h];
    s->memory_l1_wavefronts_shared       = m->passes[h] + s->shared_st_wavefronts + s->shared_atom_wavefronts;
    s->memory_l1_wavefronts_shared_ideal = m->ideal[h] + s->shared_st_wavefronts - s->shared_st_bank_conflicts +
                                           s->shared_atom_wavefronts - s->shared_atom_bank_conflicts;
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
        for (uint32_t i = 0; i < c->totals; i++)
            if (c->total[i].seen) {
                derive(&c->total[i]);
                add_counters(&c->all, &c->total[i].sum);
            }
        c->stale = false;
    }
    return &c->all;
}

uint32_t count_instrs(const Observer *o)
{
    return ((const Count *)o)->totals;
}

const WwCounters *count_instr(Observer *o, uint32_t id)
{
    Count *c = (Count *)o;
    (void)count_total(o); /* derives */
    return id < c->totals && c->total[id].seen ? &c->total[id].sum : NULL;
}

Observer *count_new(const Profile *p)
{
    Count *c = xcalloc(1, sizeof *c);
    for (int i = 0; i < ACCESS_SPACES; i++)
        c->base.wants[i] = (1u << ACCESS_OPS) - 1;
    c->base.fork   = count_fork;
    c->base.access = access_best();
    c->base.join   = count_join;
    c->profile     = p;
    return &c->base;
}

void count_free(Observer *o)
{
    Count *c = (Count *)o;
    if (!c)
        return;
    free(c->total);
    free(c);
}
