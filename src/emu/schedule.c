/* SPDX-License-Identifier: Apache-2.0
 *
 * Seeded schedules.  A seeded launch runs on one worker, so that its seed alone decides the schedule; the n-th launch of a device has another one
 * than the n+1-th.
 *
 * Not varied: the lanes of a warp (diverged paths run in the plain order, because another one would take them past the place where
 * they meet again), and when asynchronous copies land (EmuOptions.async). */
#include "emu/schedule.h"

#include "base/stress.h"

enum { TOGETHER = 8, MOST_PASSES = 16 };

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
