/* SPDX-License-Identifier: Apache-2.0
 *
 * Seeded schedules.  A seeded launch runs on one worker, so that its seed alone decides the schedule; the n-th launch of a device has
 * another one than the n+1-th.
 *
 * Diverged paths of a warp: any that does not stand where another one is still to come by (the nearest block that the paths from both pass)
 * may run next, and a turn of a diverged warp is one basic block, so paths come between each other's instructions and still meet where they
 * would.  But in every other launch lanes of which some have waited in a loop (Group.turn) need not meet before an instruction for several
 * lanes (a barrier, a member mask, .aligned), as PTX promises no more, and those that rested at an mbarrier may be late to look: an H200
 * ran one lane, which had polled a flag, round a ring of buffers while the other 31 of its warp still waited for a phase.
 * Of lanes that write one place in one instruction, and of atomics, some come after the others.
 *
 * Not varied: when asynchronous copies land (EmuOptions.async), and paths that left each other in a call. */
#include "emu/core/schedule.h"

#include "base/stress.h"

enum { TOGETHER = 8, MOST_PASSES = 16, LONGEST_NAP = 256 };

static uint64_t next(Launch *l)
{
    uint64_t x = l->random;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    l->random = x;
    return x * UINT64_C(0x2545f4914f6cdd1d) >> 32;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t r = a % b;
        a          = b;
        b          = r;
    }
    return a;
}

/* From 1 to n, with no divisor in common with n: multiples of it modulo n come by every number. */
static uint64_t coprime(Launch *l, uint64_t n)
{
    uint64_t step = 1 + next(l) % n;
    while (common_divisor(step, n) != 1)
        step = 1 + step % n;
    return step;
}

void schedule_start(Launch *l)
{
    uint64_t serial = l->dev->launches++;
    if (!l->dev->seed)
        return;
    l->random = (l->dev->seed ^ serial << 40) * UINT64_C(0x9e3779b97f4a7c15) | 1;
    for (int i = 0; i < 4; i++) /* few bits of a small seed are set */
        next(l);
    l->start.step  = coprime(l, l->nclusters);
    l->start.first = next(l) % l->nclusters;
    l->together    = 1 + (uint32_t)(next(l) % TOGETHER);
    l->apart       = next(l) & 1;
}

uint64_t schedule_place(const Launch *l, uint64_t i)
{
    if (!l->random)
        return i;
    return (uint64_t)(((unsigned __int128)i * l->start.step + l->start.first) % l->nclusters);
}

uint32_t schedule_together(const Launch *l)
{
    return l->random && l->together < l->per_worker ? l->together : l->per_worker;
}

uint32_t schedule_rotation(Launch *l, uint32_t holding)
{
    return l->random && holding ? (uint32_t)(next(l) % holding) : 0;
}

void schedule_waited(Launch *l)
{
    if (l->random)
        l->together++;
}

unsigned schedule_passes(Launch *l, unsigned plain)
{
    return l->random ? 1 + (unsigned)(next(l) % MOST_PASSES) : plain;
}

Turns schedule_turns(Block *b)
{
    Launch *l = b->launch;
    if (!l->random) /* the stress build begins with another warp each time */
        return (Turns){STRESSED(0, b->passes++ % b->nwarps), 1};
    return (Turns){(uint32_t)(next(l) % b->nwarps), (uint32_t)coprime(l, b->nwarps)};
}

bool schedule_skips(Warp *w)
{
    Launch *l = w->block->launch;
    if (!l->random || next(l) & 3)
        return false;
    for (uint32_t i = 0; i < w->ngroups; i++)
        if (w->group[i].state == GROUP_READY)
            return true;
    return false;
}

/* Mostly one basic block, so that warps come between each other's instructions; sometimes everything up to the next barrier. */
int64_t schedule_quantum(Launch *l, int64_t plain)
{
    static const uint16_t quantum[8] = {1, 1, 1, 1, 4, 32, 256, 4096};
    return l->random ? quantum[next(l) & 7] : plain;
}

