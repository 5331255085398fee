/* SPDX-License-Identifier: Apache-2.0
 *
 * Which accesses happened before which (PTX manual, memory consistency model).  One RaceBlock per resident block:
 *
 *     program order          an access of the same thread, but for what its asynchronous copies write
 *     now, base              the block's time; what its threads did before base, a barrier of all of them ordered
 *     warp[w].base           likewise for bar.warp.sync of all lanes; warp[w].lane when it named some of them
 *     thread[t].know         what a thread acquired in other ways: named barriers, mbarriers, fences and atomics (race_sync.c)
 *     warp[w].know           likewise for all lanes of a warp
 *     know                   what every thread of the block has acquired
 *
 * That lanes of a warp run together orders nothing, and neither do shuffles and votes: the manual gives ordering to bar.warp.sync only.
 * Time advances at every event that orders something, so that what comes behind it has a later time than what came before. */
#ifndef WW_CHECK_RACE_ORDER_H
#define WW_CHECK_RACE_ORDER_H

#include "check/race/race_clock.h"
#include "check/race/race_shadow.h"
#include "emu/observer.h"

enum { ORDER_BARRIERS = 16, ORDER_COMMITS = 32, ORDER_PRODUCTS = 256, WARPGROUPS = 8, CLUSTER_BLOCKS = 16 };
/* Agents: mbarriers by first use, the last number for all that find no other; products of warpgroups. */
enum { AGENT_WARPGROUP = 1024 - WARPGROUPS, AGENT_MORE = AGENT_WARPGROUP - 1 };

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
    Clock    *know;         /* what all of them have acquired */
    uint32_t  commits;      /* of wgmma */
    Time      commit[ORDER_COMMITS];
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
    bool    fresh;       /* no atomic or volatile write since a fence that released: one that followed a write, or no atomic or
                          * volatile read */
    bool    looked;      /* such a read since the last fence, of more than data */
    bool    wrote;       /* since the last such read */
} ThreadOrder;

typedef struct CopyOrder {   /* of one thread's copies of a CopyKind */
    Time     waited, warp, block; /* copies issued before it have landed, and the thread, its warp, its block know */
    uint32_t commits;
    Time     commit[ORDER_COMMITS]; /* of the last groups */
} CopyOrder;

typedef struct ProductOrder { /* of a warpgroup's wgmma.mma_async: when the first of its warps issued the last ones */
    uint64_t n;
    Time     time[ORDER_PRODUCTS];
} ProductOrder;

typedef struct ProxyOrder { /* fence.proxy.async */
    Time  *thread;  /* the last of each thread; NULL: nobody had one */
    Time   before;  /* what the block did before, somebody knew at such a fence */
    Time  *warp;    /* likewise of one warp */
    Clock *know;    /* and what else was known there */
} ProxyOrder;

typedef struct SyncObject SyncObject;
typedef struct RaceBlock  RaceBlock;

typedef struct ClusterOrder {
    uint64_t   index;
    uint32_t   live;             /* blocks that have not ended */
    RaceBlock *block[CLUSTER_BLOCKS]; /* by rank; NULL: not started, or ended */
    Clock     *arriving, *phase; /* barrier.cluster: released in the running phase, by all phases that are over */
    struct ClusterOrder *next;
} ClusterOrder;

struct RaceBlock {
    uint64_t      index;
    Time          now, base;
    uint32_t      birth, nthreads, nwarps;
    uint32_t      launch;
    WarpOrder    *warp;
    ThreadOrder  *thread;  /* NULL until one is needed */
    CopyOrder    *copy[COPY_KINDS]; uint32_t copiers[COPY_KINDS]; /* likewise; warps that have some */
    ProductOrder *product[WARPGROUPS]; /* likewise */
    ProxyOrder    proxy;
    Clock        *know;
    BarrierOrder  bar[ORDER_BARRIERS];
    SyncObject   *objects; /* in shared memory */
    uint32_t     *agent, nagents; /* offsets of mbarriers by their numbers */
    ClusterOrder *cluster; uint32_t rank; /* NULL: none */
    Time          oldest;  /* of the first block of the cluster */
    bool          met;     /* has read an atomic or a flag: it goes by what others say */
    bool          async, foreign; /* asynchronous operations, threads of other blocks have touched its shared memory */
    uint8_t      *swizzle; /* by 16 bytes: 1 + the swizzle a tensor copy wrote them with; NULL: none did */
    Page         *shared;  uint32_t npages;
    struct RaceLog *log;   /* race_log.h; NULL: none */
    Serials      *serials;
    RaceBlock    *next;
};

/* Contexts are reused: order_start makes one fit for a block. */
RaceBlock *order_new(Serials *s, uint32_t nthreads, uint32_t shared_bytes);
void       order_start(RaceBlock *b, uint64_t index, uint32_t launch);
void       order_end(RaceBlock *b); /* drops what it acquired */
void       order_free(RaceBlock *b);

/* Did the access happen before what `thread` does now?  What is older than floor did.  loose: what relaxed reads have seen counts without a
 * fence.  written: the access wrote. */
bool order_before(const RaceBlock *b, unsigned thread, Stamp s, Time floor, bool loose, bool written);

/* griddepcontrol.wait; has the thread come behind one? */
void order_wait_for_grids(RaceBlock *b, uint32_t warp, uint32_t mask);
/* May somebody have told the block what other launches have done?  Then it, or a block of its cluster, has read an atomic or a flag. */
bool order_has_met(const RaceBlock *b);
bool order_waited_for_grids(const RaceBlock *b, unsigned thread);

