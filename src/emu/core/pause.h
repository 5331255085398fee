/* SPDX-License-Identifier: Apache-2.0
 *
 * Pauses of a launch: the moments at which no block runs, so that the host may change memory or run another launch. */
#ifndef WW_EMU_PAUSE_H
#define WW_EMU_PAUSE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct Launch Launch;
typedef struct Worker Worker;

typedef enum PauseWish { /* the strongest counts */
    PAUSE_NO,
    PAUSE_TIME,
    PAUSE_WAITS, /* nobody computes */
    PAUSE_STANDS /* nobody ever will (endless.h) */
} PauseWish;

typedef struct Pause {
    int             wanted;          /* atomic: PauseWish */
    unsigned        active, waiting; /* atomic: workers that run; those of them whose blocks only wait */
    unsigned        resting;         /* under the launch's lock */
    pthread_cond_t  changed;
    uint64_t        since;           /* atomic: warp instructions when the last one ended */
    uint64_t        epoch;           /* Launch.epoch when it ended */
} Pause;

void pause_init(Launch *l);
void pause_done(Launch *l);
/* Worker k has just run a block that computed something (false: it only waited). */
void pause_note(Worker *k, bool computed, unsigned holding);
/* The launch has run so many warp instructions: asks for a pause when it is time. */
void pause_tick(Launch *l, uint64_t instructions);
/* The launch never ends by itself: who asked for it may end it, or know somebody who changes memory. */
void pause_stands(Launch *l);
/* Takes part in the pause that is wanted. */
void pause_rest(Worker *k);
/* Worker k has no blocks any more.  Worker 0, in whose thread the pauses are spent, then serves those of the others. */
void pause_leave(Worker *k);

static inline bool pause_wanted(const Pause *p) { return __atomic_load_n(&p->wanted, __ATOMIC_RELAXED); }

#endif
