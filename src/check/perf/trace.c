/* SPDX-License-Identifier: Apache-2.0
 *
 * The tracing observer.  Block b is looked at when b is a multiple of the step, so the choice does not depend on the workers.  A worker
 * keeps the accesses of each block it has open; when the block ends they are sorted by group and time, analysed and dropped.
 *
 * A group is an instruction and those copies of it that unrolling made: of the same source line and kind, whose first access has the
 * same differences between the lanes and lies at most NEAR bytes away.
 *
 * Accesses behind the first TRACE_ACCESSES of a block are only counted.
 * Atomics are added up as they come.
 * Not looked at: other accesses to shared and local memory. */
#include "check/perf/trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "model/model.h"
#include "ptx/place.h"

enum { NEAR = 1024, MOST_BITS = 1 << 24 };

typedef struct Kept {
    BlockAccess a;
    uint32_t    instr;
    uint8_t     op, cache, bytes;
} Kept;

typedef struct Open { /* a block that is running */
    struct Open *next;
    uint64_t     block;
    Kept        *kept;
    size_t       n, room;
    uint64_t    *cut; /* by instruction; NULL: none */
} Open;

typedef struct Trace {
    Observer           base;
    const CheckLaunch *launch;
    LaunchInfo         info;
    uint64_t           step, blocks, looked;
    TraceSum          *sum;
    bool              *seen;
} Trace;

typedef struct TraceState {
    Trace    *trace;
    Open     *open;
    TraceSum *sum;
    bool     *seen;
    uint64_t  looked, passed; /* passed: a block that is not looked at */
    /* rooms that blocks use one after the other: their pages need not come anew */
    Kept        *kept;
    size_t       kept_room;
    uint64_t    *list;
    BlockAccess *copy;
    size_t       room; /* accesses */
} TraceState;

/* ---- the end of a block ---------------------------------------------------------------------------------------------- */

/* The accesses of a block by instruction, those of one in the order of time; `group`, by instruction, says where they begin and end. */
typedef struct Sorted {
    uint32_t *at; /* which */
    size_t   *group;
} Sorted;

static void sort(const Trace *t, const Open *b, Sorted *s)
{
    memset(s->group, 0, (t->info.instrs + 2) * sizeof *s->group);
    for (size_t i = 0; i < b->n; i++)
        s->group[b->kept[i].instr + 2]++;
    for (uint32_t i = 2; i < t->info.instrs + 2; i++)
        s->group[i] += s->group[i - 1];
    for (size_t i = 0; i < b->n; i++) /* group[i + 1]: where the next one goes; at last where it ends */
        s->at[s->group[b->kept[i].instr + 1]++] = (uint32_t)i;
}

static int by_number(const void *pa, const void *pb)
{
    const uint64_t *a = pa, *b = pb;
    return *a < *b ? -1 : *a > *b;
}

static bool same_line(const Trace *t, uint32_t a, uint32_t b)
{
    const Instr *x = t->info.instr ? t->info.instr[a].in : NULL, *y = t->info.instr ? t->info.instr[b].in : NULL;
    if (!x || !y)
        return false;
    Place p = instr_user_place(t->launch->module, x), q = instr_user_place(t->launch->module, y);
    return p.line == q.line && p.file == q.file && !p.from_ptx;
}

/* Is b, the first access of an instruction, what a copy of a's would make? */
static bool is_copy(const Trace *t, const Kept *a, const Kept *b)
{
    if (a->op != b->op || a->bytes != b->bytes || a->a.mask != b->a.mask || a->a.warp != b->a.warp)
        return false;
    unsigned first = (unsigned)__builtin_ctz(a->a.mask);
    uint64_t away  = b->a.addr[first] - a->a.addr[first];
    for (uint32_t m = a->a.mask; m; m &= m - 1)
        if (b->a.addr[__builtin_ctz(m)] - a->a.addr[__builtin_ctz(m)] != away)
            return false;
    return (away <= NEAR || -away <= NEAR) && same_line(t, a->instr, b->instr);
}

