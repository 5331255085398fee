/* SPDX-License-Identifier: Apache-2.0
 *
 * What a device's seed decides about a launch: in which order its blocks start, how many of them take turns, and who goes on for how long.
 * Every such order is one that a card may choose.  Seed 0 is the plain order: blocks ascending, each to its end, warps in turn. */
#ifndef WW_EMU_SCHEDULE_H
#define WW_EMU_SCHEDULE_H

#include "emu/core/run.h"

typedef struct Turns { /* of a block's warps in one pass */
    uint32_t first, step;
} Turns;

/* Once the launch knows its clusters. */
void     schedule_start(Launch *l);
/* The cluster that starts as the i-th. */
uint64_t schedule_place(const Launch *l, uint64_t i);
/* How many clusters the worker may hold now, and how many of the others one lets go first. */
uint32_t schedule_together(const Launch *l);
uint32_t schedule_rotation(Launch *l, uint32_t holding);
/* c only waited: perhaps for one that has not started. */
void     schedule_waited(Launch *l);
/* Passes that a cluster gets at most before another one does; the plain number where nothing is seeded. */
unsigned schedule_passes(Launch *l, unsigned plain);
Turns    schedule_turns(Block *b);
/* Is this warp, which could run, passed over? */
bool     schedule_skips(Warp *w);
/* Instructions of a quantum. */
int64_t  schedule_quantum(Launch *l, int64_t plain);

/* Of the groups that could run and are as urgent as `plain`, the one that does, which may be another path than the lowest; not one that
 * stands where others come by. */
Group   *schedule_group(Warp *w, Group *plain);
/* Where the running group has to stop at the latest: merge, or where it meets a waiting one that stands before it. */
const Uop *schedule_merge(const Warp *w, const Uop *merge);
/* Do two groups at one place go on apart?  Nothing but an instruction for several lanes brings them together then. */
bool     schedule_parts(const Warp *w, const Group *a, const Group *b);
/* g, which rested at an mbarrier, may look again: perhaps later. */
void     schedule_wakes(const Warp *w, Group *g);
/* Nobody has run: was somebody passed over, who could have? */
bool     schedule_naps(const Cluster *c);
/* A coin, by the device's seed: for asynchronous copies that land at random. */
bool     schedule_toss(Cluster *c);
/* Lanes that write after the others. */
uint32_t schedule_late(Launch *l);

#endif
