/* SPDX-License-Identifier: Apache-2.0
 *
 * Clocks: what is known to have happened before, as a sorted list of "everything of WHO before TIME".  WHO is a block, a warp, a thread, or the
 * asynchronous copies of a thread, so that what a barrier orders takes one entry and not one for each thread.
 *
 * A Clock does not change once made; it is shared by counting references.  NULL is the clock that knows nothing.  Not thread-safe:
 * clocks that pass between blocks exist only in launches that run on one worker (race.c). */
#ifndef WW_CHECK_RACE_CLOCK_H
#define WW_CHECK_RACE_CLOCK_H

#include <stddef.h>

#include "check/race_stamp.h"

typedef struct ClockEntry {
    uint64_t who;
    Time     before;
} ClockEntry;

typedef struct Clock Clock;

/* birth: the first serial of a block, which names it. */
static inline uint64_t who_thread(uint32_t birth, unsigned thread) { return (uint64_t)birth << 12 | thread; }
static inline uint64_t who_warp(uint32_t birth, unsigned warp) { return (uint64_t)birth << 12 | (1024 + warp); }
static inline uint64_t who_block(uint32_t birth) { return (uint64_t)birth << 12 | 2047; }
static inline uint64_t who_copies(uint32_t birth, unsigned thread) { return (uint64_t)birth << 12 | (2048 + thread); }
static inline uint32_t who_birth(uint64_t who) { return (uint32_t)(who >> 12); }

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
const ClockEntry *clock_entries(const Clock *c);

#endif
