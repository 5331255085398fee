/* SPDX-License-Identifier: Apache-2.0
 *
 * Block sampling: of a grid that is too large to run whole, the first clusters and some at random.
 *
 * The clusters behind the first ones are divided into as many equal stretches as random ones are wanted, and the device's seed says which
 * cluster of its stretch runs.  Stretches are dealt to the batches in turn, so each batch is spread over the whole grid.  A cluster runs
 * as a whole: what its blocks share is there.
 *
 * Of a launch that is shared out among processes (EmuLaunch.rank) a stretch runs, in order, whatever the seed; of one that is sampled, a
 * stretch of each round.
 *
 * Invariants: within a round clusters start in ascending order; no cluster is chosen twice.  A launch runs whole when it has no more
 * clusters than were asked for, when it is cooperative, and from the moment on at which one of its clusters only waits: it may wait for
 * one that was not chosen.  Blocks that do not wait but look at what others left (the last one to arrive adds up) are not noticed: what such
 * a block does for the whole grid is not in the sample, or not in the proportion of the grid. */
#include "emu/run/sample.h"

#include <stdlib.h>

#include "emu/core/schedule.h"
#include "emu/run/stop.h"

static uint64_t mixed(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static uint64_t clusters_of(const Launch *l, uint32_t blocks)
{
    return (blocks + (uint64_t)l->cluster_blocks - 1) / l->cluster_blocks;
}

/* Where the i-th of n equal stretches of `all` begins. */
static uint64_t stretch(uint64_t all, uint64_t i, uint64_t n)
{
    return (uint64_t)((unsigned __int128)all * i / n);
}

static void take_stretch(Launch *l)
{
    if (l->ask->ranks < 2)
        return;
    l->from = stretch(l->nclusters, l->ask->rank, l->ask->ranks);
    l->last = stretch(l->nclusters, l->ask->rank + 1, l->ask->ranks) - l->from;
}

/* Of each round, this rank's stretch. */
static void keep_own(Launch *l)
{
    Sample  *s = &l->sample;
    uint64_t n = 0, begin = 0, first = s->first;
    for (uint32_t r = 0; r < s->rounds; r++) {
        uint64_t all = s->end[r] - begin, from = begin + stretch(all, l->ask->rank, l->ask->ranks),
                 to = begin + stretch(all, l->ask->rank + 1, l->ask->ranks);
        begin       = s->end[r];
        for (uint64_t i = from; i < to; i++)
            s->place[n++] = s->place[i];
        s->end[r] = n;
        if (r == 0 && first)
            s->first = n;
    }
}

void sample_choose(Launch *l)
{
    Sample  *s     = &l->sample;
    uint64_t first = clusters_of(l, l->ask->first), random = clusters_of(l, l->ask->random);
    l->last = l->nclusters;
    if ((!first && !random) || first + random >= l->nclusters) {
        take_stretch(l);
        return;
    }
    if (l->ask->cooperative) {
        s->whole = SAMPLE_COOPERATIVE;
        return;
    }
    uint64_t rest = l->nclusters - first, seed = mixed(l->dev->seed) ^ mixed(l->nclusters), n = first;
    uint32_t batches = random < SAMPLE_BATCHES ? (uint32_t)random : SAMPLE_BATCHES;
    s->place         = xcalloc(first + random, sizeof *s->place);
    for (uint64_t i = 0; i < first; i++)
        s->place[i] = i;
    if (first)
        s->end[s->rounds++] = first;
    for (uint32_t b = 0; b < batches; b++) {
        for (uint64_t i = b; i < random; i += batches) {
            uint64_t from = stretch(rest, i, random), to = stretch(rest, i + 1, random);
            s->place[n++] = first + from + mixed(seed + i) % (to - from);
        }
        s->end[s->rounds++] = n;
    }
    s->first = first;
    s->on    = true;
    l->last  = 0;
    if (l->ask->ranks > 1)
        keep_own(l);
}

void sample_free(Launch *l)
{
    free(l->sample.place);
}

bool sample_round(Launch *l)
{
    Sample *s = &l->sample;
    bool    over =
        l->aborted || l->fault_order != UINT64_MAX || s->round >= (s->place ? s->rounds : 1) || (s->round && !s->on);
    if (over)
        return false;
    if (s->on)
        l->last = s->end[s->round];
    s->round++;
    return true;
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The k-th cluster that is not among the n that have begun, which are in ascending order. */
static uint64_t other(const uint64_t *begun, uint64_t n, uint64_t k)
{
    uint64_t lo = 0, hi = n; /* begun[i] - i clusters before begun[i] are others */
    while (lo < hi) {
        uint64_t mid = (lo + hi) / 2;
        if (begun[mid] - mid <= k)
            lo = mid + 1;
        else
            hi = mid;
    }
    return k + lo;
}

uint64_t sample_place(const Launch *l, uint64_t order)
{
    return l->ask->ranks > 1 ? l->from + order : schedule_place(l, order);
}

bool sample_take(Launch *l, uint64_t *order, uint64_t *index)
{
    Sample *s = &l->sample;
    pthread_mutex_lock(&l->lock);
    uint64_t i  = l->next_cluster;
    bool     is = i < l->last;
    if (is) {
        __atomic_store_n(&l->next_cluster, i + 1, __ATOMIC_RELAXED);
        *order = i;
        *index = s->on ? s->place[i] : other(s->place, s->begun, i - s->begun);
    }
    pthread_mutex_unlock(&l->lock);
    return is;
}

void sample_drop(Launch *l)
{
    Sample *s = &l->sample;
    pthread_mutex_lock(&l->lock);
    if (s->on && !(l->ask->held && *l->ask->held)) {
        s->on    = false;
        s->whole = SAMPLE_WAITS;
        s->begun = l->next_cluster;
        qsort(s->place, s->begun, sizeof *s->place, ascending);
        __atomic_store_n(&l->last, l->nclusters, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&l->lock);
}

void sample_alone(Launch *l, const Cluster *c)
{
    pthread_mutex_lock(&l->lock);
    l->sample.whole = SAMPLE_WAITS;
    pthread_mutex_unlock(&l->lock);
    launch_stop(l, c, FAULT_TIME_LIMIT, "some of its blocks wait for others");
}

void sample_result(const Launch *l, EmuResult *r)
{
    const Sample *s = &l->sample;
    r->sample       = (EmuSample){.sampled = s->on,
                                  .whole   = s->whole,
                                  .ended   = s->on && s->round == s->rounds && !l->aborted && l->fault_order == UINT64_MAX,
                                  .blocks  = l->next_cluster * l->cluster_blocks,
                                  .of      = l->nclusters * l->cluster_blocks};
    r->sample.first = (s->first < l->next_cluster ? s->first : l->next_cluster) * l->cluster_blocks;
}
