/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses of shared memory that are only noted.
 *
 * A Sweep (observer.h) of words that nobody has touched since the last barrier of the whole block, or only read where it only reads, finds
 * nothing that matters.  What it leaves matters until the next such barrier, and only if somebody comes who touches the same words in
 * another way.  So it is noted, with a bit for each word, and nothing else is done:
 *
 *     the barrier of the whole block      what is noted is too old to matter, and forgotten
 *     anything else that looks at cells   first everything noted is done as it would have been, in its order; the pages take no more notes
 *     or orders threads                   until that barrier
 *
 * So what is found and what is kept is the same as without.  Not in clusters and kernels with asynchronous operations, where what happened
 * before the barrier may still matter. */
#ifndef WW_CHECK_RACE_LOG_H
#define WW_CHECK_RACE_LOG_H

#include "check/race/race_sweep.h"

typedef struct RaceLog RaceLog;

/* May the launch's blocks have one? */
bool race_log_fits(const RaceRun *r);
/* Notes what the sweep does in shared memory.  false: nothing was noted, and what was before is in the cells. */
bool race_log_takes(Cells *cells, RaceBlock *b, const SweepCall *c, const Swept *s);
/* Writes into the cells what was noted. */
void race_log_flush(Cells *cells, RaceBlock *b);
void race_log_free(RaceLog *log);

#endif
