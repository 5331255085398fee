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
enum { MAX_BARRIERS = 16, MAX_CALL_DEPTH = 4096, MAX_CLUSTER = 16, MAX_STACK_GAPS = 8 };

/* Where the running group stopped: returned by handlers instead of a uop; above every uop's address. */
#define STOP ((const Uop *)UINTPTR_MAX)

typedef enum Event { EVENT_NONE, EVENT_EXIT, EVENT_BARRIER, EVENT_SYNC, EVENT_QUANTUM, EVENT_RESCHEDULE, EVENT_FAULT } Event;

struct Frame {
    Frame      *parent;
    const Uop  *ret;         /* where the caller goes on */
    const Code *code;
    const CallInfo *call;
    uint32_t    alive;       /* lanes that called it here and have not returned */
    uint32_t    guests;      /* lanes that run in it and called the function apart: they return from home[lane] (home.h) */
    Frame     **home;        /* LANES of them; NULL before the first guest, kept when the frame is reused */
    uint32_t    depth;
    uint32_t    local_base, local_top; /* this activation's local memory; top: of the lane that has most */
    uint32_t   *tops;        /* each lane's, LANES of them, where `parted`; kept when the frame is reused */
    bool        parted;      /* lanes have tops of their own: they have used alloca */
    bool        moves;       /* it, or one that it returns to, uses alloca: local_top is of some lanes only */
    uint32_t    ngaps;       /* in it */
    StackGap   *gap;         /* MAX_STACK_GAPS of them; NULL before the first, kept when the frame is reused */
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

typedef struct NativeHelp NativeHelp;
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
    bool     swept;          /* an observer wants to hear of its Sweeps */
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
    bool     spun;           /* it only waited when it last ran, or a seed's order passed its warps over */
    uint32_t waits;          /* so many times in a row */
    bool     changed;        /* it changed a word atomically in its last turn */
    bool     waits_for_registers; /* a warp waits at setmaxnreg.inc */
    EndlessCluster endless;
    Cluster *next;
    struct BulkOp *bulk;     /* copies in flight, in the order of issue (bulk.c) */
    TensorView *maps;        /* tensor maps as its copies see them (tensormap_proxy.c) */
    uint64_t random;         /* 0 = not seeded */
    Block   *block[MAX_CLUSTER];
};

typedef struct Look { /* at a group that may poll (poll.c) */
    bool       on, copied, noting; /* noting: a round under doze_run */
    bool       whole;        /* no other group of the warp was there when it began */
    uint8_t    again;        /* looks that come no later than the last one did */
    const Uop *pc;           /* where it began */
    Frame     *frame;
    uint32_t   mask, blocks;
    uint64_t   changes;
    int64_t    step;         /* instructions to the next one */
    uint8_t   *regs;         /* a copy of the frame's */
    size_t     room;
} Look;

typedef struct Seat { /* of a cluster that waits for its turn */
    Cluster       *cluster;  /* NULL: nobody's */
    bool           asleep;   /* its turn would pass (doze.c) */
    uint8_t        bytes;    /* of the one word that it waits for; 0: they are several */
    uint8_t        passed;   /* turns that were passed over, one after the other */
    const uint8_t *at;
    uint64_t       value;    /* there when it fell asleep */
    uint64_t       stirs;    /* Launch.stirs then */
} Seat;

typedef struct Ring {
    Seat    *seat;
    uint32_t n, room, next;  /* next: whose turn comes */
    uint32_t held;           /* seats that are somebody's */
    uint32_t left;           /* whose seat it was that runs now, if it came from one; else n or more */
} Ring;

typedef struct Lookup { /* by instruction */
    uint64_t base, limit; /* the last allocation that it hit: [base, base + limit] */
    uint64_t last;        /* where native code looked before: the last warp's place, or this one's in the last round */
    uint64_t unused;      /* two in a line of the cache */
} Lookup;

