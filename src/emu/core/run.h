/* SPDX-License-Identifier: Apache-2.0
 *
 * What exists while a launch runs: Launch (shared by the workers), Worker (one host thread), Block (resident), Frame (one call).
 * The blocks of a cluster (of one block, where the launch has no clusters) are resident together and belong to one worker from
 * their start to the end of the last of them, so only Launch fields and device memory are shared between threads. */
#ifndef WW_EMU_RUN_H
#define WW_EMU_RUN_H

#include <time.h>

#include "base/str.h"
#include "emu/core/endless.h"
#include "emu/core/pause.h"
#include "emu/core/program.h"
#include "emu/core/warp.h"

#define NO_SLOT UINT32_MAX
enum { MAX_BARRIERS = 16, MAX_CALL_DEPTH = 4096, MAX_CLUSTER = 16 };

/* Where the running group stopped: returned by handlers instead of a uop; above every uop's address. */
#define STOP ((const Uop *)UINTPTR_MAX)

typedef enum Event { EVENT_NONE, EVENT_EXIT, EVENT_BARRIER, EVENT_SYNC, EVENT_QUANTUM, EVENT_RESCHEDULE, EVENT_FAULT } Event;

struct Frame {
    Frame      *parent;
    const Uop  *ret;         /* where the caller goes on */
    const Code *code;
    const CallInfo *call;
    uint32_t    alive;       /* lanes that have not returned */
    uint32_t    depth;
    uint32_t    local_base, local_top; /* this activation's local memory */
    uint8_t    *regs;        /* frame_bytes, 64-byte aligned */
    uint8_t    *shadow;      /* poison.h; NULL: nothing in it is poisoned */
    uint32_t   *origin;
    uint8_t    *marks;       /* one for each 64 bytes of the frame: 0 where the shadow is clean */
    uint8_t    *shadow_memory; /* what the three lie in, kept when the frame is reused */
    Frame      *next_free;
    Frame      *next_made;   /* every frame of the worker, until the launch ends */
};

typedef struct Barrier {
    uint32_t arrived;        /* threads */
    uint32_t expected;       /* threads; 0 = all that live */
    uint32_t acc_or, acc_and, acc_popc; /* of the running generation */
    uint32_t res_or, res_and, res_popc; /* of the completed one */
} Barrier;

typedef struct Cluster    Cluster;
typedef struct TensorView TensorView;

typedef struct Printed {
    uint64_t order;
    Str      text;
} Printed;

struct Block {
    Launch  *launch;
    Cluster *cluster;
    uint64_t index;          /* linear */
    uint64_t order;          /* in which blocks are started */
    uint32_t id[3];
    uint32_t rank;           /* in its cluster */
    bool     ended;          /* all threads have exited; the cluster has not */
    uint32_t nwarps, threads, live; /* live: threads that have not exited */
    bool     progress;       /* a barrier completed, a thread exited or a warp computed in this pass */
    uint32_t passes;         /* counted by the stress build */
    uint32_t pending;        /* barriers that threads wait at: bit = number */
    Warp    *warp;           /* nwarps */
    Barrier  bar[MAX_BARRIERS];
    uint8_t *shared, *local;
    uint8_t *proxy;          /* NULL, or the async proxy's view of shared (bulk.c) */
    Str      printed;
    Block   *next;
};

/* Blocks that are resident together and see each other's shared memory (cluster.c). */
struct Cluster {
    Launch  *launch;
    uint64_t index, order;   /* in the grid; in which clusters start */
    uint32_t n, ended;       /* blocks */
    uint32_t live;           /* threads that have not exited */
    uint32_t arrived;        /* of them, at the running phase of barrier.cluster */
    uint32_t phase;          /* of barrier.cluster: how many have completed */
    uint32_t stalls;         /* times in a row that all waited for an mbarrier and nothing happened */
    bool     progress;       /* of any of its blocks */
    bool     spun;           /* it only waited when it last ran */
    bool     waits_for_registers; /* a warp waits at setmaxnreg.inc */
    EndlessCluster endless;
    Cluster *next;
    struct BulkOp *bulk;     /* copies in flight, in the order of issue (bulk.c) */
    TensorView *maps;        /* tensor maps as its copies see them (tensormap_proxy.c) */
    uint64_t random;         /* 0 = not seeded */
    Block   *block[MAX_CLUSTER];
};

typedef struct Lookup { uint64_t base, limit; } Lookup; /* last allocation an instruction hit: [base, base + limit] */

