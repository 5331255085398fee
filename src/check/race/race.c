/* SPDX-License-Identifier: Apache-2.0
 *
 * The race checker's observer: what an access finds in shadow memory and leaves there.
 *
 * A cell keeps at most two readers and two atomic writers.  Two are enough where only barriers of the block and of whole warps order
 * threads: the second is the one farthest from the first (another block, else another warp, else another lane), so whoever writes next
 * without order clashes with one of them if with any.  With named barriers, mbarriers, or fences and flags a race with a reader who was not
 * kept can be missed; none is ever reported that is not there.
 *
 * A launch whose kernel has fences or acquiring or releasing accesses runs on one worker, because order between blocks must be
 * noted in the order in which values are seen.
 * Launches are ordered by the host's streams (race_work.h).  Not modelled: what the host's own code touches; mixed sizes of atomics on one
 * place. */
#include "check/race/race.h"

#include <stdlib.h>
#include <string.h>

#include "check/race/race_cells.h"
#include "check/race/race_log.h"

#include "base/arena.h"

enum { ALL_OPS = (1 << ACCESS_OPS) - 1 };

typedef RaceState State;

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

/* Joins the blocks of its cluster, where it has some. */
static void join_cluster(State *s, RaceBlock *b)
{
    const LaunchInfo *info = s->run->info;
    const uint32_t   *grid = info->grid, *size = info->cluster;
    uint64_t at[3] = {b->index % grid[0], b->index / grid[0] % grid[1], b->index / grid[0] / grid[1]}, cluster = 0,
             rank = 0;
    if (!s->run->clusters)
        return;
    for (int i = 2; i >= 0; i--) {
        cluster = cluster * (grid[i] / size[i]) + at[i] / size[i];
        rank    = rank * size[i] + at[i] % size[i];
    }
    order_cluster_join(b, &s->clusters, cluster, (uint32_t)rank);
}

static void race_block_start(void *state, uint64_t block)
{
    State     *s = state;
    RaceBlock *b = s->idle;
    if (b)
        s->idle = b->next;
    else
        b = order_new(s->run->race->serials, s->run->info->block[0] * s->run->info->block[1] * s->run->info->block[2],
                      s->run->info->shared_room);
    order_start(b, block, s->run->number);
    join_cluster(s, b);
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
    race_bulk_end(&s->cells, b);
    order_cluster_leave(b, &s->clusters);
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
        r->payload[instr] = race_is_payload(r->info->instr[instr].func, r->info->instr[instr].in);
        __atomic_store_n(&r->site_of[instr], (uint16_t)site, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&r->lock);
    return site;
}

static unsigned site_of(RaceRun *r, uint32_t instr)
{
    unsigned site = __atomic_load_n(&r->site_of[instr], __ATOMIC_ACQUIRE);
    return site ? site : new_site(r, instr);
}

static Strength strength_of(RaceRun *r, const Access *a)
{
    if (a->sem == SEM_WEAK)
        return a->op == ACCESS_LD && r->guess[a->instr] ? STRENGTH_GPU : STRENGTH_WEAK;
    if (a->is_volatile && (a->op == ACCESS_ST || (site_of(r, a->instr) && r->payload[a->instr])))
        return STRENGTH_VOLATILE;
    return a->scope == SCOPE_CTA ? STRENGTH_CTA : STRENGTH_GPU;
}

/* What the access orders. */
static void order_access(const Touch *t)
{
    const Access *a       = t->a;
    SyncObject  **objects = a->space == ACCESS_SHARED ? &t->owner->objects : &t->cells->run->objects;
    bool          rmw     = a->op == ACCESS_ATOM || a->op == ACCESS_RED;
    bool          looks   = rmw || (!t->writes && stamp_strength(t->me) != STRENGTH_VOLATILE);
    for (uint32_t m = a->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t key  = a->off ? a->off[lane] : a->addr[lane];
        if (t->strong && looks)
            order_look(t->b, a->warp * LANES + lane);
        if (t->strong)
            order_strong(t->b, objects, key, a->warp * LANES + lane, rmw || !t->writes, t->writes, (Sem)a->sem,
                         (Scope)a->scope);
        else
            order_weak_write(t->b, objects, key, a->warp * LANES + lane);
    }
}

