/* SPDX-License-Identifier: Apache-2.0
 *
 * Asynchronous copies in flight, and what lowering tells their handlers (async.c, mbarrier.c). */
#ifndef WW_EMU_ASYNC_H
#define WW_EMU_ASYNC_H

#include "emu/core/program.h"
#include "emu/core/run.h"

typedef struct CopyInfo { /* cp.async; Uop a: destination, b: source */
    MemInfo dst, src;
    Slot    size;   /* bytes to read; the rest is zero.  NO_SLOT: all */
    Slot    ignore; /* predicate: read nothing.  NO_SLOT: never */
    bool    ignore_neg;
} CopyInfo;

/* A block starts anew: nothing is in flight. */
void async_reset(Warp *w);
/* Has the warp copies that have not landed? */
bool async_under_way(const Warp *w);
void async_free(Warp *w);
/* The lanes in w->mask: an arrival at the mbarrier at `offset` once their copies issued so far have landed. */
void async_arrive_later(Warp *w, uint32_t lane, uint32_t offset);
/* Somebody looks at the mbarrier: what its deferred arrivals wait for lands now. */
void async_settle(Block *b, uint32_t offset);
/* mbarrier.c: one arrival, by a copy; bytes of transactions done, NULL or what is wrong. */
void        mbarrier_copy_arrives(Block *b, uint32_t offset);
const char *mbarrier_copy_completes(Block *b, uint32_t offset, uint32_t bytes);

/* What the first lane of w->mask looks for with the mbarrier.test_wait or .try_wait at u; false: a fault was raised. */
typedef struct MbarrierWait {
    Block   *block;
    uint32_t offset, parity;  /* of the phase that must be over */
    uint32_t phase, pending;  /* of the running phase: its parity, arrivals it lacks */
    int32_t  tx;              /* bytes of transactions it lacks */
} MbarrierWait;
bool mbarrier_waits(Warp *w, const Uop *u, MbarrierWait *out);

#endif
