/* SPDX-License-Identifier: Apache-2.0
 *
 * A warp while it runs.  Lanes that have the same program counter and the same call frame form a Group; one group runs at a time
 * (its mask is w->mask, its frame w->r).  Scheduling is by thread frontier: code is laid out so that every block stands before the blocks
 * where its paths meet again; the runnable group with the deepest call and the smallest pc runs until it reaches the pc of a waiting group
 * (w->merge), so lanes meet again at the immediate post-dominator.  At branches where ways come together before that one, lanes keep apart as a
 * card's do (apart.h).  A group that spends its quantum lets the others go first: no lane
 * starves. */
#ifndef WW_EMU_WARP_H
#define WW_EMU_WARP_H

#include "emu/core/code.h"
#include "emu/emu.h"

typedef struct Block  Block;
typedef struct Worker Worker;
typedef struct Frame  Frame;
typedef struct Doze   Doze;

/* GROUP_CLUSTER: at barrier.cluster.wait.  GROUP_MBARRIER: behind a look at an mbarrier whose phase is not over, until one of the block's
 * completes a phase or nobody in the cluster can run.  GROUP_GRID: at griddepcontrol.wait.  GROUP_REGISTERS: at setmaxnreg.inc. */
typedef enum GroupState {
    GROUP_READY, GROUP_BARRIER, GROUP_SYNC, GROUP_CLUSTER, GROUP_MBARRIER, GROUP_WGMMA, GROUP_GRID, GROUP_REGISTERS
} GroupState;

typedef struct Group {
    const Uop *pc;
    Frame     *frame;
    uint32_t   mask;
    uint8_t    state;    /* GroupState */
    uint8_t    barrier;  /* GROUP_BARRIER: which */
    uint16_t   nap;      /* turns for which it is passed over (schedule.c) */
    bool       parted;   /* it waits since a branch at which lanes keep apart (apart.h) */
    bool       still;    /* it has not run since its warp's state was kept (endless.c) */
    uint32_t   depth;    /* call depth of frame */
    uint32_t   need;     /* GROUP_SYNC: member mask it waits for */
    uint32_t   turn;     /* quanta its lanes have spent waiting in a loop: fewest first */
    uint32_t   put;      /* when it began to wait: Warp.puts */
} Group;

/* A side of a branch (apart.h): the lanes that went there and have not come to where its sides meet. */
typedef struct Apart {
    const Uop *meets; /* NULL: nowhere */
    Frame     *frame;
    uint32_t   mask;
} Apart;
enum { MOST_APARTS = 2 * LANES };

struct Warp {
    /* ---- of the block that runs: all of it is zero when a block begins (block.c), so nothing can be forgotten there ---- */
    /* hot: read by every handler */
    uint8_t   *r;        /* current frame: slots are r + Slot */
    uint32_t   mask;     /* lanes that execute */
    uint32_t   live;     /* lanes that have not exited; a result may be written to any lane outside it */
    const Uop *merge;    /* stop before the first uop at or behind this one */
    uint32_t   late;     /* lanes that write after the others where several write one place (WRITE_ORDER) */
    int64_t    quantum;  /* instructions left in this turn */
    int64_t    floor;    /* when so many are left, somebody looks whether it polls (poll.c) */
    bool       polls;    /* it did when it was last looked at */
    uint32_t   asleep;   /* lanes of a group that sleeps until what it reads has changed (doze.c) */
    uint8_t   *shared;   /* host address of the block's shared window */
    uint32_t   shared_bytes;
    uint32_t   shared_base; /* where that window begins in the cluster's: rank << CLUSTER_SHIFT */
    Worker    *worker;
    Block     *block;
    Frame     *frame;
    const Uop *pc;       /* where to go on, set by a handler that returns STOP */
    uint32_t   lean;     /* not 0: native code goes on with the running or only group at its segment lean - 1 (jit/help.h) */
    uint32_t   turn;
    uint32_t   starts;   /* short turns it has had */
    uint64_t   spent;    /* instructions in the turns that it has had */
    uint64_t   alone;    /* instructions that one group has computed while others were ready */
    uint32_t   at_cluster;    /* lanes that arrived at barrier.cluster and have not waited */
    uint32_t   cluster_phase; /* the parity of the phase they arrived in */
    uint32_t   runtime_error[LANES]; /* of the device runtime: the thread's last error (cdp.c) */
    uint64_t   state;     /* kept, and whether it has come back to it (endless.c) */
    bool       came_back;
    struct { uint32_t count, asked, registers; const struct Uop *uop; } maxnreg; /* setmaxnreg: how often, the last; what a thread owns */
    uint32_t   ngroups;
    uint32_t   naparts;   /* sets of lanes that parted (apart.h) */
    uint32_t   puts, last; /* groups that have begun to wait; which of them did at the last branch that parted lanes, 0: it has gone on */
    bool       waited;    /* a quantum was spent waiting in a loop, and this is the next one of that group */

    /* ---- means nothing before it is written ---- */
    Group      group[LANES]; /* [0 .. ngroups): waiting groups; the running one is not among them */
    Apart      apart[MOST_APARTS]; /* [0 .. naparts) */
    uint8_t    scratch[512] __attribute__((aligned(64))); /* results of a partly masked handler before they are blended */

    /* ---- of the context, which one block after another uses ---- */
    uint32_t   index;    /* in the block */
    uint8_t   *local;    /* local memory: lane l's frame is local + l * local_bytes */
    uint32_t   local_bytes;
    struct AsyncQueue *async; /* copies in flight; NULL before the first (async.c) */
    struct BulkGroups *bulk;  /* commits of bulk groups; NULL before the first (bulk.c) */
    Doze      *doze;         /* of the group that sleeps; NULL before the first */
    struct WgmmaState *wgmma; /* products in flight; NULL before the first (wgmma.c) */
    /* special registers, one slot each */
    uint32_t   tid[3][LANES] __attribute__((aligned(64)));
    uint32_t   laneid[LANES] __attribute__((aligned(64)));
};

/* True when every lane that matters executes: results may be written without a mask. */
static inline bool warp_full(const Warp *w) { return w->mask == w->live; }

/* m: the executing lanes from the next to write on. */
#define WRITE_ORDER(w, m)                                                                                              \
    for (uint32_t m = (w)->mask & ~(w)->late, rest_ = (w)->mask & (w)->late; m || (m = rest_, rest_ = 0, m); m &= m - 1)

#define SLOT(w, T, slot) ((T *)__builtin_assume_aligned((w)->r + (slot), 64))

#endif
