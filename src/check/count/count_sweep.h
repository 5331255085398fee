/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses that native code tells of at once, counted by where their parties stand (observer.h): one addition for many accesses. */
#ifndef WW_CHECK_COUNT_SWEEP_H
#define WW_CHECK_COUNT_SWEEP_H

#include "emu/observer.h"

typedef struct SweepHits SweepHits;

typedef struct SweepTable { /* of one worker; zero: empty */
    SweepHits **of; uint32_t n; /* by Sweep.number */
} SweepTable;

/* Counts it.  period: of accesses to global memory, a power of two; those to shared memory keep their whole offset. */
void sweep_count(SweepTable *t, const SweepCall *c, uint32_t period);
/* Every access at every place, n times; addresses in global memory are far from 0 and tell only where in a period they lie.  Empties the
 * table. */
void sweep_tell(SweepTable *t, void (*access)(void *user, const Access *a, uint64_t n), void *user);

#endif