/* Gives the accesses of copies their first instruction's id, and sorts again. */
static void join_copies(const Trace *t, Open *b, Sorted *s)
{
    uint32_t *leader = xcalloc(t->info.instrs + 1, sizeof *leader), *first = xcalloc(t->info.instrs + 1, sizeof *first),
             n = 0;
    for (uint32_t i = 0; i < t->info.instrs; i++)
        if (s->group[i] < s->group[i + 1])
            first[n++] = leader[i] = i;
    for (uint32_t k = 1; k < n; k++)
        for (uint32_t j = 0; j < k; j++)
            if (is_copy(t, &b->kept[s->at[s->group[first[j]]]], &b->kept[s->at[s->group[first[k]]]])) {
                leader[first[k]] = leader[first[j]];
                break;
            }
    for (size_t i = 0; i < b->n; i++)
        b->kept[i].instr = leader[b->kept[i].instr];
    free(leader);
    free(first);
    sort(t, b, s);
}

static size_t distinct(uint64_t *list, size_t n)
{
    size_t k = 0;
    if (n)
        qsort(list, n, sizeof *list, by_number);
    for (size_t i = 0; i < n; i++)
        if (!k || list[k - 1] != list[i])
            list[k++] = list[i];
    return k;
}

/* The same of the addresses of one access, in any order: what comes again mostly comes in the order in which it came first. */
static size_t distinct_few(uint64_t *list, size_t n)
{
    size_t kept = 0, next = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t at = list[i];
        if (next >= kept || list[next] != at)
            for (next = 0; next < kept && list[next] != at;)
                next++;
        if (next == kept)
            list[kept++] = at;
        next++;
    }
    return kept;
}

/* Addresses of one access into list, each once.  Most accesses ascend or are one address. */
static size_t values_of(const Kept *k, uint64_t *list)
{
    size_t n         = 0;
    bool   ascending = true;
    for (uint32_t m = k->a.mask; m; m &= m - 1) {
        uint64_t at = k->a.addr[__builtin_ctz(m)];
        if (n && at == list[n - 1])
            continue;
        ascending &= !n || at > list[n - 1];
        list[n++] = at;
    }
    return ascending ? n : distinct_few(list, n);
}

/* Distinct values of a list that may be long: a bit for each where they lie near each other. */
static size_t distinct_of_many(uint64_t *list, size_t n, unsigned bytes)
{
    uint64_t low = UINT64_MAX, high = 0, count = 0;
    for (size_t i = 0; i < n; i++) {
        low  = list[i] < low ? list[i] : low;
        high = list[i] > high ? list[i] : high;
    }
    if (!n || (high - low) / bytes >= MOST_BITS)
        return distinct(list, n);
    uint8_t *bits = xcalloc((high - low) / bytes / 8 + 1, 1);
    for (size_t i = 0; i < n; i++) {
        uint64_t at  = (list[i] - low) / bytes;
        uint8_t  bit = (uint8_t)(1u << (at & 7));
        count += !(bits[at >> 3] & bit);
        bits[at >> 3] |= bit;
    }
    free(bits);
    return count;
}

static void add_lanes(TraceSum *s, const LaneCost *c, bool first)
{
    bool other = s->lanes.stride && c->stride && s->lanes.stride != c->stride;
    s->lanes.ideal += c->ideal;
    for (int o = 0; o < LANE_ORDERS; o++) {
        s->lanes.valid[o] = c->valid[o] && (first || s->lanes.valid[o]) && !(o == LANES_SPLIT && other);
        s->lanes.sectors[o] += c->sectors[o];
    }
    s->lanes.stride = s->lanes.stride ? s->lanes.stride : c->stride;
}

/* The allocation of the first address; the replay finds out whether the others are in it. */
static void find_room(const CheckLaunch *l, BlockUse *u)
{
    const char *name;
    if (!l->find || !l->find(l->user, u->access->addr[__builtin_ctz(u->access->mask)], &u->base, &u->room, &name))
        u->room = 0;
}

