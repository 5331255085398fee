/* SPDX-License-Identifier: Apache-2.0
 *
 * The race checker: two accesses of one byte by two threads, one of them a write, not both atomic at a scope that holds both, and nothing
 * that orders them.
 *
 *     Access ──▶ race.c, race_cells.c      each cell of shadow memory it touches: does the stamp there clash with mine?
 *                   │              race_shadow.h: pages of stamps     race_stamp.h: who, when, where from
 *     SweepCall ───▶│ race_sweep.c, race_words.c, race_log.c    accesses that native code tells of at once
 *                   ▼
 *     SyncEvent ▶ race_order.c, race_sync.c    did that access happen before this one?     race_clock.h
 *                   │
 *                   ▼
 *                race_report.c   which rule, both ends, and what would order them
 *
 * What is found does not depend on who happened to run first, only on what was executed: order comes from events that every execution would
 * need (happens-before), never from the emulator's schedule. */
#ifndef WW_CHECK_RACE_H
#define WW_CHECK_RACE_H

#include "check/check.h"
#include "check/race/race_order.h"
#include "check/race/race_work.h"

typedef struct Race { /* lives as long as the device */
    Serials *serials;
    Shadow  *shadow;  /* global memory */
    uint32_t launches;
    Works   *works;
    bool     host;    /* the host's own code is looked at */
} Race;

struct Touch;
struct Swept;

typedef struct RaceRun { /* one launch */
    Observer           base;
    Race              *race;
    const RuleSet     *rules;
    const CheckLaunch *launch;
    const LaunchInfo  *info;
    Time               floor;     /* what is older happened before the launch */
    bool               clusters;  /* blocks meet in clusters, if only of one block */
    uint32_t           number;    /* of the launch */
    Time               began;     /* no block had a time at or above it */
    bool               hands;     /* its module launches kernels */
    Handed             handed;    /* where the kernel that launched it did; at = 0: the host did, or it is not known */
    bool               open;      /* some of what is not older is of launches that are not ordered with this one */
    HostWork          *beside; size_t nbeside; /* copies and fills that nothing orders with it */
    bool               logs;      /* blocks only note what they can (race_log.h) */
    bool               flags;     /* the kernel has fences or acquiring or releasing accesses */
    void             (*touch)(const struct Touch *t);
    void             (*sweep)(const struct Touch *t, const SweepCall *c, const struct Swept *s, uint32_t skip);
    SyncObject        *objects;   /* in global memory */
    pthread_mutex_t    lock;      /* sites */
    uint16_t          *site_of;   /* by instruction id; 0: none yet */
    uint32_t          *instr_of;  /* by site */
    bool              *payload;   /* by instruction id: a volatile read that carries data; known once it has a site */
    bool              *guess;     /* by instruction id: a plain read that counts as atomic, and orders nothing */
    uint32_t           sites;
    uint32_t          *line_of;   /* by instruction id: the first instruction of its line, plus 1; 0: not asked yet */
    Findings           found;
} RaceRun;

/* A clash. */
typedef struct RaceClash {
    const Access *access;
    unsigned      lane, thread; /* who made the access, or issued the operation */
    Stamp         me, other;
    bool          writes, other_writes;
    bool          twin;    /* two lanes of one instruction issue the very same store */
    bool          payload; /* a volatile read of data that should have come behind the write */
    uint64_t      at;      /* address or offset of the first cell that clashes */
    const RaceBlock *owner; /* shared memory: whose */
} RaceClash;

/* Did a volatile access leave the stamp? */
static inline bool race_is_volatile(const RaceRun *r, Stamp s)
{
    uint32_t instr = r->instr_of[stamp_site(s)];
    return instr != NO_INSTR && opcode_has(r->info->instr[instr].in->op, WORD_volatile);
}

/* race_flags.c */
bool race_has_flags(const Module *m, const Func *kernel);
bool race_tells_host(const Module *m, const Func *kernel); /* are some of them for the system? */
bool race_has_cluster_barrier(const Module *m, const Func *kernel);
/* race_payload.c: a load whose value reaches memory or an address, and no decision. */
bool race_is_payload(const Func *f, const Instr *load);
/* race_guess.c: of each instruction, is it a plain read whose value only a compare-and-swap of the same place is tried with? */
void race_find_guesses(const LaunchInfo *info, bool *guess);
/* race_report.c */
void race_report_beside(RaceRun *r, Findings *found, const Access *a, unsigned lane, bool writes, const HostWork *h);
void race_report(RaceRun *r, Findings *found, const RaceBlock *b, const RaceClash *c);
/* The operation reads what a thread wrote with no proxy fence behind it; what a tensor copy wrote with another swizzle. */
void race_report_proxy(RaceRun *r, Findings *found, const RaceBlock *b, const RaceClash *c);
void race_report_swizzle(RaceRun *r, Findings *found, const RaceBlock *b, const RaceClash *c, unsigned written, unsigned read);
/* A load through the read-only cache comes behind a write of the launch. */
void race_report_read_only(RaceRun *r, Findings *found, const RaceBlock *b, const Access *a, unsigned lane, Stamp me, Stamp write);
/* The block has ended, and nothing says that what s stands for was over. */
void race_report_exit(RaceRun *r, Findings *found, const RaceBlock *b, Stamp s, bool writes, uint64_t at);
/* The launch's findings go to `to`; those that others explain are left out. */
void race_conclude(Findings *to, Findings *from);

#endif
