/* SPDX-License-Identifier: Apache-2.0
 *
 * A cluster: the blocks that are resident together. */
#ifndef WW_EMU_CLUSTER_H
#define WW_EMU_CLUSTER_H

#include "emu/core/run.h"

/* The one of that index, which starts as the order-th. */
Cluster *cluster_new(Worker *k, uint64_t order, uint64_t index);
/* Gives every block of it a pass.  true when all have ended, or one has faulted: k->fault then names the block. */
bool cluster_pass(Cluster *c, Worker *k);
void cluster_release(Cluster *c, Worker *k);
/* A thread has exited, in the running warp. */
void cluster_exit(Warp *w, uint32_t lanes);
/* Nobody can run, or everybody waits for an mbarrier in vain: raises the fault that says who waits for what (hang.c). */
void hang_explain(Cluster *c, Worker *k);

#endif