/* One instruction's accesses of a block: n of them, by their places in `kept`. */
static void analyse(TraceState *st, uint64_t block, const Kept *kept, const uint32_t *at, size_t n)
{
    const Kept *k = &kept[at[0]];
    TraceSum   *s = &st->sum[k->instr];
    if (n > st->room) {
        st->room = n;
        st->list = xrealloc(st->list, n * LANES * sizeof *st->list);
        st->copy = xrealloc(st->copy, n * sizeof *st->copy);
    }
    uint64_t    *list = st->list;
    BlockAccess *a    = st->copy;
    size_t       all  = 0;
    BlockUse     use  = {.op = k->op, .cache = k->cache, .bytes = k->bytes, .access = a, .n = n};
    LaneCost     cost;
    memcpy(use.block, st->trace->info.block, sizeof use.block);
    for (size_t i = 0; i < n; i++) {
        all += values_of(&kept[at[i]], list + all);
        a[i] = kept[at[i]].a;
    }
    s->accesses += n;
    s->values += all;
    s->bytes = k->bytes;
    s->distinct += distinct_of_many(list, all, k->bytes);
    find_room(st->trace->launch, &use);
    lanes_replay(st->trace->launch->profile, &use, &cost);
    add_lanes(s, &cost, !st->seen[k->instr]);
    s->op = (AccessOp)k->op;
    if (cost.sectors[LANES_AS_IS] > cost.ideal && (!s->show || block < s->show_block)) {
        s->show       = s->show ? s->show : xcalloc(1, sizeof *s->show);
        s->show_block = block;
        lanes_show(&use, &cost, s->show);
    }
    st->seen[k->instr] = true;
}

static void block_close(TraceState *st, Open *b)
{
    const Trace *t = st->trace;
    Sorted       s = {xcalloc(b->n + 1, sizeof *s.at), xcalloc(t->info.instrs + 2, sizeof *s.group)};
    sort(t, b, &s);
    join_copies(t, b, &s);
    for (uint32_t i = 0; i < t->info.instrs; i++)
        if (s.group[i] < s.group[i + 1])
            analyse(st, b->block, b->kept, s.at + s.group[i], s.group[i + 1] - s.group[i]);
    for (uint32_t i = 0; b->cut && i < st->trace->info.instrs; i++)
        st->sum[i].cut += b->cut[i];
    st->looked++;
    free(s.at);
    free(s.group);
    free(st->kept);
    st->kept      = b->kept;
    st->kept_room = b->room;
    free(b->cut);
    free(b);
}

static void trace_end(void *state, uint64_t block)
{
    TraceState *st = state;
    for (Open **at = &st->open; *at; at = &(*at)->next)
        if ((*at)->block == block) {
            Open *b = *at;
            *at     = b->next;
            block_close(st, b);
            return;
        }
}

/* ---- accesses -------------------------------------------------------------------------------------------------------- */

static Open *open_of(TraceState *st, uint64_t block)
{
    for (Open *b = st->open; b; b = b->next)
        if (b->block == block)
            return b;
    Open *b         = xcalloc(1, sizeof *b);
    b->block        = block;
    b->next         = st->open;
    b->kept         = st->kept;
    b->room         = st->kept_room;
    st->kept        = NULL;
    st->kept_room   = 0;
    return st->open = b;
}

uint32_t atomic_leaders(uint32_t mask, const uint64_t *addr)
{
    uint32_t kept = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i     = (unsigned)__builtin_ctz(m);
        bool     first = true;
        for (uint32_t b = kept; b && first; b &= b - 1)
            first = addr[__builtin_ctz(b)] != addr[i];
        kept |= first ? 1u << i : 0;
    }
    return kept;
}

static uint64_t turns(const Profile *p, AccessSpace space, AccessOp op, unsigned bytes, uint32_t mask,
                      const uint64_t *addr)
{
    ModelCost   c;
    ModelAccess a = {
        space == ACCESS_SHARED ? MODEL_SHARED : MODEL_GLOBAL, (ModelOp)op, MODEL_L1_AUTO, bytes, mask, addr};
    model_access(p, &a, &c);
    return space == ACCESS_SHARED ? c.wavefronts : c.sectors;
}

