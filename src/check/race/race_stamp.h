/* SPDX-License-Identifier: Apache-2.0
 *
 * A Stamp says who touched a cell of memory last, and when, in 64 bits:
 *
 *     63 ......... 39 | 38 .... 27 | 26 .. 17 | 16 ... 4 | 3 .. 2 | 1 .. 0
 *     serial          | tick       | thread   | site     | kind   | strength
 *
 * serial and tick together are the block's time (37 bits).  A block has a serial of its own from its start and another whenever its
 * ticks run out, so time grows within a block, says which block it belongs to (race_order.c keeps the table), and a greater
 * serial never belongs to an older launch.  0 is "nobody".
 * site is a small number for the instruction; SITE_UNKNOWN when a launch has more than fit.
 * kind: who touched it, the thread or an asynchronous operation, which the thread that issued it must wait for, too.  BY_AGENT: what
 * completes at an mbarrier of the block, or products of a warpgroup; `thread` is then the agent's number (race_async.c). */
#ifndef WW_CHECK_RACE_STAMP_H
#define WW_CHECK_RACE_STAMP_H

#include <stdbool.h>
#include <stdint.h>

typedef uint64_t Stamp;
typedef uint64_t Time;

/* WEAK accesses race with everything; the others are atomic, at the scope of the block or (GPU) wider, and race with those whose
 * scope does not hold them.  VOLATILE is a volatile write: relaxed at system scope to the PTX manual, no atomic to CUDA C++.  The volatile
 * write behind a fence that sets a flag is GPU.  Volatile reads that decide where the program goes are GPU, too, and VOLATILE where they
 * only carry data (race_payload.c). */
typedef enum Strength { STRENGTH_WEAK, STRENGTH_CTA, STRENGTH_VOLATILE, STRENGTH_GPU } Strength;

typedef enum StampKind {
    BY_THREAD,
    BY_COPY,  /* cp.async of the thread */
    BY_AGENT,
    BY_GROUP  /* a bulk copy of the thread that completes with its bulk group: what it reads, or what it writes */
} StampKind;

enum { TICK_BITS = 12, TIME_SHIFT = 27, THREAD_SHIFT = 17, SITE_SHIFT = 4, KIND_SHIFT = 2, KIND_MASK = 3 << KIND_SHIFT };
#define TICKS        (UINT32_C(1) << TICK_BITS)
#define SITE_UNKNOWN ((UINT32_C(1) << 13) - 1)
#define SERIAL_MASK  (~UINT64_C(0) << (TIME_SHIFT + TICK_BITS))
#define WARP_MASK    (UINT64_C(31) << (THREAD_SHIFT + 5))
#define LANE_MASK    (UINT64_C(31) << THREAD_SHIFT)
#define OWN_MASK     (SERIAL_MASK | UINT64_C(1023) << THREAD_SHIFT | KIND_MASK)
#define SERIALS      (UINT32_C(1) << 25)

static inline Stamp stamp_make(Time time, unsigned thread, unsigned site, StampKind kind, Strength strength)
{
    return time << TIME_SHIFT | (Stamp)thread << THREAD_SHIFT | (Stamp)site << SITE_SHIFT | (Stamp)kind << KIND_SHIFT | (Stamp)strength;
}

static inline Time stamp_time(Stamp s) { return s >> TIME_SHIFT; }
static inline uint32_t stamp_serial(Stamp s) { return (uint32_t)(s >> (TIME_SHIFT + TICK_BITS)); }
static inline unsigned stamp_thread(Stamp s) { return s >> THREAD_SHIFT & 1023; }
static inline unsigned stamp_site(Stamp s) { return s >> SITE_SHIFT & SITE_UNKNOWN; }
static inline StampKind stamp_kind(Stamp s) { return (StampKind)(s >> KIND_SHIFT & 3); }
static inline bool stamp_async(Stamp s) { return (s & KIND_MASK) != 0; }
static inline Strength stamp_strength(Stamp s) { return (Strength)(s & 3); }
/* The same thread at the same time: nothing can tell two such accesses of one kind apart but their instruction. */
static inline bool stamp_same_moment(Stamp a, Stamp b) { return (a ^ b) >> THREAD_SHIFT == 0; }

#endif
