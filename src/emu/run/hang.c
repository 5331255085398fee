/* SPDX-License-Identifier: Apache-2.0
 *
 * Who waits for what when a cluster cannot go on: the fault that names the barrier, what it lacks, and where the others are.
 *
 * A cluster hangs when no thread of it can run (barriers, member masks, barrier.cluster), or when all that can do nothing but look at
 * mbarriers: only threads and copies of the cluster could complete those, so no other block can help.  The first of these wins: member
 * masks, warpgroups, setmaxnreg, mbarriers, block barriers, barrier.cluster.  A loop that gives up waiting by itself after thousands of
 * looks is taken for a hang. */
#include <inttypes.h>
#include <stdio.h>

#include "emu/access/access.h"
#include "emu/async/async.h"
#include "emu/core/fault.h"
#include "emu/core/run.h"
#include "emu/core/where.h"
#include "emu/matrix/wgmma.h"
#include "emu/run/cluster.h"
#include "emu/sync/maxnreg.h"

/* The first group of the cluster in that state; its warp runs for the worker again. */
static const Group *first_waiting(Cluster *c, Worker *k, GroupState state, Warp **warp)
{
    for (uint32_t b = 0; b < c->n; b++)
        for (uint32_t i = 0; !c->block[b]->ended && i < c->block[b]->nwarps; i++) {
            Warp *w = &c->block[b]->warp[i];
            for (uint32_t j = 0; j < w->ngroups; j++)
                if (w->group[j].state == state) {
                    w->worker = k;
                    *warp     = w;
                    return &w->group[j];
                }
        }
    return NULL;
}

static unsigned first_lane(const Group *g)
{
    return (unsigned)__builtin_ctz(g->mask);
}

static bool member_mask(Cluster *c, Worker *k)
{
    Warp        *w;
    const Group *g = first_waiting(c, k, GROUP_SYNC, &w);
    if (g)
        fault_raise(w, g->pc, FAULT_SYNC_MASK, first_lane(g), g->mask,
                    "the member mask 0x%08x names lanes that never arrive: lanes 0x%08x wait here, lanes 0x%08x have "
                    "exited or wait "
                    "elsewhere",
                    g->need, g->mask, g->need & ~g->mask);
    return g != NULL;
}

static bool warpgroup(Cluster *c, Worker *k)
{
    Warp        *w;
    const Group *g = first_waiting(c, k, GROUP_WGMMA, &w);
    if (g)
        wgmma_explain(w, g->pc);
    return g != NULL;
}

static bool registers(Cluster *c, Worker *k)
{
    Warp        *w;
    const Group *g = first_waiting(c, k, GROUP_REGISTERS, &w);
    if (g)
        maxnreg_explain(w, g->pc);
    return g != NULL;
}

static bool block_barrier(Cluster *c, Worker *k)
{
    Warp        *w;
    const Group *g = first_waiting(c, k, GROUP_BARRIER, &w);
    if (!g)
        return false;
    const Barrier *bar = &w->block->bar[g->barrier];
    Str            at  = {0};
    where_threads(c, &at);
    fault_raise(w, g->pc - 1, FAULT_BARRIER_DEADLOCK, first_lane(g), g->mask,
                "barrier %u waits for %u threads, %u have arrived and nobody else in the block can run: %s", g->barrier,
                bar->expected ? bar->expected : w->block->live, bar->arrived, str_text(&at));
    str_free(&at);
    return true;
}

static bool cluster_barrier(Cluster *c, Worker *k)
{
    Warp        *w;
    const Group *g  = first_waiting(c, k, GROUP_CLUSTER, &w);
    Str          at = {0};
    where_threads(c, &at);
    if (g)
        fault_raise(w, g->pc, FAULT_BARRIER_DEADLOCK, first_lane(g), g->mask,
                    "barrier.cluster waits for the %u threads of the cluster that have not exited; %u have arrived and "
                    "nobody else can run: %s",
                    c->live, c->arrived, str_text(&at));
    str_free(&at);
    return g != NULL;
}

/* ---- mbarriers ---- */

typedef struct Census { /* threads of the cluster */
    uint32_t same, other, block, cluster, exited;
} Census;

/* Where the lanes of a group that waits for an mbarrier look, and what for. */
static bool waited_for(Warp *w, const Group *g, MbarrierWait *out)
{
    w->r    = g->frame->regs;
    w->mask = g->mask;
    return mbarrier_waits(w, g->pc - 1, out);
}

static void count(Cluster *c, const MbarrierWait *it, Census *n)
{
    for (uint32_t b = 0; b < c->n; b++) {
        for (uint32_t i = 0; !c->block[b]->ended && i < c->block[b]->nwarps; i++) {
            Warp *w = &c->block[b]->warp[i];
            for (uint32_t j = 0; j < w->ngroups; j++) {
                const Group *g       = &w->group[j];
                unsigned     threads = (unsigned)__builtin_popcount(g->mask);
                MbarrierWait here;
                if (g->state == GROUP_BARRIER)
                    n->block += threads;
                else if (g->state == GROUP_CLUSTER)
                    n->cluster += threads;
                else if (g->state == GROUP_MBARRIER && waited_for(w, g, &here))
                    *(here.block == it->block && here.offset == it->offset ? &n->same : &n->other) += threads;
            }
        }
    }
    n->exited = c->n * c->launch->threads - c->live;
}

static void clause(Str *s, uint32_t n, const char *what)
{
    if (n)
        str_printf(s, "%s%u %s", s->len ? ", " : "", n, what);
}

static bool mbarrier(Cluster *c, Worker *k)
{
    Warp        *w;
    MbarrierWait it;
    Census       n   = {0};
    Str          who = {0}, name = {0}, lacks = {0}, at = {0};
    const Group *g = first_waiting(c, k, GROUP_MBARRIER, &w);
    if (!g || !waited_for(w, g, &it))
        return g != NULL; /* another fault was raised */
    count(c, &it, &n);
    clause(&who, n.same, "threads wait for it");
    clause(&who, n.other, "for other mbarriers");
    clause(&who, n.block, "at a barrier of the block");
    clause(&who, n.cluster, "at barrier.cluster");
    clause(&who, n.exited, "have exited");
    fault_shared_name(w, it.offset, &name);
    clause(&lacks, it.pending, it.pending == 1 ? "arrival" : "arrivals");
    if (it.tx)
        str_printf(&lacks, "%s%d bytes of transactions", lacks.len ? " and " : "", it.tx);
    where_threads(c, &at);
    for (int bytes = 0; bytes < 2; bytes++)
        if (bytes ? it.tx > 0 : it.pending > 0) {
            str_printf(&at, "; ");
            where_completing(c->launch, bytes, &at);
        }
    fault_raise(w, g->pc - 1, FAULT_MBARRIER_HANG, first_lane(g), g->mask,
                "the wait for phase %u of the mbarrier %s never ends: its running phase has parity %u and lacks %s%s; "
                "%s; nobody is left "
                "who could complete it: %s",
                it.parity, str_text(&name), it.phase, lacks.len ? str_text(&lacks) : "nothing",
                it.tx < 0 ? " (more bytes were copied than expected)" : "", str_text(&who), str_text(&at));
    str_free(&at);
    str_free(&who);
    str_free(&name);
    str_free(&lacks);
    return true;
}

void hang_explain(Cluster *c, Worker *k)
{
    if (!member_mask(c, k) && !warpgroup(c, k) && !registers(c, k) && !mbarrier(c, k) && !block_barrier(c, k))
        cluster_barrier(c, k);
}
