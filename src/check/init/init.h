/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside the checker of reads of memory that nobody wrote (init.c). */
#ifndef WW_CHECK_INIT_H
#define WW_CHECK_INIT_H

#include <pthread.h>

#include "check/bits.h"
#include "check/by_sweep.h"
#include "check/check.h"
#include "check/within.h"
#include "check/init/unset.h"
#include "check/init/written.h"

/* A load that read what nobody wrote.  Numbered from 1; 0: nothing read it yet. */
typedef struct InitOrigin {
    uint64_t     launch;
    uint32_t     instr, thread, bytes;
    uint64_t     block;
    RuleId       rule;
    uint64_t     region; /* the allocation that it read; 0: none, or a copy */
    uint32_t     parent; /* of an earlier launch, whose copy this one read; 0: none */
    bool         told[2]; /* that the host read what came of it: as a fault, as padding */
    Widths      *widths; /* of the stores to the memory that it read */
    const char  *what;   /* "16 bytes into 'x' (256 bytes)" */
    WwFindingEnd end;
} InitOrigin;

typedef struct Init { /* as long as the device lives */
    Written         written;
    uint64_t        heap; /* address of the device-side heap, 0: there is none */
    pthread_mutex_t lock; /* arena and origins */
    Arena          *arena;
    InitOrigin    **origin;
    uint32_t        norigins;
    WwFinding      *pending;
    size_t          npending;
    const RuleSet  *rules;
    Set             set;
} Init;

typedef struct InitWatch { /* one launch */
    Observer           base;
    const CheckLaunch *launch;
    const LaunchInfo  *info;
    Init              *init;
    uint32_t           warps;
    bool               bulk;
    Widths            *widths[2]; /* of its stores to shared and local memory */
    Findings           found;
} InitWatch;

typedef struct InitBlock {
    uint64_t          index;
    Bits              shared, *local; /* local: by warp, lanes side by side; made at its first access */
    struct InitBlock *next;
} InitBlock;

typedef struct InitInstr {
    Region       *cached; /* what the instruction accessed last */
    Region       *widened; /* whose widths have the instruction's */
    uint32_t      origin, parent;
    const Region *region;
} InitInstr;

typedef struct InitSweep { /* what is known of a Sweep */
    bool     known, writes;
    uint32_t reads;                /* parties that it reads, a bit each */
    uint32_t first[SWEEP_PARTIES]; /* the first read of each */
} InitSweep;

typedef struct InitState { /* one worker */
    InitWatch    *watch;
    const Within *within;
    BySweep     sweeps; /* InitSweep */
    InitInstr  *instr;
    InitBlock  *blocks, *idle, *last;
    PoisonLanes copied;         /* what a cp.async reads */
    uint32_t    copy_to[LANES]; /* and where it writes */
    Findings    found;
} InitState;

/* init_host.c: what the host did to memory, and what it reads that nobody wrote. */
void init_host(void *self, const MemoryEvent *e);

#endif