void order_tick(RaceBlock *b);
void order_exit(RaceBlock *b, uint32_t warp, uint32_t mask);
void order_warp_sync(RaceBlock *b, uint32_t warp, uint32_t mask);
void order_bar_arrive(RaceBlock *b, uint32_t id, uint32_t warp, uint32_t mask, bool waits);
void order_bar_done(RaceBlock *b, uint32_t id);
/* Will order_bar_done order all threads of the block? */
bool order_bar_is_whole(const RaceBlock *b, uint32_t id);

/* race_sync.c */
ThreadOrder *order_threads(RaceBlock *b); /* makes them */
/* The lanes of a warp have acquired c. */
void order_know(RaceBlock *b, uint32_t warp, uint32_t mask, Clock *c);
/* What the lanes of a warp would release now, in their block or (outside) beyond it; time must have advanced.  A new reference. */
Clock *order_snapshot(const RaceBlock *b, uint32_t warp, uint32_t mask, bool outside);
/* What their last fences release; NULL: nothing. */
Clock *order_fenced(RaceBlock *b, uint32_t warp, uint32_t mask);
void   order_fence(RaceBlock *b, uint32_t warp, uint32_t mask, Sem sem, Scope scope);
/* An atomic or volatile access of an object.  objects: where it is kept. */
void   order_strong(RaceBlock *b, SyncObject **objects, uint64_t key, unsigned thread, bool reads, bool writes, Sem sem, Scope scope);
/* Such a read decides something. */
void   order_look(RaceBlock *b, unsigned thread);
/* The lanes whose next such write is the first behind a fence. */
uint32_t order_publishing(const RaceBlock *b, uint32_t warp, uint32_t mask);
/* A weak write: whoever reads it acquires nothing. */
void   order_weak_write(RaceBlock *b, SyncObject **objects, uint64_t key, unsigned thread);
/* The last read-modify-write of an object behind a fence; 0: none. */
Stamp  order_last(SyncObject *const *objects, uint64_t key);
SyncObject *object_find(SyncObject *const *objects, uint64_t key);
SyncObject *object_make(SyncObject **objects, uint64_t key);
void   object_forget(SyncObject *o); /* whoever reads it acquires nothing */
void   order_drop_objects(SyncObject **objects);
/* A barrier of the whole block has completed: what race_sync.c does about it. */
void   order_sync_block(RaceBlock *b, Time before);
void   order_sync_warp(RaceBlock *b, uint32_t warp, uint32_t mask);
/* Has the thread acquired what t of the block `birth` did before time? */
bool   order_acquired(const RaceBlock *b, unsigned thread, uint32_t birth, unsigned t, Time time, bool loose);

/* race_async.c: mbarriers, what completes at them or in groups, products, the async proxy */
CopyOrder *order_copies(RaceBlock *b, CopyKind kind, uint32_t warp); /* makes them; the warp has some */
/* `owner` is the block whose mbarrier it is. */
void     order_mbarrier_init(RaceBlock *owner, uint32_t off);
void     order_mbarrier_arrive(RaceBlock *b, uint32_t warp, uint32_t mask, RaceBlock *owner, uint32_t off);
void     order_mbarrier_copies(RaceBlock *b, uint32_t warp, uint32_t mask, const uint32_t *off);
void     order_mbarrier_done(RaceBlock *owner, uint32_t off);
void     order_mbarrier_waited(RaceBlock *b, uint32_t warp, uint32_t mask, const uint32_t *off);
unsigned order_agent(RaceBlock *owner, uint32_t off); /* the mbarrier's number */
void     order_commit(RaceBlock *b, uint32_t warp, uint32_t mask, CopyKind kind);
void     order_wait(RaceBlock *b, uint32_t warp, uint32_t mask, CopyKind kind, uint32_t pending); /* ALL_COPIES: every copy */
Time     order_product(RaceBlock *b, uint32_t warp, uint64_t product); /* when it was issued */
void     order_wgmma_commit(RaceBlock *b, uint32_t warp);
void     order_wgmma_wait(RaceBlock *b, uint32_t warp, uint32_t pending);
bool     order_async_before(const RaceBlock *b, unsigned thread, Stamp s, bool written);
/* The same for every thread of the warp; may say no too often. */
bool     order_warp_knows(const RaceBlock *b, uint32_t warp, Stamp s, bool written);
/* What any thread of the block has acquired; a new reference.  Does somebody who knows that, or who issued it, know that s is over? */
Clock   *order_all_known(const RaceBlock *b);
bool     order_known(const RaceBlock *b, const Clock *all, Stamp s, bool written);
void     order_proxy(RaceBlock *b, uint32_t warp, uint32_t mask);
/* Did a fence.proxy.async follow what `writer`'s thread wrote or copied with cp.async, somewhere on the way to b? */
bool     order_proxied(const RaceBlock *b, const RaceBlock *writer, Stamp s);
void     order_async_end(RaceBlock *b);

/* race_cluster.c */
void order_cluster_join(RaceBlock *b, ClusterOrder **list, uint64_t cluster, uint32_t rank);
void order_cluster_leave(RaceBlock *b, ClusterOrder **list);
void order_cluster_arrive(RaceBlock *b, uint32_t warp, uint32_t mask, bool releases);
void order_cluster_done(RaceBlock *b);
void order_cluster_wait(RaceBlock *b, uint32_t warp, uint32_t mask);

#endif
