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
#include "base/stress.h"
#include "model/model.h"
#include "ptx/place.h"

enum { NEAR = 1024, MOST_BITS = 1 << 24, MOST_WARPS = 32 /* of a block */, SHAPES = STRESSED(4096, 2) };

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
    Shapes *shapes; /* of all accesses that are kept; forgotten when there are more than SHAPES and no block is open */
    uint32_t *last; /* by instruction: number of the shape that it showed last */
    /* by number of the sweep: the shapes of its accesses, one after the other; NULL: not known yet */
    uint32_t **sweep;
    uint32_t   sweeps;
    /* rooms that blocks use one after the other: their pages need not come anew */
    Kept        *kept;
    size_t       kept_room;
    BlockAccess *copy, *round;
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
    uint64_t away = b->a.first - a->a.first;
    return a->op == b->op && a->bytes == b->bytes && a->a.shape == b->a.shape && a->a.warp == b->a.warp &&
           (away <= NEAR || -away <= NEAR) && same_line(t, a->instr, b->instr);
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

static uint64_t distinct_far_apart(const BlockUse *u, size_t all)
{
    uint64_t *list = xcalloc(all + 1, sizeof *list);
    size_t    n    = 0;
    for (size_t i = 0; i < u->n; i++) {
        const Shape *s = &u->shape[u->access[i].shape];
        for (uint32_t m = s->leaders; m; m &= m - 1)
            list[n++] = u->access[i].first + s->delta[__builtin_ctz(m)];
    }
    n = distinct(list, n);
    free(list);
    return n;
}

/* Sets n bits from `at` on, at most 32; how many were not set. */
static unsigned set_bits(uint64_t *bits, uint64_t at, unsigned n)
{
    unsigned shift = at % 64;
    uint64_t run = (UINT64_C(1) << n) - 1, low = run << shift & ~bits[at / 64], high = 0;
    bits[at / 64] |= low;
    if (shift + n > 64) {
        high = run >> (64 - shift) & ~bits[at / 64 + 1];
        bits[at / 64 + 1] |= high;
    }
    return low | high ? (unsigned)(__builtin_popcountll(low) + __builtin_popcountll(high)) : 0;
}

/* The addresses of one access, as bits: one for each of the values from `low` on. */
static unsigned set_values(uint64_t *bits, uint64_t low, unsigned shift, const BlockAccess *a, const Shape *s)
{
    uint64_t first = a->first - low, bytes = UINT64_C(1) << shift;
    unsigned n = s->values, set = 0;
    if (s->high - s->low == (uint64_t)(n - 1) << shift && s->unit % bytes == 0) /* side by side */
        return set_bits(bits, (first + s->low) >> shift, n);
    for (uint32_t m = s->leaders; m; m &= m - 1)
        set += set_bits(bits, (first + s->delta[__builtin_ctz(m)]) >> shift, 1);
    return set;
}

