/* SPDX-License-Identifier: Apache-2.0
 *
 * The race checker's observer: what an access finds in shadow memory and leaves there.
 *
 * A cell keeps at most two readers and two atomic writers.  Two are enough where only barriers of the block and of whole warps order
 * threads: the second is the one farthest from the first (another block, else another warp, else another lane), so whoever writes next without
 * order clashes with one of them if with any.  With named barriers, mbarriers, or fences and flags a race with a reader who was not kept can be
 * missed; none is ever reported that is not there.
 *
 * A launch whose kernel has fences or acquiring or releasing accesses runs on one worker, because order between blocks must be
 * noted in the order in which values are seen.
 * Not modelled: races between kernels on streams that nothing orders, and with the host (launches count as ordered); mixed sizes of atomics
 * on one place. */
#include "check/race.h"

#include <stdlib.h>
#include <string.h>

#include "check/race_cells.h"

#include "base/arena.h"

enum { ALL_OPS = (1 << ACCESS_OPS) - 1 };

typedef struct State { /* one worker */
    RaceRun   *run;
    RaceBlock *current; /* the block of the last call */
    RaceBlock *active, *idle;
    Cells      cells;
} State;

/* ---- blocks ---- */

static RaceBlock *find_block(State *s, uint64_t block)
{
    RaceBlock *b = s->active;
    while (b && b->index != block)
        b = b->next;
    return s->current = b;
}

static inline RaceBlock *block_of(State *s, uint64_t block)
{
    return s->current && s->current->index == block ? s->current : find_block(s, block);
}

static void race_block_start(void *state, uint64_t block)
{
    State     *s = state;
    RaceBlock *b = s->idle;
    if (b)
        s->idle = b->next;
    else
        b = order_new(s->run->race->serials, s->run->info->block[0] * s->run->info->block[1] * s->run->info->block[2],
                      s->run->info->shared_bytes);
    order_start(b, block, s->run->race->launches);
    b->next    = s->active;
    s->active  = b;
    s->current = b;
}

static void race_block_end(void *state, uint64_t block)
{
    State      *s  = state;
    RaceBlock **at = &s->active, *b;
    while (*at && (*at)->index != block)
        at = &(*at)->next;
    b = *at;
    if (!b)
        return;
    *at = b->next;
    order_end(b);
    b->next    = s->idle;
    s->idle    = b;
    s->current = NULL;
}

/* ---- accesses ---- */