/* Copies and fills of other streams. */
static void beside(const Touch *t)
{
    const Access *a = t->a;
    RaceRun      *r = t->cells->run;
    for (uint32_t m = a->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        for (size_t i = 0; i < r->nbeside; i++)
            if ((t->writes || r->beside[i].writes) && a->addr[lane] < r->beside[i].to &&
                r->beside[i].from < a->addr[lane] + access_bytes(a, lane))
                race_report_beside(r, &t->cells->found, a, lane, t->writes, &r->beside[i]);
    }
}

/* owner: whose shared memory; NULL: global. */
static void touch(State *s, RaceBlock *b, RaceBlock *owner, const Access *a, Strength strength)
{
    RaceRun  *r    = s->run;
    StampKind kind = owner && a->op == ACCESS_COPY ? BY_COPY : BY_THREAD;
    Touch     t    = {.cells = &s->cells, .b = b, .owner = owner, .a = a, .strong = strength != STRENGTH_WEAK};
    if (owner)
        race_log_flush(&s->cells, owner);
    if (kind == BY_COPY)
        order_copies(b, COPY_LOADS, a->warp);
    if (owner && owner != b)
        owner->foreign = true;
    t.me    = stamp_make(b->now, a->warp * LANES, site_of(r, a->instr), kind, strength);
    t.base  = (!owner ? r->floor : owner->foreign ? owner->oldest : owner->base) << TIME_SHIFT;
    t.dead  = owner && owner->async ? owner->oldest << TIME_SHIFT : t.base;
    t.pages = owner ? owner->shared : NULL;
    t.writes =
        a->op == ACCESS_ST || a->op == ACCESS_ATOM || a->op == ACCESS_RED || a->op == ACCESS_STSM || kind == BY_COPY;
    if (r->flags && t.writes && strength == STRENGTH_VOLATILE)
        t.flags = order_publishing(b, a->warp, a->mask);
    bool orders = t.strong && a->sem != SEM_WEAK; /* a guess is neither */
    if (orders && (a->op == ACCESS_ATOM || (a->op == ACCESS_LD && strength != STRENGTH_VOLATILE)))
        b->met = true;
    r->touch(&t);
    if (a->nc && !owner && a->op == ACCESS_LD)
        cells_read_only(&t);
    if (r->nbeside && !owner)
        beside(&t);
    if (r->flags && (orders || (t.writes && (r->objects || b->thread))))
        order_access(&t);
}

/* Shared memory of other blocks of the cluster: off has their ranks. */
static void touch_others(State *s, RaceBlock *b, const Access *a)
{
    for (uint32_t left = a->mask; left;) {
        uint32_t   off[LANES], rank = a->off[__builtin_ctz(left)] >> 24, here = 0;
        RaceBlock *owner = b->cluster ? b->cluster->block[rank % CLUSTER_BLOCKS] : NULL;
        Access     part  = *a;
        for (uint32_t m = left; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            off[i]     = a->off[i] & 0xffffff;
            here |= (uint32_t)(a->off[i] >> 24 == rank) << i;
        }
        part.mask  = here;
        part.space = ACCESS_SHARED;
        part.off   = off;
        if (owner)
            touch(s, b, owner, &part, strength_of(s->run, a));
        left &= ~here;
    }
}

/* What cooperative groups keep in the system's part of shared memory is their own affair: lanes follow each other there without a barrier.
 * Their atomics order the program's accesses, too. */
static bool is_kept(const Access *a)
{
    return a->space == ACCESS_SHARED && a->sem == SEM_WEAK && a->off[__builtin_ctz(a->mask)] < SHARED_KEPT;
}

