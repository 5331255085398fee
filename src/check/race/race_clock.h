/* SPDX-License-Identifier: Apache-2.0
 *
 * Clocks: what is known to have happened before, as a sorted list of "everything of WHO before TIME".  WHO is a block, a warp, a thread,
 * the asynchronous copies of a thread, or what completes at one mbarrier, so that what a barrier orders takes one entry and not one for
 * each thread.
 *
 * A Clock does not change once made; it is shared by counting references.  NULL is the clock that knows nothing.  Not thread-safe:
 * clocks that pass between blocks exist only in launches that run on one worker (race.c). */
#ifndef WW_CHECK_RACE_CLOCK_H
#define WW_CHECK_RACE_CLOCK_H

#include <stddef.h>

#include "check/race/race_stamp.h"

typedef struct ClockEntry {
    uint64_t who;
    Time     before;
} ClockEntry;

typedef struct Clock Clock;

/* What a thread's asynchronous copies do that complete together: cp.async; sources and destinations of bulk groups. */
typedef enum CopyKind { COPY_LOADS, COPY_READS, COPY_WRITES, COPY_KINDS } CopyKind;

/* birth: the first serial of a block, which names it. */
static inline uint64_t who_of(uint32_t birth, unsigned kind, unsigned n) { return (uint64_t)birth << 14 | kind << 10 | n; }
static inline uint64_t who_thread(uint32_t birth, unsigned thread) { return who_of(birth, 0, thread); }
static inline uint64_t who_warp(uint32_t birth, unsigned warp) { return who_of(birth, 1, warp); }
static inline uint64_t who_block(uint32_t birth) { return who_of(birth, 2, 0); }
static inline uint64_t who_agent(uint32_t birth, unsigned agent) { return who_of(birth, 3, agent); }
static inline uint64_t who_copies(uint32_t birth, CopyKind kind, unsigned thread) { return who_of(birth, 4 + (unsigned)kind, thread); }
/* The grids that a programmatic launch depends on: no block has the birth 0. */
static inline uint64_t who_grids(void) { return who_of(0, 0, 0); }
static inline uint32_t who_birth(uint64_t who) { return (uint32_t)(who >> 14); }

/* Sorts and joins the entries. */
Clock *clock_new(ClockEntry *e, size_t n);
Clock *clock_ref(Clock *c);
void   clock_drop(Clock *c);
/* *to learns what `from` knows. */
void   clock_join(Clock **to, Clock *from);
/* Only what is known of one block; a new reference. */
Clock *clock_of_block(const Clock *c, uint32_t birth);
/* Everything of `who` before the result has happened; 0: nothing. */
Time   clock_get(const Clock *c, uint64_t who);
size_t clock_size(const Clock *c);

#endif