void atomic_turns_add(const Profile *p, AccessSpace space, AccessOp op, unsigned bytes, uint32_t mask,
                      const uint64_t *addr, uint64_t times, AtomicTurns *sum)
{
    uint32_t kept = atomic_leaders(mask, addr);
    sum->accesses += times;
    sum->lanes += times * (uint64_t)__builtin_popcount(mask);
    sum->addresses += times * (uint64_t)__builtin_popcount(kept);
    sum->now += times * turns(p, space, op, bytes, mask, addr);
    sum->joined += times * turns(p, space, op, bytes, kept, addr);
}

void atomic_turns_join(AtomicTurns *to, const AtomicTurns *from)
{
    to->accesses += from->accesses;
    to->lanes += from->lanes;
    to->addresses += from->addresses;
    to->now += from->now;
    to->joined += from->joined;
}

static void atomic_access(TraceState *st, const Access *a)
{
    uint64_t addr[LANES];
    for (unsigned i = 0; i < LANES; i++)
        addr[i] = a->addr ? a->addr[i] : a->off[i];
    atomic_turns_add(st->trace->launch->profile, (AccessSpace)a->space, (AccessOp)a->op, a->bytes, a->mask, addr, 1,
                     &st->sum[a->instr].atomics);
    st->seen[a->instr] = true;
}

static void trace_access(void *state, const Access *a)
{
    TraceState *st = state;
    if (a->block == st->passed)
        return;
    if (a->block % st->trace->step) {
        st->passed = a->block;
        return;
    }
    if (a->op == ACCESS_ATOM || a->op == ACCESS_RED) {
        atomic_access(st, a);
        return;
    }
    Open *b = open_of(st, a->block);
    if (b->n == TRACE_ACCESSES) {
        if (!b->cut)
            b->cut = xcalloc(st->trace->info.instrs + 1, sizeof *b->cut);
        b->cut[a->instr]++;
        return;
    }
    if (b->n == b->room) {
        b->room = b->room ? b->room * 2 : 64;
        b->kept = xrealloc(b->kept, b->room * sizeof *b->kept);
    }
    Kept *k   = &b->kept[b->n];
    k->a.warp = a->warp, k->a.mask = a->mask;
    k->instr = a->instr, k->op = a->op, k->cache = a->cache, k->bytes = a->bytes;
    memcpy(k->a.addr, a->addr, sizeof k->a.addr);
    b->n++;
}

static bool trace_skips(void *state, uint64_t block)
{
    return block % ((const TraceState *)state)->trace->step != 0;
}

static void trace_sweep(void *state, const SweepCall *c)
{
    TraceState *st = state;
    SweepRoom   room;
    for (uint32_t i = 0; c->block % st->trace->step == 0 && i < c->of->naccesses; i++) {
        const Access *seen = c->of->access[i].seen;
        Access        a;
        if (!(st->trace->base.wants[c->of->party[c->of->access[i].party].space] >> seen->op & 1))
            continue;
        a = sweep_access(c, i, &room);
        trace_access(st, &a);
    }
}

/* ---- launch ---------------------------------------------------------------------------------------------------------- */

static void *trace_fork(Observer *o, const LaunchInfo *info, unsigned worker)
{
    Trace      *t  = (Trace *)o;
    TraceState *st = xcalloc(1, sizeof *st);
    (void)worker;
    if (!t->sum) { /* the first of the launch */
        t->info   = *info;
        t->blocks = (uint64_t)info->grid[0] * info->grid[1] * info->grid[2];
        t->step   = (t->blocks + TRACE_BLOCKS - 1) / TRACE_BLOCKS;
        t->step   = t->step ? t->step : 1;
        t->sum    = xcalloc(info->instrs + 1, sizeof *t->sum);
        t->seen   = xcalloc(info->instrs + 1, sizeof *t->seen);
    }
    st->trace  = t;
    st->passed = UINT64_MAX;
    st->sum    = xcalloc(info->instrs + 1, sizeof *st->sum);
    st->seen   = xcalloc(info->instrs + 1, sizeof *st->seen);
    return st;
}