static void race_access(void *state, const Access *a)
{
    State     *s = state;
    RaceBlock *b = block_of(s, a->block);
    if (is_kept(a))
        return;
    if (a->space == ACCESS_CLUSTER) {
        touch_others(s, b, a);
    } else if (a->space == ACCESS_SURFACE || a->space == ACCESS_TEXTURE) { /* an array's memory is like any other's */
        Access texels = *a;
        texels.space  = ACCESS_GLOBAL;
        touch(s, b, NULL, &texels, strength_of(s->run, a));
    } else {
        touch(s, b, a->space == ACCESS_SHARED ? b : NULL, a, strength_of(s->run, a));
    }
}

/* ---- accesses that are told at once ---- */

static Swept *swept_of(State *s, const Sweep *of)
{
    if (of->number >= s->nswept) {
        uint32_t n = of->number + 16;
        s->swept   = xrealloc(s->swept, n * sizeof *s->swept);
        memset(s->swept + s->nswept, 0, (n - s->nswept) * sizeof *s->swept);
        s->nswept = n;
    }
    if (!s->swept[of->number])
        s->swept[of->number] = swept_new(s->run, of, site_of, strength_of);
    return s->swept[of->number];
}

static void race_sweep(void *state, const SweepCall *c)
{
    State     *s = state;
    Swept     *x = swept_of(s, c->of);
    RaceBlock *b = block_of(s, c->block);
    SweepRoom  room;
    if (x->simple) {
        uint32_t all = (UINT32_C(1) << c->of->nparties) - 1, skip = swept_quiet(&s->cells, c, x) | c->rests;
        if (x->shared && s->run->logs && race_log_takes(&s->cells, b, c, x))
            skip |= x->shared;
        if (all & ~skip)
            swept_touch(&s->cells, b, c, x, skip);
        return;
    }
    for (uint32_t i = 0; i < c->of->naccesses; i++) {
        Access a = sweep_access(c, i, &room);
        race_access(state, &a);
    }
}

static uint32_t race_rests(void *state, const SweepCall *c, uint32_t parties, SweepRange *range)
{
    State *s = state;
    Swept *x = swept_of(s, c->of);
    return x->simple ? swept_rests(&s->cells, c, x, parties, range) : 0;
}