struct Worker {
    Launch    *launch;
    unsigned   index;
    pthread_t  thread;
    /* the running warp's last event */
    Event      event;
    bool       sync_ops;     /* the running group used an atomic, volatile or acquiring access since its quantum began */
    uint64_t  *executed, *lanes; /* by block head: indexed by the instruction id of the block's first instruction */
    Lookup    *lookup;       /* by instruction id */
    void     **observer;     /* states, by observer */
    void     (*only_access)(void *state, const Access *a); /* when there is one observer: its access, which wants all that is observed */
    Frame    **free_frames;  /* by Code.index */
    Frame     *made_frames;
    Block     *idle_blocks;  /* contexts to reuse */
    Cluster   *idle_clusters;
    Cluster   *ring;         /* those it holds, circular: the last one in; ring->next is the next to run */
    uint64_t   spent;        /* warp instructions since the limits were looked at */
    uint32_t   ended;        /* blocks since then */
    uint64_t   clock_reads;  /* of this launch */
    EndlessWorker endless;
    int64_t    granted;      /* instructions of a quantum in this turn */
    Fault      fault;        /* of the cluster that runs */
    uint64_t   fault_order;  /* Block.order of the block that it is in */
    bool       faulted;
    PoisonLanes *poison;     /* not NULL: poison is tracked */
    uint8_t     *poison_kind; /* of each instruction, once it was looked at (poison_step.c) */
    KeptFault *kept;         /* see EmuResult */
    size_t     nkept;
    uint32_t   skip;         /* lanes to leave out of the instruction that runs: their fault was kept */
    uint64_t   skipped;      /* since the last cluster began */
    /* for pauses: rounds without progress; counted as waiting; has no blocks any more */
    unsigned   idle;
    bool       waits, left;
};

struct Launch {
    EmuDevice      *dev;
    EmuModule      *em;
    Program        *prog;
    const EmuLaunch *ask;
    uint8_t        *params;  /* host view of the parameter block */
    uint32_t        param_bytes;
    uint32_t        grid[3], block[3], threads, nwarps;
    uint32_t        cluster[3], cluster_blocks; /* blocks of a cluster; 1 without clusters */
    bool            explicit_cluster; /* the launch or the kernel names its clusters */
    uint32_t        shared_bytes; /* window size: reserved + static + dynamic */
    uint32_t        local_bytes;
    uint32_t        registers;    /* of a thread at its start, for setmaxnreg; 0: not known (maxnreg.c) */
    uint64_t        nclusters;
    uint64_t        next_cluster; /* atomic */
    uint64_t        spent;        /* atomic: warp instructions so far */
    uint64_t        fault_order;  /* atomic minimum of Block.order; UINT64_MAX = none */
    int             aborted;      /* atomic: a limit was reached */
    uint32_t        per_worker;   /* clusters a worker may hold */
    uint64_t        resident;     /* clusters that the card holds at once */
    uint64_t        holding;      /* atomic: clusters that all workers hold */
    bool            somebody_waits; /* a cluster was set aside because it only waited */
    bool            asked_fit;    /* EmuLaunch.fit; under the lock */
    unsigned        thread_registers; /* by which `resident` is limited; 0: it is not */
    uint64_t        epoch;        /* atomic: changes so far that waiting blocks may see (endless.c) */
    uint64_t        random;       /* 0: the plain order (schedule.h) */
    struct { uint64_t first, step; } start; /* which cluster starts when */
    uint32_t        together;     /* clusters that take turns */
    bool            apart;        /* lanes need not meet those that have waited */
    struct timespec started;
    pthread_mutex_t lock;         /* fault, output order */
    Pause           pause;
    Fault           fault;
    struct Printed *printed;      /* output of blocks that printed, delivered in block order at the end */
    size_t          nprinted, printed_cap;
    EmuChild       *child;   /* work that blocks handed to the device, in the order of time */
    size_t          nchild, child_cap;
    TensorView     *maps;    /* tensor maps that it has changed; under the lock (tensormap_proxy.c) */
    uint64_t        streams; /* atomic: streams and events that blocks made */
    unsigned        nworkers;
    Worker         *worker;
    bool            watches_sync; /* an observer wants SyncEvents */
    bool            watches_async; /* an observer wants AsyncAccesses */
    bool            may_wait;     /* the program has instructions that can wait for another block */
};

/* Is u that control operation? */
static inline bool uop_is(const Launch *l, const Uop *u, Ctl which) { return u->fn == l->dev->ctl[which]; }

/* fault.c: records a fault of the running block and returns STOP.  lane: the first lane that showed it. */
const Uop *fault_raise(Warp *w, const Uop *u, FaultKind kind, unsigned lane, uint32_t lanes, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));
/* The same, of an access to global memory. */
const Uop *fault_at(Warp *w, const Uop *u, FaultKind kind, unsigned lane, uint32_t lanes, uint64_t address, uint64_t bytes, const char *fmt, ...)
    __attribute__((format(printf, 8, 9)));
const Uop *fault_access(Warp *w, const Uop *u, Space space, unsigned lane, uint32_t lanes, uint64_t address, uint64_t bytes,
                        AccessOp op);

