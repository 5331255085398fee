/* SPDX-License-Identifier: Apache-2.0
 *
 * Races between launches, and between launches and what the host asks for (copies, fills, allocations and releases in a stream's order),
 * where streams do not order them.
 *
 * Every launch has a note: where it stands in the host's queues (WorkOrder, check.h) and, once it has ended, the source places behind the
 * sites of its stamps, so that a later launch can show them as its other end.  Copies and fills leave no stamps: they are ranges in a list,
 * as long as something submitted later may not know of them. */
#ifndef WW_CHECK_RACE_WORK_H
#define WW_CHECK_RACE_WORK_H

#include "check/check.h"
#include "check/race/race_order.h"

typedef struct Works Works;
struct RaceRun;

typedef struct HostWork { /* a copy or a fill; an allocation or a release, which count as writes */
    uint64_t from, to;    /* addresses */
    bool     writes;
    MemoryKind kind;
    uint32_t queue, count;
    uint32_t part;        /* for the keys of findings */
    void    *call;        /* MemoryEvent.call */
    void   (*host)(WwFinding *f, void *call); /* MemoryEvent.host; NULL: no place */
    const WwFindingEnd *asked; /* that call as the other end of a finding; NULL: it is not known, or nobody wanted it yet */
} HostWork;

typedef struct Handed { /* a place where a kernel launches another one: its parameters' memory is asked for */
    uint64_t serial, block, buffer; /* as in LaunchOrigin */
    uint32_t launch, birth;         /* of that kernel, and of its block */
    Time     began, at;             /* that launch; what its block does later has a later time */
    bool     flags;                 /* its blocks may wait for each other */
} Handed;

Works *works_new(void);
void   works_free(Works *w);
/* A launch begins.  What was done before the result happened before it. */
Time   works_begin(Works *w, const struct RaceRun *r, const CheckLaunch *l, uint32_t launch, Time now);
/* Did that launch happen before (or after) what the thread does now?  weak: neither of the two accesses is atomic or volatile. */
bool   works_before(const Works *w, const struct RaceRun *me, uint32_t launch, const RaceBlock *b, unsigned thread, bool weak);
/* race_handed.c.  Does the module launch kernels? */
bool   handed_possible(const Module *m);
/* A block asks for memory of the device-side heap, perhaps for the parameters of a launch.  By one thread at a time. */
void   handed_note(Works *w, const struct RaceRun *r, RaceBlock *b, uint64_t buffer);
/* Where this launch was made; false: the host made it, it begins behind its parent, or nobody knows. */
bool   handed_find(const Works *w, const CheckLaunch *l, Handed *out);
/* Were both launched by one kernel, which nothing orders with each other? */
bool   works_siblings(const Works *w, const struct RaceRun *me, uint32_t launch);
bool   works_same_stream(const Works *w, const struct RaceRun *me, uint32_t launch);
/* It has ended: keeps the places of its sites. */
void   works_end(Works *w, const struct RaceRun *r, const CheckLaunch *l, uint32_t launch);
/* What it read of constants meets copies and fills that nothing orders with it, and is kept for those that come; adds its findings. */
void   works_constants(Works *w, const struct RaceRun *r, const CheckLaunch *l, Findings *found);
/* Numbers of launches begin anew; everything so far happened before. */
void   works_reset(Works *w);
/* Copies and fills that nothing orders with the launch, malloc; *n of them, and what asked for them. */
HostWork *works_beside(Works *w, const WorkOrder *me, size_t *n);
/* The other end of a clash: what that launch did at that site.  Fields that are not known are 0. */
WwFindingEnd works_end_of(const Works *w, uint32_t launch, unsigned site, unsigned thread, uint64_t block);
/* The host copied or filled: looks at earlier launches and at other such work. */
void   works_host(Works *w, const MemoryEvent *e, Shadow *shadow, const Serials *serials);
/* The host's own code sees that memory by itself: who wrote atomically there may speak to it.  Asked before works_uses. (race_host.c) */
void   works_shown(Works *w, uint64_t from, uint64_t to, const WorkOrder *host, Shadow *shadow, const Serials *serials);
/* Does work that the host has not waited for write there, or read what it would write? */
MemoryUse works_uses(Works *w, uint64_t from, uint64_t to, bool writes, const WorkOrder *host, Shadow *shadow,
                     const Serials *serials);
/* The program's own code touched memory: a finding where such work uses it; a kernel may speak to the host there. */
void   works_touched(Works *w, const MemoryEvent *e, Shadow *shadow, const Serials *serials);
/* It destroys a texture object: a finding where such work reads through it. */
void   works_unbound(Works *w, const MemoryEvent *e, Shadow *shadow, const Serials *serials);
/* Memory was freed. */
void   works_forget(Works *w, uint64_t address, uint64_t bytes);
const WwFinding *works_pending(Works *w, size_t *n);
/* What it is and does, in words. */
const char *works_noun(const HostWork *h);
const char *works_verb(const HostWork *h);

#endif
