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

#include "base/arena.h"

enum { PAGE_CACHE = 64, ALL_OPS = (1 << ACCESS_OPS) - 1 };

typedef struct State { /* one worker */
    RaceRun   *run;
    RaceBlock *current; /* the block of the last call */
    RaceBlock *active, *idle;
    Findings   found;
    bool       locks; /* other workers look at the same pages */
    uint64_t   number[PAGE_CACHE];
    Page      *page[PAGE_CACHE];
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

/* ---- cells ---- */

typedef struct Touch { /* one warp access */
    State        *s;
    RaceBlock    *b;
    const Access *a;
    Stamp         dead;  /* what is below is nobody's business */
    Stamp         me;    /* of lane 0 */
    uint32_t      flags; /* lanes whose volatile write sets a flag */
    bool          writes, strong;
} Touch;

/* How far two stamps are apart: 0 one thread, 1 lanes of a warp, 2 threads of a block, 3 blocks (or a block's serials). */
static inline unsigned distance(Stamp a, Stamp b)
{
    Stamp d = a ^ b;
    if (d >> (TIME_SHIFT + TICK_BITS))
        return 3;
    return d >> (THREAD_SHIFT + 5) & 31 ? 2 : (d >> THREAD_SHIFT & 31) != 0;
}

/* Both atomic, at scopes that hold the other thread. */
static inline bool atomic_pair(Stamp a, Stamp b)
{
    Strength x = stamp_strength(a), y = stamp_strength(b);
    return (x == STRENGTH_GPU && y == STRENGTH_GPU) || (x & 1 && y & 1 && distance(a, b) < 3);
}

/* What a flag was seen to say orders atomic accesses and volatile reads without a fence: nothing moves them before it. */
static inline bool before(const Touch *t, Stamp me, Stamp other)
{
    bool loose = stamp_strength(other) && stamp_strength(me) && stamp_strength(me) != STRENGTH_VOLATILE;
    return order_before(t->b, stamp_thread(me), other, t->s->run->floor, loose);
}

/* Has the thread read the cell since it was written?  Then its own write comes behind that write. */
static bool has_read(const Page *p, size_t i, Stamp me)
{
    return (p->plane[PLANE_READ] && distance(p->plane[PLANE_READ][i], me) == 0) ||
           (p->plane[PLANE_READ2] && distance(p->plane[PLANE_READ2][i], me) == 0);
}

static inline bool clashes(const Touch *t, const Page *p, size_t i, Plane k, Stamp me)
{
    Stamp other = p->plane[k][i];
    if (other < t->dead)
        return false;
    if (distance(me, other) == 0 && !stamp_async(other))
        return false;
    if (atomic_pair(me, other) || before(t, me, other))
        return false;
    if (stamp_strength(me) == STRENGTH_VOLATILE && stamp_strength(other) && k <= PLANE_WRITE2 && has_read(p, i, me))
        return !order_before(t->b, stamp_thread(me), other, t->s->run->floor, true);
    return true;
}

/* Keeps me beside first and second. */
static void keep(const Touch *t, Page *p, Plane plane, size_t i, Stamp me)
{
    Stamp   *first = &page_plane(p, plane)[i], a = *first;
    unsigned apart = distance(a, me);
    if (a < t->dead || apart == 0) {
        if (a < t->dead || stamp_strength(a) || !t->strong)
            *first = me;
        return;
    }
    const Stamp *second = p->plane[plane + 1];
    Stamp        c      = second ? second[i] : 0;
    bool         full   = c >= t->dead && distance(a, c) >= apart;
    if (full && !t->s->run->flags && (apart == 3 || (apart == 2 && t->a->space == ACCESS_SHARED)))
        return;
    if (before(t, me, a))
        *first = me;
    else if (!full || before(t, me, c))
        page_plane(p, (Plane)(plane + 1))[i] = me;
}

static void keep_write(const Touch *t, Page *p, size_t i, Stamp me)
{
    if (t->strong) {
        keep(t, p, PLANE_WRITE, i, me);
    } else {
        page_plane(p, PLANE_WRITE)[i] = me;
        if (p->plane[PLANE_WRITE2])
            p->plane[PLANE_WRITE2][i] = 0;
    }
    for (Plane k = PLANE_READ; k <= PLANE_READ2; k++)
        if (p->plane[k] && p->plane[k][i])
            p->plane[k][i] = 0;
}

/* The first plane whose stamp clashes with me; PLANES: none. */
static inline Plane find_clash(const Touch *t, const Page *p, size_t i, Stamp me)
{
    Plane last = t->writes ? PLANES : PLANE_READ;
    for (Plane k = PLANE_WRITE; k < last; k++)
        if (p->plane[k] && clashes(t, p, i, k, me))
            return k;
    return PLANES;
}

static void touch_lane(const Touch *t, Page *p, unsigned lane, unsigned at, uint64_t where)
{
    Stamp    me    = t->me | (Stamp)lane << THREAD_SHIFT | (t->flags >> lane & 1);
    unsigned cells = t->a->bytes >> p->shift;
    bool     told  = false;
    for (size_t i = at >> p->shift, end = i + (cells ? cells : 1); i < end; i++) {
        Plane k = find_clash(t, p, i, me);
        if (k != PLANES && !told) {
            RaceClash c = {t->a, lane, me, p->plane[k][i], t->writes, k <= PLANE_WRITE2, where};
            race_report(t->s->run, &t->s->found, t->b, &c);
            told = true;
        }
        if (t->writes)
            keep_write(t, p, i, me);
        else
            keep(t, p, PLANE_READ, i, me);
    }
}

static inline void enter_page(const Touch *t, Page *p)
{
    if (t->s->locks)
        page_lock(p);
    if (t->a->bytes < 1 << WORD_BITS && p->shift)
        page_split(p);
}

static inline void leave_page(const Touch *t, Page *p)
{
    if (t->s->locks)
        page_unlock(p);
}

static void touch_shared(const Touch *t)
{
    for (uint32_t m = t->a->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint32_t off  = t->a->off[lane];
        Page    *p    = &t->b->shared[off >> PAGE_BITS];
        if (t->a->bytes < 1 << WORD_BITS && p->shift)
            page_split(p);
        touch_lane(t, p, lane, off & (PAGE_BYTES - 1), off);
    }
}

static Page *page_of(State *s, uint64_t address)
{
    uint64_t number = address >> PAGE_BITS;
    unsigned k      = (unsigned)number % PAGE_CACHE;
    if (s->number[k] != number || !s->page[k]) {
        s->page[k]   = shadow_page(s->run->race->shadow, address);
        s->number[k] = number;
    }
    return s->page[k];
}

static void touch_global(const Touch *t)
{
    Page *p = NULL;
    for (uint32_t m = t->a->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t addr = t->a->addr[lane];
        Page    *q    = page_of(t->s, addr);
        if (q != p) {
            if (p)
                leave_page(t, p);
            enter_page(t, q);
            p = q;
        }
        touch_lane(t, p, lane, (unsigned)(addr & (PAGE_BYTES - 1)), addr);
    }
    if (p)
        leave_page(t, p);
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
    SyncObject  **objects = a->space == ACCESS_SHARED ? &t->b->objects : &t->s->run->objects;
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
    Touch    t        = {.s = s, .b = b, .a = a, .strong = strength != STRENGTH_WEAK};
    t.me              = stamp_make(b->now, a->warp * LANES, site, copies, strength);
    t.dead            = (shared ? b->copy ? (Time)b->birth << TICK_BITS : b->base : r->floor) << TIME_SHIFT;
    t.writes = a->op == ACCESS_ST || a->op == ACCESS_ATOM || a->op == ACCESS_RED || a->op == ACCESS_STSM || copies;
    if (r->flags && strength == STRENGTH_VOLATILE)
        t.flags = order_publishing(b, a->warp, a->mask);
    if (shared)
        touch_shared(&t);
    else
        touch_global(&t);
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
    RaceRun *r = (RaceRun *)o;
    State   *s = xcalloc(1, sizeof *s);
    s->run     = r;
    s->locks   = info->workers > 1;
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
    findings_merge(&((RaceRun *)o)->found, &s->found);
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
    race->launches++;
    pthread_mutex_init(&r->lock, NULL);
    r->base.wants[ACCESS_GLOBAL] = r->base.wants[ACCESS_SHARED] = ALL_OPS;
    r->base.alone                                               = r->flags;
    r->base.fork                                                = race_fork;
    r->base.access                                              = race_access;
    r->base.sync                                                = race_sync;
    r->base.block_start                                         = race_block_start;
    r->base.block_end                                           = race_block_end;
    r->base.join                                                = race_join;
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
