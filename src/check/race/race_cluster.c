/* SPDX-License-Identifier: Apache-2.0
 *
 * barrier.cluster: an arrival releases what its threads know to those who wait, behind the phase, for its completion.  A .relaxed arrival
 * releases only what a fence before it does.  Threads that have exited release what they did.  Blocks of a cluster belong to one worker, so
 * that clocks may pass between them in every launch. */
#include <stdlib.h>

#include "base/arena.h"
#include "check/race/race_order.h"

void order_cluster_join(RaceBlock *b, ClusterOrder **list, uint64_t cluster, uint32_t rank)
{
    ClusterOrder *c = *list;
    while (c && c->index != cluster)
        c = c->next;
    if (!c) {
        c        = xcalloc(1, sizeof *c);
        c->index = cluster;
        c->next  = *list;
        *list    = c;
    }
    b->cluster     = c;
    b->rank        = rank;
    c->block[rank] = b;
    c->live++;
    for (uint32_t i = 0; i < CLUSTER_BLOCKS; i++)
        if (c->block[i] && c->block[i]->oldest < b->oldest)
            b->oldest = c->block[i]->oldest;
}

void order_cluster_leave(RaceBlock *b, ClusterOrder **list)
{
    ClusterOrder *c = b->cluster;
    if (!c)
        return;
    b->cluster        = NULL;
    c->block[b->rank] = NULL;
    if (--c->live)
        return;
    while (*list != c)
        list = &(*list)->next;
    *list = c->next;
    clock_drop(c->arriving);
    clock_drop(c->phase);
    free(c);
}

void order_cluster_arrive(RaceBlock *b, uint32_t warp, uint32_t mask, bool releases)
{
    ClusterOrder *c = b->cluster;
    if (!c)
        return;
    order_tick(b);
    Clock *k = releases ? order_snapshot(b, warp, mask, true) : order_fenced(b, warp, mask);
    clock_join(&c->arriving, k);
    clock_drop(k);
}

void order_cluster_done(RaceBlock *b)
{
    ClusterOrder *c = b->cluster;
    if (!c)
        return;
    order_tick(b);
    clock_join(&c->phase, c->arriving);
    clock_drop(c->arriving);
    c->arriving = NULL;
}

void order_cluster_wait(RaceBlock *b, uint32_t warp, uint32_t mask)
{
    if (b->cluster)
        order_know(b, warp, mask, b->cluster->phase);
}

bool order_has_met(const RaceBlock *b)
{
    bool met = b->met;
    for (uint32_t i = 0; b->cluster && i < CLUSTER_BLOCKS; i++)
        met |= b->cluster->block[i] && b->cluster->block[i]->met;
    return met;
}
