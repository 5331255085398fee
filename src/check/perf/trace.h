/* SPDX-License-Identifier: Apache-2.0
 *
 * What some blocks of a launch did to global memory, access by access: the blocks' reuse of what they loaded, and what other orders
 * of their threads would move.  At most TRACE_BLOCKS blocks, spread evenly over the grid, are looked at; small grids wholly.
 *
 *     Observer *o = trace_new(launch);
 *     ... launch ...
 *     const TraceSum *s = trace_instr(o, id);    // NULL: no global access in the blocks that were looked at
 *     trace_free(o); */
#ifndef WW_CHECK_TRACE_H
#define WW_CHECK_TRACE_H

#include "check/check.h"
#include "check/count/lanes.h"

/* What the atomics of a warp do to each other.  Turns: sector updates of global memory, passes over the banks of shared memory. */
typedef struct AtomicTurns {
    uint64_t accesses, lanes, addresses; /* addresses: distinct ones, access by access */
    uint64_t now, joined;                /* turns; and with the lowest lane of each address alone */
} AtomicTurns;
/* Adds `times` executions of one access; addr: of the lanes, offsets in shared memory. */
void atomic_turns_add(const Profile *p, AccessSpace space, AccessOp op, unsigned bytes, uint32_t mask, const uint64_t *addr, uint64_t times,
                      AtomicTurns *sum);
void atomic_turns_join(AtomicTurns *to, const AtomicTurns *from);

enum { TRACE_BLOCKS = 16, TRACE_ACCESSES = 1 << 13 };

typedef struct TraceSum { /* sums over the blocks looked at */
    LaneCost lanes;       /* valid: in all of them */
    uint64_t values;      /* distinct addresses in each access */
    uint64_t distinct;    /* distinct addresses in each block: what would have to be loaded once */
    uint64_t bytes;       /* of a value */
    uint64_t accesses;
    AtomicTurns atomics;
    LaneShow   *show;     /* of the lowest block that was looked at; NULL: its accesses waste nothing */
    uint64_t    show_block;
    AccessOp    op;
    uint64_t cut; /* accesses of these blocks behind the first TRACE_ACCESSES, not looked at */
} TraceSum;

/* Instructions of one line that make the same pattern near each other, as the copies of an unrolled loop's body do, are looked at as
 * one: the first of them. */
Observer       *trace_new(const CheckLaunch *l);
void            trace_free(Observer *o); /* NULL is allowed */
const TraceSum *trace_instr(const Observer *o, uint32_t id);
/* As count_put and count_add. */
void            trace_put(const Observer *o, Parcel *p);
void            trace_add(Observer *o, Parcel *p);
/* The launch, as the observer was told of it. */
const LaunchInfo *trace_info(const Observer *o);
/* Blocks looked at, and blocks of the launch. */
uint64_t        trace_blocks(const Observer *o, uint64_t *of);

#endif
