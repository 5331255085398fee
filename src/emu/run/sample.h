/* SPDX-License-Identifier: Apache-2.0
 *
 * Which clusters of a launch run where only some were asked for (EmuLaunch.first, random), in rounds: the first ones, then the random ones
 * in SAMPLE_BATCHES batches, whose spread tells how far the whole grid may be from them. */
#ifndef WW_EMU_SAMPLE_H
#define WW_EMU_SAMPLE_H

#include "emu/core/run.h"

/* Chooses, once the launch knows its clusters; where all of them run there is one round. */
void     sample_choose(Launch *l);
void     sample_free(Launch *l);
/* Opens the next round; false: there is none, or the launch is to end. */
bool     sample_round(Launch *l);
/* Takes a cluster of the round: in which order it starts and its index.  Thread-safe; false: none is left. */
bool     sample_take(Launch *l, uint64_t *order, uint64_t *index);
/* Where nothing is sampled: the cluster that starts as the n-th. */
uint64_t sample_place(const Launch *l, uint64_t order);
/* A cluster only waits, perhaps for one that is not among the chosen: all run, the others in ascending order.  Thread-safe. */
void     sample_drop(Launch *l);
/* A cluster of a launch whose stretches run in several processes only waits, perhaps for one that runs elsewhere: the launch is stopped. */
void     sample_alone(Launch *l, const Cluster *c);
/* Tells r what ran. */
void     sample_result(const Launch *l, EmuResult *r);

#endif