uint32_t schedule_late(Launch *l)
{
    return l->random ? (UINT32_C(1) << (next(l) & (LANES - 1))) - 1 : 0;
}

/* ---- diverged paths ---- */

static uint32_t block_of(const Code *c, const Uop *pc)
{
    uint32_t at = (uint32_t)(pc - c->uops), lo = 0, hi = c->nblocks;
    while (hi - lo > 1) {
        uint32_t mid = (lo + hi) / 2;
        if (c->block[mid].first <= at)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

/* The nearest block that the paths from both pass; UINT32_MAX: none. */
static uint32_t meeting(const Code *c, uint32_t a, uint32_t b)
{
    while (a != b && a != UINT32_MAX && b != UINT32_MAX)
        if (c->block[a].depth >= c->block[b].depth)
            a = c->block[a].meets;
        else
            b = c->block[b].meets;
    return a == b ? a : UINT32_MAX;
}

/* Does g stand where the lanes of o are still to come by? */
static bool awaits(const Group *g, const Group *o)
{
    const Code *c = g->frame->code;
    uint32_t    a = block_of(c, g->pc), b = block_of(c, o->pc);
    return a == b ? g->pc > o->pc : meeting(c, a, b) == a;
}

/* Is it where no other lane is needed? */
static bool alone(const Group *g)
{
    return g->state == GROUP_READY || g->state == GROUP_MBARRIER;
}

bool schedule_parts(const Warp *w, const Group *a, const Group *b)
{
    Launch *l = w->block->launch;
    return l->apart && a->turn != b->turn && alone(a) && alone(b) && (a->nap || b->nap || next(l) & 3);
}

void schedule_wakes(const Warp *w, Group *g)
{
    Launch *l = w->block->launch;
    if (l->apart && w->ngroups > 1 && next(l) & 1)
        g->nap = (uint16_t)(next(l) % LONGEST_NAP);
}

bool schedule_naps(const Cluster *c)
{
    for (uint32_t b = 0; c->launch->apart && b < c->n; b++)
        for (uint32_t i = 0; !c->block[b]->ended && i < c->block[b]->nwarps; i++)
            for (uint32_t j = 0; j < c->block[b]->warp[i].ngroups; j++)
                if (c->block[b]->warp[i].group[j].state == GROUP_READY)
                    return true;
    return false;
}

Group *schedule_group(Warp *w, Group *plain)
{
    Group   *can[LANES];
    uint32_t n = 0;
    if (!w->block->launch->random || !w->ngroups)
        return plain;
    for (uint32_t i = 0; i < w->ngroups; i++) {
        Group *g    = &w->group[i];
        bool   free = g->state == GROUP_READY && g->frame == plain->frame && g->turn == plain->turn && !g->nap;
        for (uint32_t j = 0; j < w->ngroups && free; j++) {
            const Group *o = &w->group[j];
            free = o == g || o->state != GROUP_READY || o->frame != g->frame || o->turn > g->turn || !awaits(g, o);
        }
        if (free)
            can[n++] = g;
    }
    return n ? can[next(w->block->launch) % n] : plain;
}

const Uop *schedule_merge(const Warp *w, const Uop *merge)
{
    const Code *c = w->frame->code;
    for (uint32_t i = 0; w->block->launch->random && i < w->ngroups; i++) {
        const Group *g = &w->group[i];
        if (g->frame != w->frame || g->state == GROUP_BARRIER || (w->block->launch->apart && g->turn != w->turn))
            continue;
        uint32_t at = meeting(c, block_of(c, w->pc), block_of(c, g->pc));
        if (at == UINT32_MAX)
            continue;
        const Uop *stop = &c->uops[c->block[at].first];
        if (stop > w->pc && stop < merge)
            merge = stop;
    }
    return merge;
}

bool schedule_toss(Cluster *c)
{
    if (!c->random)
        c->random = (c->launch->dev->seed ^ c->index << 16) * UINT64_C(0x9e3779b97f4a7c15) | 1;
    c->random ^= c->random << 13;
    c->random ^= c->random >> 7;
    c->random ^= c->random << 17;
    return c->random >> 40 & 1;
}