static void race_async(void *state, const AsyncAccess *a)
{
    State     *s     = state;
    RaceBlock *b     = block_of(s, a->block);
    RaceBlock *owner = a->space == ACCESS_SHARED ? block_of(s, a->owner) : NULL;
    RaceBlock *mbar  = a->by == ASYNC_BY_MBARRIER ? block_of(s, a->mbar_block) : NULL;
    bool       gone  = (a->space == ACCESS_SHARED && !owner) || (a->by == ASYNC_BY_MBARRIER && !mbar);
    if (!gone) /* the emulator itself says that a copy reaches for a block that has ended */
        race_bulk(&s->cells, b, owner, mbar, a, site_of(s->run, a->instr));
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

/* The mbarrier itself is memory: whoever uses it before its initialisation is ordered, or when its block may have exited, races. */
static void touch_mbarrier(State *s, RaceBlock *b, const SyncEvent *e, RaceBlock *owner, uint32_t mask,
                           const uint32_t *off)
{
    bool   init   = e->op == MBAR_INIT;
    Access a      = {.instr = e->instr,
                     .space = ACCESS_SHARED,
                     .op    = init ? ACCESS_ST : ACCESS_ATOM,
                     .bytes = 8,
                     .mask  = mask,
                     .warp  = e->warp,
                     .block = e->block,
                     .off   = off,
                     .sem   = SEM_RELAXED,
                     .scope = SCOPE_CLUSTER};
    bool   flags  = s->run->flags;
    s->run->flags = false; /* order is its own (race_async.c) */
    touch(s, b, owner, &a, init ? STRENGTH_WEAK : STRENGTH_GPU);
    s->run->flags = flags;
}

static void arrive(RaceBlock *b, const SyncEvent *e, RaceBlock *owner, uint32_t mask, const uint32_t *off)
{
    while (mask) { /* lanes that arrive at the same one together */
        uint32_t at = off[__builtin_ctz(mask)], same = 0;
        for (uint32_t m = mask; m; m &= m - 1)
            same |= off[__builtin_ctz(m)] == at ? m & -m : 0;
        order_mbarrier_arrive(b, e->warp, same, owner, at);
        mask &= ~same;
    }
}

/* mask: lanes that use mbarriers of owner. */
static void mbarrier_of(State *s, RaceBlock *b, const SyncEvent *e, RaceBlock *owner, uint32_t mask,
                        const uint32_t *off)
{
    bool test = e->op == MBAR_TEST || e->op == MBAR_TEST_PARITY;
    if (test)
        mask &= e->done;
    if (!mask)
        return;
    if (e->op != MBAR_INVAL) /* whoever ends it has counted the others by means that order no memory (libcu++) */
        touch_mbarrier(s, b, e, owner, mask, off);
    switch ((MbarOp)e->op) {
    case MBAR_INIT:
    case MBAR_INVAL:
        for (uint32_t m = mask; m; m &= m - 1)
            order_mbarrier_init(owner, off[__builtin_ctz(m)]);
        return;
    case MBAR_EXPECT_TX:
    case MBAR_COMPLETE_TX: return;
    case MBAR_TEST:
    case MBAR_TEST_PARITY:
        if (e->sem != SEM_RELAXED)
            order_mbarrier_waited(b, e->warp, mask, off);
        return;
    default:
        if (e->sem != SEM_RELAXED)
            arrive(b, e, owner, mask, off);
    }
}

static void mbarrier(State *s, RaceBlock *b, const SyncEvent *e)
{
    for (uint32_t left = e->mask; left;) {
        uint32_t   off[LANES], whose = e->off[__builtin_ctz(left)] >> 24, here = 0;
        RaceBlock *owner = whose && b->cluster ? b->cluster->block[(whose - 1) % CLUSTER_BLOCKS] : b;
        for (uint32_t m = left; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            off[i]     = e->off[i] & 0xffffff;
            here |= (uint32_t)(e->off[i] >> 24 == whose) << i;
        }
        if (owner)
            mbarrier_of(s, b, e, owner, here, off);
        left &= ~here;
    }
}

/* Memory of the device-side heap begins a new life. */
static void forget(State *s, const SyncEvent *e)
{
    for (uint32_t m = e->mask; m; m &= m - 1)
        shadow_forget(s->run->race->shadow, e->addr[__builtin_ctz(m)], e->values[__builtin_ctz(m)]);
    launch_stir(s->run->info);
}

/* What it is for nobody says: a launch that a kernel makes begins with memory for its parameters. */
static void note_launches(State *s, RaceBlock *b, const SyncEvent *e)
{
    if (!s->run->hands)
        return;
    pthread_mutex_lock(&s->run->lock);
    for (uint32_t m = e->mask; m; m &= m - 1)
        handed_note(s->run->race->works, s->run, b, e->addr[__builtin_ctz(m)]);
    pthread_mutex_unlock(&s->run->lock);
    order_tick(b);
}

/* Does the event leave the order of what was noted (race_log.h) as it is, or end its epoch? */
static bool keeps_notes(const RaceBlock *b, const SyncEvent *e)
{
    switch ((SyncKind)e->kind) {
    case SYNC_BAR: return e->waits;
    case SYNC_BAR_DONE: return order_bar_is_whole(b, e->id);
    case SYNC_EXCHANGE:
    case SYNC_EXIT: return true;
    default: return false;
    }
}

static void race_sync(void *state, const SyncEvent *e)
{
    State     *s = state;
    RaceBlock *b = block_of(s, e->block);
    if (b->log && !keeps_notes(b, e))
        race_log_flush(&s->cells, b);
    switch ((SyncKind)e->kind) {
    case SYNC_BAR: order_bar_arrive(b, e->id, e->warp, e->mask, e->waits); break;
    case SYNC_BAR_DONE: order_bar_done(b, e->id); break;
    case SYNC_CLUSTER: order_cluster_arrive(b, e->warp, e->mask, e->sem != SEM_RELAXED); break;
    case SYNC_CLUSTER_DONE: order_cluster_done(b); break;
    case SYNC_CLUSTER_WAIT: order_cluster_wait(b, e->warp, e->mask); break;
    case SYNC_WARP: warp_sync(b, e); break;
    case SYNC_FENCE: order_fence(b, e->warp, e->mask, (Sem)e->sem, (Scope)e->scope); break;
    case SYNC_PROXY: order_proxy(b, e->warp, e->mask); break;
    case SYNC_COMMIT: order_commit(b, e->warp, e->mask, COPY_LOADS); break;
    case SYNC_WAIT: order_wait(b, e->warp, e->mask, COPY_LOADS, e->count); break;
    case SYNC_COPY_ARRIVE: order_mbarrier_copies(b, e->warp, e->mask, e->off); break;
    case SYNC_MBARRIER: mbarrier(s, b, e); break;
    case SYNC_MBARRIER_DONE: order_mbarrier_done(b, e->off[0]); break;
    case SYNC_BULK_COMMIT:
        order_commit(b, e->warp, e->mask, COPY_READS);
        order_commit(b, e->warp, e->mask, COPY_WRITES);
        break;
    case SYNC_BULK_WAIT:
        order_wait(b, e->warp, e->mask, COPY_READS, e->count);
        if (!e->waits)
            order_wait(b, e->warp, e->mask, COPY_WRITES, e->count);
        break;
    case SYNC_WGMMA_COMMIT: order_wgmma_commit(b, e->warp); break;
    case SYNC_WGMMA_WAIT: order_wgmma_wait(b, e->warp, e->count); break;
    case SYNC_GRID: order_wait_for_grids(b, e->warp, e->mask); break;
    case SYNC_EXIT: order_exit(b, e->warp, e->mask); break;
    case SYNC_MALLOC:
        forget(s, e);
        note_launches(s, b, e);
        break;
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
        r->clusters = info->cluster[0] * info->cluster[1] * info->cluster[2] > 1 ||
                      race_has_cluster_barrier(r->launch->module, r->launch->kernel);
        r->site_of  = xcalloc(info->instrs + 1u, sizeof *r->site_of);
        r->instr_of = xcalloc(SITE_UNKNOWN + 1u, sizeof *r->instr_of);
        r->payload  = xcalloc(info->instrs + 1u, sizeof *r->payload);
        r->guess    = xcalloc(info->instrs + 1u, sizeof *r->guess);
        race_find_guesses(info, r->guess);
        r->logs = race_log_fits(r);
    }
    return s;
}

static void free_blocks(RaceBlock *b)
{
    for (RaceBlock *next; b; b = next) {
        next = b->next;
        race_log_free(b->log);
        order_free(b);
    }
}

static void race_join(Observer *o, void *state)
{
    State *s = state;
    findings_merge(&((RaceRun *)o)->found, &s->cells.found);
    free_blocks(s->active);
    free_blocks(s->idle);
    for (uint32_t i = 0; i < s->nswept; i++)
        swept_free(s->swept[i]);
    free(s->swept);
    free(s);
}

static void *race_open(const RuleSet *rules)
{
    Race *r    = xcalloc(1, sizeof *r);
    r->host    = rules->on[RULE_RACE_HOST];
    r->serials = serials_new();
    r->shadow  = shadow_new();
    r->works   = works_new();
    return r;
}

static void race_close(void *self)
{
    Race *r = self;
    works_free(r->works);
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
        works_reset(race->works);
        race->launches = 0;
    }
    r->race   = race;
    r->rules  = rules;
    r->launch = l;
    r->sites  = 1;
    r->flags  = race_has_flags(l->module, l->kernel);
    r->touch  = cells_touch();
    r->sweep  = cells_sweep();
    r->number = race->launches++;
    Time now  = serials_floor(race->serials);
    r->began  = now;
    r->hands  = l->work && handed_possible(l->module);
    r->floor  = works_begin(race->works, r, l, r->number, now);
    if (handed_find(race->works, l, &r->handed) && r->handed.began < r->floor)
        r->floor = r->handed.began;
    r->open   = r->floor < now;
    r->beside = works_beside(race->works, l->work, &r->nbeside);
    pthread_mutex_init(&r->lock, NULL);
    r->base.wants[ACCESS_GLOBAL] = r->base.wants[ACCESS_SHARED] = r->base.wants[ACCESS_CLUSTER] =
        r->base.wants[ACCESS_SURFACE] = r->base.wants[ACCESS_TEXTURE] = ALL_OPS;
    r->base.alone                                                     = r->flags;

    r->base.fork        = race_fork;
    r->base.access      = race_access;
    r->base.sweep       = race_sweep;
    r->base.rests       = race_rests;
    r->base.sync        = race_sync;
    r->base.async       = race_async;
    r->base.block_start = race_block_start;
    r->base.block_end   = race_block_end;
    r->base.join        = race_join;
    return &r->base;
}

