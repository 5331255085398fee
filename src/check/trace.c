/* SPDX-License-Identifier: Apache-2.0
 *
 * The tracing observer.  Block b is looked at when b is a multiple of the step, so the choice does not depend on the workers.  A worker
 * keeps the accesses of each block it has open; when the block ends they are sorted by instruction, analysed and dropped.
 *
 * Accesses behind the first TRACE_ACCESSES of a block are only counted.
 * Not looked at: shared and local memory, atomics. */
#include "check/trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum { SECTOR = 32 };

typedef struct Kept {
    BlockAccess a;
    uint32_t    instr, serial;
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
    Observer       base;
    const Profile *profile;
    LaunchInfo     info;
    uint64_t       step, blocks, looked;
    TraceSum      *sum;
    bool          *seen;
} Trace;

typedef struct TraceState {
    Trace    *trace;
    Open     *open;
    TraceSum *sum;
    bool     *seen;
    uint64_t  looked;
} TraceState;

/* ---- the end of a block ---------------------------------------------------------------------------------------------- */

static int by_instr(const void *pa, const void *pb)
{
    const Kept *a = pa, *b = pb;
    if (a->instr != b->instr)
        return a->instr < b->instr ? -1 : 1;
    return a->serial < b->serial ? -1 : 1;
}

static int by_number(const void *pa, const void *pb)
{
    const uint64_t *a = pa, *b = pb;
    return *a < *b ? -1 : *a > *b;
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

/* Sectors of one access into list. */
static size_t sectors_of(const Kept *k, uint64_t *list)
{
    size_t n = 0;
    for (uint32_t m = k->a.mask; m; m &= m - 1) {
        uint64_t at = k->a.addr[__builtin_ctz(m)];
        for (uint64_t s = at / SECTOR; s <= (at + k->bytes - 1) / SECTOR; s++)
            list[n++] = s;
    }
    return distinct(list, n);
}

static bool one_address(const Kept *k)
{
    unsigned first = (unsigned)__builtin_ctz(k->a.mask);
    for (uint32_t m = k->a.mask; m; m &= m - 1)
        if (k->a.addr[__builtin_ctz(m)] != k->a.addr[first])
            return false;
    return (k->a.mask & (k->a.mask - 1)) != 0;
}

static void add_lanes(TraceSum *s, const LaneCost *c, bool first)
{
    s->lanes.ideal += c->ideal;
    for (int o = 0; o < LANE_ORDERS; o++) {
        s->lanes.valid[o] = c->valid[o] && (first || s->lanes.valid[o]);
        s->lanes.sectors[o] += c->sectors[o];
    }
}

/* One instruction's accesses of a block. */
static void analyse(TraceState *st, const Kept *k, size_t n)
{
    TraceSum    *s    = &st->sum[k->instr];
    uint64_t    *list = xcalloc(n * LANES * 2, sizeof *list);
    BlockAccess *a    = xcalloc(n, sizeof *a);
    size_t       all  = 0;
    BlockUse     use  = {.op = k->op, .cache = k->cache, .bytes = k->bytes, .access = a, .n = n};
    LaneCost     cost;
    memcpy(use.block, st->trace->info.block, sizeof use.block);
    for (size_t i = 0; i < n; i++) {
        size_t more = sectors_of(&k[i], list + all);
        all += more;
        s->sectors += more;
        s->values += (uint64_t)__builtin_popcount(k[i].a.mask);
        s->uniform += one_address(&k[i]);
        a[i] = k[i].a;
    }
    s->accesses += n;
    s->distinct += distinct(list, all);
    lanes_replay(st->trace->profile, &use, &cost);
    add_lanes(s, &cost, !st->seen[k->instr]);
    st->seen[k->instr] = true;
    free(list);
    free(a);
}

static void block_close(TraceState *st, Open *b)
{
    if (b->n)
        qsort(b->kept, b->n, sizeof *b->kept, by_instr);
    for (size_t i = 0, j; i < b->n; i = j) {
        for (j = i + 1; j < b->n && b->kept[j].instr == b->kept[i].instr;)
            j++;
        analyse(st, &b->kept[i], j - i);
    }
    for (uint32_t i = 0; b->cut && i < st->trace->info.instrs; i++)
        st->sum[i].cut += b->cut[i];
    st->looked++;
    free(b->kept);
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
    return st->open = b;
}

static void trace_access(void *state, const Access *a)
{
    TraceState *st = state;
    if (a->block % st->trace->step)
        return;
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
    Kept *k = &b->kept[b->n];
    *k      = (Kept){.a      = {.warp = a->warp, .mask = a->mask},
                     .instr  = a->instr,
                     .serial = (uint32_t)b->n++,
                     .op     = a->op,
                     .cache  = a->cache,
                     .bytes  = a->bytes};
    memcpy(k->a.addr, a->addr, sizeof k->a.addr);
}

/* ---- launch ---------------------------------------------------------------------------------------------------------- */

static void *trace_fork(Observer *o, const LaunchInfo *info, unsigned worker)
{
    Trace      *t  = (Trace *)o;
    TraceState *st = xcalloc(1, sizeof *st);
    if (!worker) {
        t->info   = *info;
        t->blocks = (uint64_t)info->grid[0] * info->grid[1] * info->grid[2];
        t->step   = (t->blocks + TRACE_BLOCKS - 1) / TRACE_BLOCKS;
        t->step   = t->step ? t->step : 1;
        t->sum    = xcalloc(info->instrs + 1, sizeof *t->sum);
        t->seen   = xcalloc(info->instrs + 1, sizeof *t->seen);
    }
    st->trace = t;
    st->sum   = xcalloc(info->instrs + 1, sizeof *st->sum);
    st->seen  = xcalloc(info->instrs + 1, sizeof *st->seen);
    return st;
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
    for (uint32_t i = 0; i < t->info.instrs; i++) {
        TraceSum *to = &t->sum[i], *from = &st->sum[i];
        to->cut += from->cut;
        if (!st->seen[i])
            continue;
        add_lanes(to, &from->lanes, !t->seen[i]);
        to->sectors += from->sectors;
        to->distinct += from->distinct;
        to->values += from->values;
        to->uniform += from->uniform;
        to->accesses += from->accesses;
        t->seen[i] = true;
    }
    t->looked += st->looked;
    free(st->sum);
    free(st->seen);
    free(st);
}

Observer *trace_new(const Profile *p)
{
    Trace *t                     = xcalloc(1, sizeof *t);
    t->base.wants[ACCESS_GLOBAL] = 1 << ACCESS_LD | 1 << ACCESS_ST | 1 << ACCESS_COPY;
    t->base.fork                 = trace_fork;
    t->base.access               = trace_access;
    t->base.block_end            = trace_end;
    t->base.join                 = trace_join;
    t->profile                   = p;
    return &t->base;
}

void trace_free(Observer *o)
{
    Trace *t = (Trace *)o;
    if (!t)
        return;
    free(t->sum);
    free(t->seen);
    free(t);
}

const TraceSum *trace_instr(const Observer *o, uint32_t id)
{
    const Trace *t = (const Trace *)o;
    return t->seen && id < t->info.instrs && t->seen[id] ? &t->sum[id] : NULL;
}

uint64_t trace_blocks(const Observer *o, uint64_t *of)
{
    const Trace *t = (const Trace *)o;
    *of            = t->blocks;
    return t->looked;
}
