/* SPDX-License-Identifier: Apache-2.0
 *
 * Launches that never end: every resident block waits in loops for memory that nobody is left to change. */
#ifndef WW_EMU_ENDLESS_H
#define WW_EMU_ENDLESS_H

#include <stdbool.h>
#include <stdint.h>

#include "ptx/ptx.h"

typedef struct Cluster Cluster;
typedef struct Launch  Launch;
typedef struct Worker  Worker;

enum { ENDLESS_PATIENCE = 64 }; /* rounds before the first look; one in which a cluster computed, which is long, is enough */

typedef struct EndlessWorker {
    uint32_t *head;    /* basic blocks that may change what others see: the ids of their first instructions */
    uint32_t  nheads;
    uint64_t  atomics; /* that changed their memory */
    uint64_t  idle_reads; /* of clocks, that only say how long to sleep (ptx/idle_clock.h) */
    uint64_t  writes;  /* as of the last look */
    uint64_t  epoch;   /* of which `standing` counts */
    uint32_t  standing; /* clusters that are as they were */
    uint64_t  proved;  /* the epoch in which all its clusters were; 0: none */
} EndlessWorker;

typedef struct EndlessCluster {
    uint64_t epoch; /* in which its warps' states were kept; 0: they were not */
    uint32_t rounds, looks; /* looks: 0 when no states are kept */
    bool     stands; /* every warp has come back to the state that was kept */
} EndlessCluster;

/* c has not ended in its round and waits for the next one.  full: the worker takes no other cluster now.
 * true: the launch never ends by itself. */
bool endless_look(Worker *k, Cluster *c, uint32_t holding, bool full);
/* Worker k has no clusters: it changes nothing. */
void endless_idle(Worker *k);
/* The epoch that runs, after what all workers have done, who rest. */
uint64_t endless_epoch(Launch *l);
/* Memory may have changed behind the launch's back. */
void endless_forget(Launch *l);
/* Blocks begin or have ended. */
void endless_turnover(Launch *l);
void endless_done(Worker *k);

#endif