/* What is shown goes over to the sum, or is freed. */
static void sum_add(Trace *t, uint32_t i, TraceSum *from, bool seen)
{
    TraceSum *to = &t->sum[i];
    to->cut += from->cut;
    if (!seen)
        return;
    add_lanes(to, &from->lanes, !t->seen[i]);
    to->distinct += from->distinct;
    to->values += from->values;
    to->bytes = from->bytes;
    to->accesses += from->accesses;
    to->op = from->op;
    if (from->show && (!to->show || from->show_block < to->show_block)) {
        LaneShow *other = to->show;
        to->show        = from->show;
        to->show_block  = from->show_block;
        from->show      = other;
    }
    free(from->show);
    from->show = NULL;
    atomic_turns_join(&to->atomics, &from->atomics);
    t->seen[i] = true;
}

void trace_put(const Observer *o, Parcel *p)
{
    const Trace *t = (const Trace *)o;
    uint32_t     n = t->sum ? t->info.instrs : 0;
    parcel_put_number(p, n);
    for (uint32_t i = 0; i < n; i++) {
        TraceSum        s    = t->sum[i];
        const LaneShow *show = s.show;
        s.show               = NULL;
        parcel_put_number(p, t->seen[i]);
        parcel_put(p, &s, sizeof s);
        parcel_put_number(p, show != NULL);
        if (show)
            parcel_put(p, show, sizeof *show);
    }
    parcel_put_number(p, t->looked);
}

void trace_add(Observer *o, Parcel *p)
{
    Trace *t = (Trace *)o;
    size_t n = parcel_count(p, sizeof(TraceSum));
    for (size_t i = 0; i < n; i++) {
        bool     seen = parcel_number(p) != 0;
        TraceSum s;
        parcel_take(p, &s, sizeof s);
        s.show = parcel_number(p) ? xcalloc(1, sizeof *s.show) : NULL;
        if (s.show)
            parcel_take(p, s.show, sizeof *s.show);
        if (t->sum && i < t->info.instrs)
            sum_add(t, (uint32_t)i, &s, seen);
        free(s.show);
    }
    t->looked += parcel_number(p);
}

static void trace_join(Observer *o, void *state)
{
    Trace      *t  = (Trace *)o;
    TraceState *st = state;
    while (st->open) { /* the launch was stopped */
        Open *b  = st->open;
        st->open = b->next;
        free(b->kept);
        free(b->cut);
        free(b);
    }
    for (uint32_t i = 0; i < t->info.instrs; i++)
        sum_add(t, i, &st->sum[i], st->seen[i]);
    t->looked += st->looked;
    free(st->kept);
    free(st->list);
    free(st->copy);
    free(st->sum);
    free(st->seen);
    free(st);
}

Observer *trace_new(const CheckLaunch *l)
{
    Trace *t = xcalloc(1, sizeof *t);
    t->base.wants[ACCESS_GLOBAL] =
        1 << ACCESS_LD | 1 << ACCESS_ST | 1 << ACCESS_COPY | 1 << ACCESS_ATOM | 1 << ACCESS_RED;
    t->base.wants[ACCESS_SHARED] = 1 << ACCESS_ATOM | 1 << ACCESS_RED;
    t->base.fork                 = trace_fork;
    t->base.access               = trace_access;
    t->base.sweep                = trace_sweep;
    t->base.skips                = trace_skips;
    t->base.block_end            = trace_end;
    t->base.join                 = trace_join;
    t->launch                    = l;
    return &t->base;
}

void trace_free(Observer *o)
{
    Trace *t = (Trace *)o;
    if (!t)
        return;
    for (uint32_t i = 0; t->sum && i < t->info.instrs; i++)
        free(t->sum[i].show);
    free(t->sum);
    free(t->seen);
    free(t);
}

const TraceSum *trace_instr(const Observer *o, uint32_t id)
{
    const Trace *t = (const Trace *)o;
    return t->seen && id < t->info.instrs && t->seen[id] ? &t->sum[id] : NULL;
}

const LaunchInfo *trace_info(const Observer *o)
{
    return &((const Trace *)o)->info;
}

uint64_t trace_blocks(const Observer *o, uint64_t *of)
{
    const Trace *t = (const Trace *)o;
    *of            = t->blocks;
    return t->looked;
}