/* A copy of `bytes` bytes that leaves its allocation in global memory, or shared memory. */
const Uop *fault_bulk(Warp *w, const Uop *u, Space space, unsigned lane, uint64_t address, uint64_t bytes);
/* "'variable' + 8", where an offset of shared memory is */
void fault_shared_name(const Warp *w, uint32_t offset, Str *out);

/* The same for what a card lets pass: kept, and the launch goes on.  Global: the access is one that EmuLaunch.granular or paged lets pass;
 * shared: an arrival at an mbarrier of a block that has exited. */
void fault_passed(Warp *w, const Uop *u, Space space, unsigned lane, uint64_t address, uint64_t bytes, AccessOp op);
/* The same in words of the caller, of what is not an access. */
void fault_let_pass(Warp *w, const Uop *u, FaultKind kind, unsigned lane, const char *text);
/* What a handler returns after a fault of one of its lanes: STOP, or, where the fault was kept, what follows when the instruction has run
 * for the other lanes. */
const Uop *fault_others(Warp *w, const Uop *u);
/* Joins a worker's kept faults into the result. */
void fault_join(EmuResult *r, Worker *k);

/* notify.c: tells several observers of an access: those that want it. */
void access_notify_all(Warp *w, const Access *a);
/* notify.c: tells the observers; callers look at Launch.watches_sync first.  Fills in what every event has (u may be NULL). */
void sync_notify(Warp *w, const Uop *u, SyncEvent e);
void block_notify_start(const Block *b, Worker *k);
void async_notify(Warp *w, const Uop *u, AsyncAccess a); /* callers look at Launch.watches_async first */
#define NOTIFY_SYNC(w, u, ...)                                         \
    do {                                                               \
        if (__builtin_expect((w)->block->launch->watches_sync, 0))     \
            sync_notify(w, u, (SyncEvent){__VA_ARGS__});               \
    } while (0)
/* frame.c */
Frame *frame_new(Worker *k, const Code *code);
void   frame_free(Worker *k, Frame *f);

/* block.c */
Block *block_new(Worker *k, Cluster *c, uint32_t rank); /* reuses a context the worker has */
/* Gives every warp one turn; false if nobody could run.  A fault ends it at once. */
bool block_pass(Block *b, Worker *k);
void block_stop(Block *b, Worker *k);    /* after a fault or a limit: gives up its frames */
/* Its threads have all exited (or it was stopped): observers are told, what it printed is kept. */
void block_ended(Worker *k, Block *b);
void block_release(Block *b, Worker *k); /* gives the context back */
void block_destroy(Block *b);

/* barrier.c */
/* Completes barriers whose last thread has arrived or exited; true if any did. */
bool block_check_barriers(Block *b);

/* maxnreg.c */
/* Registers that a thread begins with; 0: the assembler ignores setmaxnreg. */
uint32_t maxnreg_at_entry(const Func *f, uint32_t largest_inc);
/* Who waits for registers that are there now goes on. */
void maxnreg_wake(Cluster *c);
/* The warp waits at u for registers that never come. */
void maxnreg_explain(Warp *w, const Uop *u);
/* A fault when the block's warps misused setmaxnreg. */
void maxnreg_block_ended(Block *b);

/* cluster.c */
/* The one that starts as the order-th. */
Cluster *cluster_new(Worker *k, uint64_t order);
/* Gives every block of it a pass.  true when all have ended, or one has faulted: k->fault then names the block. */
bool cluster_pass(Cluster *c, Worker *k);
void cluster_release(Cluster *c, Worker *k);
/* A thread has exited, in the running warp. */
void cluster_exit(Warp *w, uint32_t lanes);
/* Nobody can run, or everybody waits for an mbarrier in vain: raises the fault that says who waits for what (hang.c). */
void hang_explain(Cluster *c, Worker *k);

/* group.c */
/* Puts a waiting group; used by the handlers that split lanes. */
void warp_put(Warp *w, const Uop *pc, Frame *frame, uint32_t mask);
/* Groups of the block in that state go on; false if there was none. */
bool group_release(Block *b, GroupState state);
/* An mbarrier of the block has completed a phase: who waits for one looks again. */
void block_wake_mbarrier(Block *b);

/* warp.c */
/* One turn: runs groups until none can go on or the quantum is spent.  false if none could run. */
bool warp_run(Warp *w);
/* Recomputes w->merge for the running frame. */
void warp_set_merge(Warp *w);
/* stop.c: the launch ends with that fault, the first one to stop it.  c: a cluster that has not ended, whose threads the fault names; or NULL. */
void launch_stop(Launch *l, const Cluster *c, FaultKind kind, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* The launch, all of whose workers rest, never ends. */
void launch_stop_endless(Launch *l);
/* launch.c: adds the instructions spent since the last call to the launch's total and checks its limits; false = stop. */
bool launch_check_limits(Worker *k, const Cluster *c);

#endif