/* Distinct addresses of a block's accesses; all: of each by itself.  What the warp before loaded in the same round is not looked at again. */
static uint64_t distinct_of(const BlockUse *u, size_t all, BlockAccess *round)
{
    uint64_t low = UINT64_MAX, high = 0, count = 0;
    unsigned shift            = (unsigned)__builtin_ctz(u->bytes);
    uint32_t made[MOST_WARPS] = {0};
    for (size_t i = 0; i < u->n; i++) {
        const Shape *s    = &u->shape[u->access[i].shape];
        uint64_t     from = u->access[i].first + s->low, to = u->access[i].first + s->high;
        low  = from < low ? from : low;
        high = to > high ? to : high;
    }
    if ((high - low) >> shift >= MOST_BITS)
        return distinct_far_apart(u, all);
    uint64_t *bits = xcalloc(((high - low) >> shift) / 64 + 2, sizeof *bits);
    memset(round, 0xff, u->n * sizeof *round);
    for (size_t i = 0; i < u->n; i++) {
        const BlockAccess *a    = &u->access[i];
        BlockAccess       *seen = &round[made[a->warp % MOST_WARPS]++];
        if (seen->first == a->first && seen->shape == a->shape)
            continue;
        *seen = *a;
        count += set_values(bits, low, shift, a, &u->shape[a->shape]);
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
    if (!l->find || !l->find(l->user, u->access->first, &u->base, &u->room, &name))
        u->room = 0;
}

/* One instruction's accesses of a block: n of them, by their places in `kept`. */
static void analyse(TraceState *st, uint64_t block, const Kept *kept, const uint32_t *at, size_t n)
{
    const Kept *k = &kept[at[0]];
    TraceSum   *s = &st->sum[k->instr];
    if (n > st->room) {
        st->room  = n;
        st->copy  = xrealloc(st->copy, n * sizeof *st->copy);
        st->round = xrealloc(st->round, n * sizeof *st->round);
    }
    BlockAccess *a   = st->copy;
    size_t       all = 0;
    BlockUse     use = {
            .op = k->op, .cache = k->cache, .bytes = k->bytes, .shape = shapes_all(st->shapes), .access = a, .n = n};
    LaneCost cost;
    memcpy(use.block, st->trace->info.block, sizeof use.block);
    for (size_t i = 0; i < n; i++) {
        a[i] = kept[at[i]].a;
        all += use.shape[a[i].shape].values;
    }
    s->accesses += n;
    s->values += all;
    s->bytes = k->bytes;
    s->distinct += distinct_of(&use, all, st->round);
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

static void forget_shapes(TraceState *st)
{
    shapes_clear(st->shapes);
    for (uint32_t i = 0; i < st->sweeps; i++) {
        free(st->sweep[i]);
        st->sweep[i] = NULL;
    }
}

static void trace_end(void *state, uint64_t block)
{
    TraceState *st = state;
    for (Open **at = &st->open; *at; at = &(*at)->next)
        if ((*at)->block == block) {
            Open *b = *at;
            *at     = b->next;
            block_close(st, b);
            break;
        }
    if (!st->open && shapes_count(st->shapes) > SHAPES)
        forget_shapes(st);
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
    uint32_t kept = shape_leaders(mask, addr);
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

/* Is the block looked at? */
static bool looks_at(TraceState *st, uint64_t block)
{
    if (block == st->passed)
        return false;
    if (block % st->trace->step == 0)
        return true;
    st->passed = block;
    return false;
}

/* One access more of an open block, to be filled in; NULL: it is only counted. */
static Kept *keep(TraceState *st, Open *b, uint32_t instr)
{
    if (b->n == TRACE_ACCESSES) {
        if (!b->cut)
            b->cut = xcalloc(st->trace->info.instrs + 1, sizeof *b->cut);
        b->cut[instr]++;
        return NULL;
    }
    if (b->n == b->room) {
        b->room = b->room ? b->room * 2 : 64;
        b->kept = xrealloc(b->kept, b->room * sizeof *b->kept);
    }
    return &b->kept[b->n++];
}

static void trace_access(void *state, const Access *a)
{
    TraceState *st = state;
    if (!looks_at(st, a->block))
        return;
    if (a->op == ACCESS_ATOM || a->op == ACCESS_RED) {
        atomic_access(st, a);
        return;
    }
    Kept *k = keep(st, open_of(st, a->block), a->instr);
    if (!k)
        return;
    uint32_t shape     = shapes_find(st->shapes, st->last[a->instr], a->mask, a->addr);
    st->last[a->instr] = shape;
    *k                 = (Kept){.a     = {.first = a->addr[__builtin_ctz(a->mask)], .warp = a->warp, .shape = shape},
                                .instr = a->instr,
                                .op    = a->op,
                                .cache = a->cache,
                                .bytes = a->bytes};
}

static bool trace_skips(void *state, uint64_t block)
{
    return block % ((const TraceState *)state)->trace->step != 0;
}

/* The shapes of a sweep's accesses. */
static const uint32_t *sweep_shapes(TraceState *st, const Sweep *of)
{
    if (of->number >= st->sweeps) {
        uint32_t n = of->number + 1 > 2 * st->sweeps ? of->number + 1 : 2 * st->sweeps;
        st->sweep  = xrealloc(st->sweep, n * sizeof *st->sweep);
        memset(st->sweep + st->sweeps, 0, (n - st->sweeps) * sizeof *st->sweep);
        st->sweeps = n;
    }
    uint32_t **known = &st->sweep[of->number];
    if (*known)
        return *known;
    *known = xcalloc(of->naccesses + 1, sizeof **known);
    for (uint32_t i = 0; i < of->naccesses; i++) {
        uint64_t addr[LANES];
        for (unsigned k = 0; k < LANES; k++)
            addr[k] = of->access[i].lane[k];
        (*known)[i] = shapes_find(st->shapes, 0, UINT32_MAX, addr);
    }
    return *known;
}

static void trace_sweep(void *state, const SweepCall *c)
{
    TraceState  *st = state;
    const Sweep *of = c->of;
    Open        *b  = NULL;
    if (!looks_at(st, c->block))
        return;
    const uint32_t *shape = sweep_shapes(st, of);
    for (uint32_t i = 0; i < of->naccesses; i++) {
        const SweepAccess *x    = &of->access[i];
        const Access      *seen = x->seen;
        if (!(st->trace->base.wants[of->party[x->party].space] >> seen->op & 1))
            continue;
        b       = b ? b : open_of(st, c->block);
        Kept *k = keep(st, b, seen->instr);
        if (k)
            *k = (Kept){.a     = {.first = c->at[x->party] + x->lane[0], .warp = c->warp, .shape = shape[i]},
                        .instr = seen->instr,
                        .op    = seen->op,
                        .cache = seen->cache,
                        .bytes = seen->bytes};
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
    st->last   = xcalloc(info->instrs + 1, sizeof *st->last);
    st->shapes = shapes_new();
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
    forget_shapes(st);
    shapes_free(st->shapes);
    free(st->sweep);
    free(st->last);
    free(st->kept);
    free(st->copy);
    free(st->round);
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