struct Worker {
    Launch    *launch;
    unsigned   index;
    pthread_t  thread;
    uint64_t    *tally;      /* accesses that native code counts itself (jit.h) */
    const Sweep *const *sweep; /* what it tells of at once, by number */
    struct Rest *rest;       /* where nobody wants to hear of these (rest.h) */
    const UopFn *native;     /* by Code.index, or NULL: what runs a function from a uop on with all 32 lanes (jit.h) */
    const NativeHelp *help;  /* what that asks of the emulator */
    int64_t    entered;      /* the running warp's quantum when native code took it */
    Warp      *running;      /* whose turn it is: native code goes from warp to warp at barriers (turn.c) */
    uint32_t   follow;       /* warps behind it that may still run in this pass of the block */
    bool       met;          /* all threads of the block have met at a barrier: the next pass begins, with the first warp */
    Warp    *(*next)(Warp *w); /* its turn has ended at a barrier: that of the one behind it begins, which native code goes on with */
    /* the running warp's last event */
    Event      event;
    bool       sync_ops;     /* the running group used an atomic that gives something back, a volatile or acquiring access since its quantum began */
    uint64_t  *executed, *lanes; /* by block head: indexed by the instruction id of the block's first instruction */
    uint64_t  *parted;       /* by instruction id: groups that lanes of a warp parted into there, beyond the first */
    Lookup    *lookup;       /* by instruction id */
    void     **observer;     /* states, by observer */
    void     (*only_access)(void *state, const Access *a); /* when there is one observer: its access, which wants all that is observed */
    Frame    **free_frames;  /* by Code.index */
    Frame     *made_frames;
    Block     *idle_blocks;  /* contexts to reuse */
    Cluster   *idle_clusters;
    Ring       ring;         /* those it holds and does not run (ring.c) */
    uint64_t   spent;        /* warp instructions since the limits were looked at */
    uint64_t   compiled;     /* those that native code paid for */
    uint32_t   ended;        /* blocks since then */
    uint64_t   done;         /* the same, of clusters that have been released */
    struct { uint64_t next, end; } claim; /* clusters that it alone begins, by order */
    bool       place;        /* one of Launch.holding is its, for the next cluster */
    uint64_t   clock_reads;  /* of this launch */
    EndlessWorker endless;
    int64_t    granted;      /* instructions of a quantum in this turn */
    Look       look;
    Fault      fault;        /* of the cluster that runs */
    uint64_t   fault_order;  /* Block.order of the block that it is in */
    bool       faulted;
    PoisonLanes *poison;     /* not NULL: poison is tracked */
    uint8_t     *poison_kind; /* of each instruction, once it was looked at (poison_step.c) */
    Fault     *described;    /* what the last fault_access or fault_passed filled in; NULL: it was told already */
    KeptFault *kept;         /* see EmuResult */
    size_t     nkept;
    uint32_t   skip;         /* lanes to leave out of the instruction that runs: their fault was kept */
    uint64_t   skipped;      /* since the last cluster began */
    /* for pauses: rounds without progress; counted as waiting; has no blocks any more */
    unsigned   idle;
    bool       waits, left;
};

typedef struct Sample { /* run/sample.h; the lock is held where it changes or clusters are taken */
    bool        on;          /* only some clusters run */
    SampleWhole whole;
    uint64_t   *place;       /* the clusters in the order in which they begin; NULL: never sampled */
    uint64_t    first, begun; /* the first ones of the grid; how many had begun when all were to run */
    uint64_t    end[1 + SAMPLE_BATCHES]; /* in `place`, of each round */
    uint32_t    rounds, round; /* round: opened so far */
} Sample;

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
    uint32_t        shared_room;  /* the same in whole units of the card's allocation */
    uint32_t        local_bytes;
    uint32_t        registers;    /* of a thread at its start, for setmaxnreg; 0: not known (maxnreg.c) */
    uint64_t        nclusters;
    uint64_t        next_cluster; /* atomic */
    uint64_t        from;         /* the first cluster that runs here (EmuLaunch.rank) */
    uint64_t        last;         /* atomic: so many clusters begin in this round */
    Sample          sample;
    uint64_t        spent;        /* atomic: warp instructions so far */
    uint64_t        compiled;     /* atomic: those that native code paid for */
    uint64_t        fault_order;  /* atomic minimum of Block.order; UINT64_MAX = none */
    int             aborted;      /* atomic: a limit was reached */
    uint32_t        per_worker;   /* clusters a worker may hold */
    uint64_t        resident;     /* clusters that the card holds at once */
    uint64_t        holding;      /* atomic: clusters that all workers hold */
    uint64_t        done;         /* atomic: blocks that have ended */
    bool            telling;      /* atomic: a worker is in on_progress */
    bool            somebody_waits; /* a cluster was set aside because it only waited */
    bool            asked_fit;    /* EmuLaunch.fit; under the lock */
    unsigned        thread_registers; /* by which `resident` is limited; 0: it is not */
    uint64_t        epoch;        /* atomic: changes so far that waiting blocks may see (endless.c) */
    bool            watched;      /* atomic: somebody looks at it; until then blocks that begin and end do not count */
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
    bool            orders;  /* atomic: a block made a stream wait for an event */
    unsigned        nworkers;
    Worker         *worker;
    NativeSet      *native;       /* NULL: the interpreter runs all of it (jit.h) */
    uint64_t        stirs;        /* LaunchInfo.stirs */
    bool            watches_texels; /* an observer wants ACCESS_TEXTURE */
    bool            watches_tops;   /* an observer wants Access.top */
    bool            gaps;         /* an alloca has left some (StackGap); atomic */
    bool            watches_sync; /* an observer wants SyncEvents */
    bool            watches_async; /* an observer wants AsyncAccesses */
};

/* Is u that control operation? */
static inline bool uop_is(const Launch *l, const Uop *u, Ctl which) { return u->fn == l->dev->ctl[which]; }

#endif
