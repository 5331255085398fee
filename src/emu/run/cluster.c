/* SPDX-License-Identifier: Apache-2.0
 *
 * Clusters: the blocks that are resident together, how they take turns, and barrier.cluster.
 *
 * One worker runs all blocks of a cluster, so distributed shared memory needs no host atomics.  Blocks take their turns by rank.
 * A block that has ended keeps its context until the whole cluster has: whoever reaches for its shared memory gets a fault.
 *
 * barrier.cluster counts threads: its phase completes when every thread of the cluster that has not exited has arrived.  A thread
 * arrives once and then waits; anything else is a fault.  Memory is always as an ordered reader sees it: .relaxed is not weaker. */
#include "emu/run/cluster.h"

#include <stdlib.h>

#include "base/clear.h"
#include "base/stress.h"
#include "emu/async/bulk.h"
#include "emu/async/tensormap_proxy.h"
#include "emu/core/ctl.h"
#include "emu/core/fault.h"
#include "emu/core/group.h"
#include "emu/core/notify.h"
#include "emu/core/schedule.h"
#include "emu/run/block.h"
#include "emu/sync/maxnreg.h"

enum { STALLS = STRESSED(1 << 15, 64) };

Cluster *cluster_new(Worker *k, uint64_t order, uint64_t index)
{
    Launch  *l = k->launch;
    Cluster *c = k->idle_clusters;
    if (c)
        k->idle_clusters = c->next;
    else
        c = xcalloc(1, sizeof *c);
    k->skipped = 0;
    clear(c, sizeof *c);
    c->launch = l;
    c->index  = index;
    c->order  = order;
    c->n      = l->cluster_blocks;
    c->live   = l->cluster_blocks * l->threads;
    for (uint32_t i = 0; i < c->n; i++)
        block_notify_start(c->block[i] = block_new(k, c, i), k);
    return c;
}

void cluster_release(Cluster *c, Worker *k)
{
    bulk_free(c);
    tensormap_views_free(c->maps);
    for (uint32_t i = 0; i < c->n; i++)
        block_release(c->block[i], k);
    c->next          = k->idle_clusters;
    k->idle_clusters = c;
}

static bool wake_all(Cluster *c)
{
    bool any = false;
    for (uint32_t i = 0; i < c->n; i++)
        any |= !c->block[i]->ended && group_release(c->block[i], GROUP_MBARRIER);
    return any;
}

/* ---- barrier.cluster ---- */

/* Completes the phase if nobody is missing. */
static bool check_phase(Cluster *c)
{
    if (!c->arrived || c->arrived < c->live)
        return false;
    c->arrived = 0;
    c->phase++;
    c->progress = true;
    for (uint32_t i = 0; i < c->n; i++) {
        Block *b = c->block[i];
        if (b->ended)
            continue;
        group_release(b, GROUP_CLUSTER);
        NOTIFY_SYNC(&b->warp[0], NULL, .kind = SYNC_CLUSTER_DONE);
    }
    return true;
}

/* Lanes that have arrived in the phase that still runs. */
static uint32_t pending_lanes(const Warp *w)
{
    uint32_t now = w->block->cluster->phase & 1 ? UINT32_MAX : 0;
    return w->at_cluster & ~(w->cluster_phase ^ now);
}

void cluster_exit(Warp *w, uint32_t lanes)
{
    Cluster *c = w->block->cluster;
    c->live -= (unsigned)__builtin_popcount(lanes);
    c->arrived -= (unsigned)__builtin_popcount(pending_lanes(w) & lanes);
    w->at_cluster &= ~lanes;
    check_phase(c);
}

const Uop *ctl_cluster_arrive(Warp *w, const Uop *u)
{
    Cluster *c     = w->block->cluster;
    uint32_t twice = w->at_cluster & w->mask;
    if (twice)
        return fault_raise(w, u, FAULT_CLUSTER, (unsigned)__builtin_ctz(twice), twice,
                           "barrier.cluster.arrive by threads that have arrived already and not waited since");
    w->at_cluster |= w->mask;
    w->cluster_phase = c->phase & 1 ? w->cluster_phase | w->mask : w->cluster_phase & ~w->mask;
    c->arrived += (unsigned)__builtin_popcount(w->mask);
    w->block->progress = true;
    NOTIFY_SYNC(w, u, .kind = SYNC_CLUSTER, .mask = w->mask, .sem = (uint8_t)u->x);
    check_phase(c);
    return u + 1;
}