static void race_end(void *self, Observer *o, const CheckLaunch *l, Findings *found)
{
    RaceRun *r = (RaceRun *)o;
    (void)self;
    race_conclude(found, &r->found);
    works_constants(r->race->works, r, l, found);
    works_end(r->race->works, r, l, r->number);
    free(r->beside);
    order_drop_objects(&r->objects);
    pthread_mutex_destroy(&r->lock);
    free(r->site_of);
    free(r->instr_of);
    free(r->payload);
    free(r->guess);
    free(r->line_of);
    free(r);
}

static void race_memory(void *self, const MemoryEvent *e)
{
    Race *r = self;
    if (e->kind == MEMORY_LOOKED || e->kind == MEMORY_CHANGED) {
        works_touched(r->works, e, r->shadow, r->serials);
    } else if (e->kind == MEMORY_UNBOUND) {
        if (r->host)
            works_unbound(r->works, e, r->shadow, r->serials);
    } else if (e->kind == MEMORY_FREE) {
        shadow_forget(r->shadow, e->address, e->bytes);
        works_forget(r->works, e->address, e->bytes);
    } else if (e->kind != MEMORY_ALLOC && e->kind != MEMORY_AGAIN && e->kind != MEMORY_HEAP &&
               e->kind != MEMORY_SHOWN && e->kind != MEMORY_ROWS && e->kind != MEMORY_LEFT) {
        works_host(r->works, e, r->shadow, r->serials);
    }
}

static MemoryUse race_uses(void *self, uint64_t from, uint64_t to, bool writes, const WorkOrder *host)
{
    const Race *r = self;
    return r->host ? works_uses(r->works, from, to, writes, host, r->shadow, r->serials) : USE_NONE;
}

static void race_shown(void *self, uint64_t from, uint64_t to, const WorkOrder *host)
{
    const Race *r = self;
    if (r->host)
        works_shown(r->works, from, to, host, r->shadow, r->serials);
}

static const WwFinding *race_pending(void *self, size_t *n)
{
    return works_pending(((Race *)self)->works, n);
}

const Checker checker_race = {
    .name    = "race",
    .open    = race_open,
    .close   = race_close,
    .begin   = race_begin,
    .end     = race_end,
    .memory  = race_memory,
    .shown   = race_shown,
    .uses    = race_uses,
    .pending = race_pending,
};
