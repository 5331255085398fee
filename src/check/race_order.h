/* SPDX-License-Identifier: Apache-2.0
 *
 * Which accesses happened before which (PTX manual, memory consistency model).  One RaceBlock per resident block:
 *
 *     program order          an access of the same thread, but for what its asynchronous copies write
 *     now, base              the block's time; what its threads did before base, a barrier of all of them ordered
 *     warp[w].base           likewise for bar.warp.sync of all lanes; warp[w].lane when it named some of them
 *     thread[t].know         what a thread acquired in other ways: named barriers, mbarriers, fences and atomics (race_sync.c)
 *     know                   what every thread of the block has acquired
 *
 * That lanes of a warp run together orders nothing, and neither do shuffles and votes: the manual gives ordering to bar.warp.sync only.
 * Time advances at every event that orders something, so that what comes behind it has a later time than what came before. */
#ifndef WW_CHECK_RACE_ORDER_H
#define WW_CHECK_RACE_ORDER_H

#include "check/race_clock.h"
#include "check/race_shadow.h"
#include "emu/observer.h"

enum { CLUSTER_BARRIER = 16, ORDER_BARRIERS = 17, ORDER_COMMITS = 32 }; /* 0 to 15: of the block; the cluster's, as far as the block goes */

typedef struct SerialInfo {
    uint32_t birth;  /* the first serial of the same block */
    uint32_t launch;
    uint64_t block;
} SerialInfo;

/* Hands out serials and says whose they are.  Thread-safe. */
typedef struct Serials Serials;
Serials          *serials_new(void);
void              serials_free(Serials *s);
Time              serials_floor(const Serials *s); /* no block has had a time at or above it yet */
const SerialInfo *serials_info(const Serials *s, uint32_t serial);
/* Starts from 1 again; only while no launch runs. */
void              serials_reset(Serials *s);
bool              serials_scarce(const Serials *s); /* half are used up */

typedef struct WarpOrder {
    Time      base;
    Time    (*lane)[LANES]; /* lane[i][j]: what lane i knows of lane j; NULL: only base */
    uint32_t  threads;      /* lanes that exist and have not exited */
} WarpOrder;

typedef struct BarrierOrder {
    uint32_t *waiting, *passing; /* by warp: lanes that wait, lanes that only arrived */
    Clock    *passed;            /* what the latter released */
} BarrierOrder;

typedef struct ThreadOrder {
    Clock  *know;
    Clock  *pending;     /* came with relaxed reads; a fence acquires it */
    Clock  *released;    /* what the last fence releases, made when a write needs it */
    Clock  *fence_know;  /* as they were at the fence */
    Clock  *fence_all;
    Time    fence, fence_base, fence_warp; /* fence = 0: none yet */
    uint8_t fence_scope;
    bool    fresh;       /* no atomic or volatile write since a fence that released: one that followed no atomic or volatile read */
    bool    looked;      /* such a read since the last fence */
} ThreadOrder;

typedef struct CopyOrder {   /* of one thread's cp.async */
    Time     waited, warp, block; /* copies issued before it have landed, and the thread, its warp, its block know */
    uint32_t commits;
    Time     commit[ORDER_COMMITS]; /* of the last groups */
} CopyOrder;

typedef struct SyncObject SyncObject;

typedef struct RaceBlock {
    uint64_t      index;
    Time          now, base;
    uint32_t      birth, nthreads, nwarps;
    uint32_t      launch;
    WarpOrder    *warp;
    ThreadOrder  *thread;  /* NULL until one is needed */
    CopyOrder    *copy;    /* likewise */
    Clock        *know;
    BarrierOrder  bar[ORDER_BARRIERS];
    SyncObject   *objects; /* in shared memory */
    Page         *shared;  uint32_t npages;
    Serials      *serials;
    struct RaceBlock *next;
} RaceBlock;

/* Contexts are reused: order_start makes one fit for a block. */
RaceBlock *order_new(Serials *s, uint32_t nthreads, uint32_t shared_bytes);
void       order_start(RaceBlock *b, uint64_t index, uint32_t launch);
void       order_end(RaceBlock *b); /* drops what it acquired */
void       order_free(RaceBlock *b);

/* Did the access happen before what `thread` does now?  What is older than floor did.  loose: what relaxed reads have seen counts without a fence. */
bool order_before(const RaceBlock *b, unsigned thread, Stamp s, Time floor, bool loose);

void order_tick(RaceBlock *b);
void order_exit(RaceBlock *b, uint32_t warp, uint32_t mask);
void order_warp_sync(RaceBlock *b, uint32_t warp, uint32_t mask);
void order_bar_arrive(RaceBlock *b, uint32_t id, uint32_t warp, uint32_t mask, bool waits);
void order_bar_done(RaceBlock *b, uint32_t id);

/* race_sync.c */
ThreadOrder *order_threads(RaceBlock *b); /* makes them */
CopyOrder   *order_copies(RaceBlock *b);
/* What the lanes of a warp would release now, in their block or (outside) beyond it; time must have advanced.  A new reference. */
Clock *order_snapshot(const RaceBlock *b, uint32_t warp, uint32_t mask, bool outside);
void   order_fence(RaceBlock *b, uint32_t warp, uint32_t mask, Sem sem, Scope scope);
/* An atomic or volatile access of an object.  objects: where it is kept. */
void   order_strong(RaceBlock *b, SyncObject **objects, uint64_t key, unsigned thread, bool reads, bool writes, Sem sem, Scope scope);
/* The lanes whose next such write is the first behind a fence. */
uint32_t order_publishing(const RaceBlock *b, uint32_t warp, uint32_t mask);
/* A weak write: whoever reads it acquires nothing. */
void   order_weak_write(SyncObject **objects, uint64_t key);
void   order_mbarrier_init(RaceBlock *b, uint32_t off);
void   order_mbarrier_arrive(RaceBlock *b, uint32_t warp, uint32_t mask, const uint32_t *off);
void   order_mbarrier_copies(RaceBlock *b, uint32_t warp, uint32_t mask, const uint32_t *off);
void   order_mbarrier_done(RaceBlock *b, uint32_t warp, uint32_t mask, const uint32_t *off);
void   order_commit(RaceBlock *b, uint32_t warp, uint32_t mask);
void   order_wait(RaceBlock *b, uint32_t warp, uint32_t mask, uint32_t pending); /* ALL_COPIES: every copy */
void   order_drop_objects(SyncObject **objects);
/* A barrier of the whole block has completed: what race_sync.c does about it. */
void   order_sync_block(RaceBlock *b, Time before);
void   order_sync_warp(RaceBlock *b, uint32_t warp, uint32_t mask);
bool   order_copy_before(const RaceBlock *b, unsigned thread, Stamp s);
/* Has the thread acquired what t of the block `birth` did before time? */
bool   order_acquired(const RaceBlock *b, unsigned thread, uint32_t birth, unsigned t, Time time, bool loose);

#endif