static unsigned new_site(RaceRun *r, uint32_t instr)
{
    pthread_mutex_lock(&r->lock);
    unsigned site = r->site_of[instr];
    if (!site) {
        site              = r->sites < SITE_UNKNOWN ? r->sites++ : SITE_UNKNOWN;
        r->instr_of[site] = site == SITE_UNKNOWN ? NO_INSTR : instr;
        __atomic_store_n(&r->site_of[instr], (uint16_t)site, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&r->lock);
    return site;
}

static Strength strength_of(const Access *a)
{
    if (a->sem == SEM_WEAK)
        return STRENGTH_WEAK;
    if (a->is_volatile && a->op == ACCESS_ST)
        return STRENGTH_VOLATILE;
    return a->scope == SCOPE_CTA ? STRENGTH_CTA : STRENGTH_GPU;
}

/* What the access orders. */
static void order_access(const Touch *t)
{
    const Access *a       = t->a;
    SyncObject  **objects = a->space == ACCESS_SHARED ? &t->b->objects : &t->cells->run->objects;
    bool          rmw     = a->op == ACCESS_ATOM || a->op == ACCESS_RED;
    for (uint32_t m = a->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t key  = a->off ? a->off[lane] : a->addr[lane];
        if (t->strong)
            order_strong(t->b, objects, key, a->warp * LANES + lane, rmw || !t->writes, t->writes, (Sem)a->sem,
                         (Scope)a->scope);
        else
            order_weak_write(objects, key);
    }
}

static void race_access(void *state, const Access *a)
{
    State     *s      = state;
    RaceRun   *r      = s->run;
    RaceBlock *b      = block_of(s, a->block);
    unsigned   site   = __atomic_load_n(&r->site_of[a->instr], __ATOMIC_ACQUIRE);
    bool       shared = a->space == ACCESS_SHARED, copies = shared && a->op == ACCESS_COPY;
    if (!site)
        site = new_site(r, a->instr);
    if (copies)
        order_copies(b);
    Strength strength = strength_of(a);
    Touch    t        = {.cells = &s->cells, .b = b, .a = a, .strong = strength != STRENGTH_WEAK, .async = copies};
    t.me              = stamp_make(b->now, a->warp * LANES, site, copies, strength);
    t.dead            = (shared ? b->copy ? (Time)b->birth << TICK_BITS : b->base : r->floor) << TIME_SHIFT;
    t.writes = a->op == ACCESS_ST || a->op == ACCESS_ATOM || a->op == ACCESS_RED || a->op == ACCESS_STSM || copies;
    if (r->flags && strength == STRENGTH_VOLATILE)
        t.flags = order_publishing(b, a->warp, a->mask);
    r->touch(&t);
    if (r->flags && (t.strong || (t.writes && r->objects)))
        order_access(&t);
}

/* ---- events ---- */

static void warp_sync(RaceBlock *b, const SyncEvent *e)
{
    for (uint32_t left = e->mask; left;) { /* lanes may name different masks */
        unsigned i    = (unsigned)__builtin_ctz(left);
        uint32_t mask = (e->members ? e->members[i] : e->mask) & e->mask;
        order_warp_sync(b, e->warp, mask);
        left &= ~(mask | UINT32_C(1) << i);
    }
}

static void mbarrier(RaceBlock *b, const SyncEvent *e)
{
    switch ((MbarOp)e->op) {
    case MBAR_INIT:
    case MBAR_INVAL:
        for (uint32_t m = e->mask; m; m &= m - 1)
            order_mbarrier_init(b, e->off[__builtin_ctz(m)]);
        return;
    case MBAR_EXPECT_TX:
    case MBAR_COMPLETE_TX: return;
    case MBAR_TEST:
    case MBAR_TEST_PARITY: order_mbarrier_done(b, e->warp, e->done, e->off); return;
    default: order_mbarrier_arrive(b, e->warp, e->mask, e->off); return;
    }
}

/* Memory of the device-side heap begins a new life. */
static void forget(State *s, const SyncEvent *e)
{
    for (uint32_t m = e->mask; m; m &= m - 1)
        shadow_forget(s->run->race->shadow, e->addr[__builtin_ctz(m)], e->values[__builtin_ctz(m)]);
}

static void race_sync(void *state, const SyncEvent *e)
{
    State     *s = state;
    RaceBlock *b = block_of(s, e->block);
    switch ((SyncKind)e->kind) {
    case SYNC_BAR: order_bar_arrive(b, e->id, e->warp, e->mask, e->waits); break;
    case SYNC_BAR_DONE: order_bar_done(b, e->id); break;
    case SYNC_CLUSTER: order_bar_arrive(b, CLUSTER_BARRIER, e->warp, e->mask, true); break;
    case SYNC_CLUSTER_DONE: order_bar_done(b, CLUSTER_BARRIER); break;
    case SYNC_WARP: warp_sync(b, e); break;
    case SYNC_FENCE: order_fence(b, e->warp, e->mask, (Sem)e->sem, (Scope)e->scope); break;
    case SYNC_COMMIT: order_commit(b, e->warp, e->mask); break;
    case SYNC_WAIT: order_wait(b, e->warp, e->mask, e->count); break;
    case SYNC_COPY_ARRIVE: order_mbarrier_copies(b, e->warp, e->mask, e->off); break;
    case SYNC_MBARRIER: mbarrier(b, e); break;
    case SYNC_EXIT: order_exit(b, e->warp, e->mask); break;
    case SYNC_MALLOC: forget(s, e); break;
    default: break;
    }
}

/* ---- a launch ---- */

static void *race_fork(Observer *o, const LaunchInfo *info, unsigned worker)
{
    (void)worker;
    RaceRun *r     = (RaceRun *)o;
    State   *s     = xcalloc(1, sizeof *s);
    s->run         = r;
    s->cells.run   = r;
    s->cells.locks = info->workers > 1;
    if (!r->site_of) {
        r->info     = info;
        r->site_of  = xcalloc(info->instrs + 1u, sizeof *r->site_of);
        r->instr_of = xcalloc(SITE_UNKNOWN + 1u, sizeof *r->instr_of);
    }
    return s;
}

static void free_blocks(RaceBlock *b)
{
    for (RaceBlock *next; b; b = next) {
        next = b->next;
        order_free(b);
    }
}

static void race_join(Observer *o, void *state)
{
    State *s = state;
    findings_merge(&((RaceRun *)o)->found, &s->cells.found);
    free_blocks(s->active);
    free_blocks(s->idle);
    free(s);
}

static void *race_open(const RuleSet *rules)
{
    (void)rules;
    Race *r    = xcalloc(1, sizeof *r);
    r->serials = serials_new();
    r->shadow  = shadow_new();
    return r;
}

static void race_close(void *self)
{
    Race *r = self;
    shadow_free(r->shadow);
    serials_free(r->serials);
    free(r);
}

static Observer *race_begin(void *self, const RuleSet *rules, const CheckLaunch *l)
{
    Race    *race = self;
    RaceRun *r    = xcalloc(1, sizeof *r);
    if (serials_scarce(race->serials)) { /* everything so far happened before */
        shadow_clear(race->shadow);
        serials_reset(race->serials);
    }
    r->race   = race;
    r->rules  = rules;
    r->launch = l;
    r->floor  = serials_floor(race->serials);
    r->sites  = 1;
    r->flags  = race_has_flags(l->module, l->kernel);
    r->touch  = cells_touch();
    race->launches++;
    pthread_mutex_init(&r->lock, NULL);
    r->base.wants[ACCESS_GLOBAL] = r->base.wants[ACCESS_SHARED] = ALL_OPS;
    r->base.alone                                               = r->flags;

    r->base.fork        = race_fork;
    r->base.access      = race_access;
    r->base.sync        = race_sync;
    r->base.block_start = race_block_start;
    r->base.block_end   = race_block_end;
    r->base.join        = race_join;
    return &r->base;
}

static void race_end(void *self, Observer *o, const CheckLaunch *l, Findings *found)
{
    RaceRun *r = (RaceRun *)o;
    (void)self;
    (void)l;
    race_conclude(found, &r->found);
    order_drop_objects(&r->objects);
    pthread_mutex_destroy(&r->lock);
    free(r->site_of);
    free(r->instr_of);
    free(r->line_of);
    free(r);
}

static void race_memory(void *self, const MemoryEvent *e)
{
    if (e->kind == MEMORY_FREE)
        shadow_forget(((Race *)self)->shadow, e->address, e->bytes);
}

const Checker checker_race = {
    .name   = "race",
    .open   = race_open,
    .close  = race_close,
    .begin  = race_begin,
    .end    = race_end,
    .memory = race_memory,
};