const Uop *ctl_cluster_wait(Warp *w, const Uop *u)
{
    uint32_t absent = w->mask & ~w->at_cluster;
    if (absent)
        return fault_raise(w, u, FAULT_CLUSTER, (unsigned)__builtin_ctz(absent), absent,
                           "barrier.cluster.wait by threads that have not arrived: barrier.cluster.arrive comes first");
    if (!(pending_lanes(w) & w->mask)) {
        w->at_cluster &= ~w->mask;
        NOTIFY_SYNC(w, u, .kind = SYNC_CLUSTER_WAIT, .mask = w->mask);
        return u + 1;
    }
    warp_put(w, u, w->frame, w->mask);
    w->group[w->ngroups - 1].state = GROUP_CLUSTER;
    w->worker->event               = EVENT_BARRIER;
    return STOP;
}

/* ---- the grids that this one depends on ---- */

static bool is_held(const Launch *l)
{
    return l->ask->held && *l->ask->held;
}

/* griddepcontrol.wait.  While the launch is held its lanes rest, and look again each time that nobody else in the cluster can run. */
const Uop *ctl_grid_wait(Warp *w, const Uop *u)
{
    if (!is_held(w->block->launch)) {
        NOTIFY_SYNC(w, u, .kind = SYNC_GRID, .mask = w->mask);
        return u + 1;
    }
    warp_put(w, u, w->frame, w->mask);
    w->group[w->ngroups - 1].state = GROUP_GRID;
    w->worker->event               = EVENT_BARRIER;
    return STOP;
}

/* Somebody waits so: it is not a hang. */
static bool waits_for_grids(Cluster *c)
{
    bool any = false;
    for (uint32_t i = 0; i < c->n; i++)
        any |= !c->block[i]->ended && group_release(c->block[i], GROUP_GRID);
    return any;
}

/* ---- addresses ---- */

static unsigned operand_lane(uint32_t m)
{
    return (unsigned)__builtin_ctz(m);
}

/* Lane i's shared address; false: a generic address that points elsewhere. */
static bool shared_operand(const Warp *w, const Uop *u, unsigned i, uint64_t *t)
{
    *t = u->x == 8 ? SLOT(w, uint64_t, u->a)[i] : SLOT(w, uint32_t, u->a)[i];
    if (u->y)
        *t -= SHARED_WINDOW;
    return !u->y || *t < WINDOW_BYTES;
}

/* Compilers move mapa before the test that guards its use, so ranks and addresses that mean nothing give addresses that nothing lies at. */
const Uop *ctl_mapa(Warp *w, const Uop *u)
{
    enum { RANKS = 0xffff };
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned i    = operand_lane(m);
        uint64_t rank = SLOT(w, uint32_t, u->b)[i] & RANKS, t;
        bool     is   = shared_operand(w, u, i, &t);
        t             = (t & CLUSTER_OFFSET) | rank << CLUSTER_SHIFT;
        if (u->x == 8)
            SLOT(w, uint64_t, u->d)[i] = !is ? 0 : u->y ? t + SHARED_WINDOW : t;
        else
            SLOT(w, uint32_t, u->d)[i] = (uint32_t)t;
    }
    return u + 1;
}

const Uop *ctl_getctarank(Warp *w, const Uop *u)
{
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned i = operand_lane(m);
        uint64_t t;
        bool     is                = shared_operand(w, u, i, &t);
        SLOT(w, uint32_t, u->d)[i] = is ? (uint32_t)(t >> CLUSTER_SHIFT) : 0;
    }
    return u + 1;
}

/* ---- turns ---- */

bool cluster_pass(Cluster *c, Worker *k)
{
    bool ran = false, progress = false;
    c->progress = false;
    if (c->waits_for_registers)
        maxnreg_wake(c);
    for (uint32_t i = 0; i < c->n && !k->faulted; i++) {
        Block *b = c->block[i];
        if (b->ended)
            continue;
        b->progress = false;
        ran |= block_pass(b, k);
        progress |= b->progress;
        if (b->live == 0 && !k->faulted) {
            bulk_block_ended(b);
            if (!k->faulted)
                maxnreg_block_ended(b);
            block_ended(k, b);
            ran = true;
        }
    }
    if (!k->faulted)
        ran |= bulk_tick(c, k);
    if (k->faulted || c->ended == c->n)
        return true;
    c->progress |= progress;
    if (c->progress)
        c->stalls = 0;
    if (ran)
        return false;
    if (waits_for_grids(c) || schedule_naps(c))
        return false;
    if (++c->stalls > STALLS || !wake_all(c))
        hang_explain(c, k);
    return k->faulted;
}
