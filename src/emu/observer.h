/* SPDX-License-Identifier: Apache-2.0
 *
 * The observer boundary: what the emulator tells the world about memory, one call per warp access, and what orders
 * the threads that make them, one call per event, synchronously.
 * An instruction no observer wants runs a plain handler; the choice is made when code is lowered.
 *
 * A launch forks every observer once per worker thread (fork), so that access() needs no locks, and joins the states in worker
 * order at the end (join).  Block order within a worker is ascending where no seed changes it.  Observers never change what the kernel
 * computes. */
#ifndef WW_EMU_OBSERVER_H
#define WW_EMU_OBSERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LANES = 32, SWEEP_PARTIES = 8 };

typedef enum AccessSpace {
    ACCESS_GLOBAL,
    ACCESS_SHARED,
    ACCESS_LOCAL,
    ACCESS_CLUSTER, /* shared memory of another block of the cluster */
    ACCESS_SURFACE, /* suld, sust, sured: the texel's bytes, by addr */
    ACCESS_TEXTURE, /* tex, tld4: texels that are read, by addr, one call for each of a lane's */
    ACCESS_SPACES
} AccessSpace;

typedef enum AccessOp {
    ACCESS_LD,
    ACCESS_ST,
    ACCESS_ATOM,
    ACCESS_RED,
    ACCESS_LDSM, /* ldmatrix: one 16-byte row a lane */
    ACCESS_STSM, /* stmatrix: likewise */
    ACCESS_COPY, /* cp.async, told twice: what it reads of global memory, and what it writes to shared memory */
    ACCESS_OPS,
    ACCESS_SUNK = ACCESS_OPS /* not an operation: see Observer.sunk */
} AccessOp;

/* Which cache a load or store was told to use: .ca, .cg, .cs, .lu, .cv, .wb, .wt (.nc is Access.nc). */
typedef enum AccessCache { CACHE_DEFAULT, CACHE_CA, CACHE_CG, CACHE_CS, CACHE_LU, CACHE_CV, CACHE_WB, CACHE_WT } AccessCache;

/* Order and scope of an access or a fence (PTX manual, memory consistency model).  Atomics without either word are relaxed.gpu;
 * volatile accesses are relaxed.sys, with Access.is_volatile set. */
typedef enum Sem { SEM_WEAK, SEM_RELAXED, SEM_ACQUIRE, SEM_RELEASE, SEM_ACQ_REL, SEM_SC } Sem;
typedef enum Scope { SCOPE_NONE, SCOPE_CTA, SCOPE_CLUSTER, SCOPE_GPU, SCOPE_SYS } Scope;

/* Bytes that nobody wrote, told where an observer tracks them (Observer.use).  By lane: a bit for each byte of the access, and where
 * they come from, in the observer's own numbers. */
/* Where texture objects themselves lie, for observers: a fetch reads a word there too, told as ACCESS_TEXTURE.  No memory does. */
#define TEXTURE_OBJECTS UINT64_C(0x040000000000)
static inline uint64_t texture_place(uint64_t handle) { return TEXTURE_OBJECTS + 4 * handle; }

enum { ORIGIN_UNDEFINED = 1u << 30 }; /* in an origin: nobody's memory, but the result of an instruction that the manual leaves undefined */

typedef struct PoisonLanes {
    uint32_t any; /* lanes with such bytes */
    uint32_t bytes[LANES], origin[LANES];
} PoisonLanes;

/* The uses of such bytes that are told: as an address, to decide a branch, as an atomic's operand, and in a value computed from them that
 * is stored in global memory.  Of undefined results: in a store, too, in memory that others see. */
typedef enum PoisonUseKind { POISON_ADDRESS, POISON_BRANCH, POISON_ATOMIC, POISON_OUTPUT, POISON_STORE } PoisonUseKind;

typedef struct PoisonUse { /* one use, by the lanes in mask */
    uint32_t        instr;
    PoisonUseKind   kind;
    uint32_t        mask, warp;
    uint64_t        block;
    const uint32_t *origin; /* by lane */
} PoisonUse;

/* Bytes behind what an alloca gave, which nobody may use; left free where an observer asks for it (Observer.gaps). */
typedef struct StackGap {
    uint32_t instr;           /* the alloca */
    uint32_t at, from[LANES], to; /* where what it gave begins; by lane, where that ends; where the next may begin */
} StackGap;

typedef struct Access { /* one warp instruction's access to memory */
    uint32_t instr;      /* instruction id: EmuInstr index of the launch (emu.h) */
    uint8_t  space, op;  /* AccessSpace, AccessOp */
    uint8_t  cache;      /* AccessCache */
    bool     nc, is_volatile;
    uint8_t  sem, scope; /* Sem, Scope */
    uint8_t  bytes;      /* per lane: 1, 2, 4, 8, 16, 32 */
    uint8_t  texel;      /* TEXTURE: the n-th that each of these lanes reads, from 0 */
    uint8_t  lines;      /* a copy's write of shared memory: of how many lines of 128 bytes of global memory its lanes name words; else 0 */
    uint32_t mask;       /* lanes that take part; never 0 */
    uint32_t warp;       /* index in the block */
    uint64_t block;      /* linear block index */
    /* Exactly one is set.  Entries of inactive lanes are arbitrary.
     * off:  byte offset in the block's shared window, or in the thread's local frame; CLUSTER: the other block's rank << 24 | offset.
     * addr: global address. */
    const uint32_t *off;
    const uint64_t *addr;
    /* Host address of offset 0 when off is set; what a global address names lies at that address. */
    const uint8_t *memory;
    /* ld, st: element v of lane i is the `element` bytes at regs + slot[v] + i * stride, stored next or overwritten by what is loaded;
     * NULL for the others. */
    const uint8_t *regs; const uint32_t *slot; uint8_t element, stride;
    const StackGap *gap;     /* LOCAL: what the lanes in `stray` touch; NULL: nobody touches such bytes */
    uint32_t        stray;
    uint32_t        top;     /* LOCAL: from there on lies what no function that runs has */
    bool            topped;  /* that is known */
    const uint8_t  *take;    /* a copy's read of global memory: how many of its bytes each lane reads; NULL: all */
    PoisonLanes    *poison;  /* NULL unless tracked.  Stores: what the data holds.  Loads: empty, for the observer to fill in */
} Access;

/* Bytes from lane i's address on that it touches. */
static inline unsigned access_bytes(const Access *a, unsigned lane) { return a->take ? a->take[lane] : a->bytes; }

/* What orders threads, one call per warp instruction (or per block, where mask is 0).  Each kind says which fields it fills in beside
 * instr, warp, block, mask and live. */
typedef enum SyncKind {
    SYNC_BAR,       /* bar, barrier: the lanes arrive.  id, count (0 = all threads), waits, leaving */
    SYNC_BAR_DONE,  /* the barrier `id` completed; whoever waited goes on.  mask = 0 */
    SYNC_CLUSTER,   /* barrier.cluster.arrive.  sem: release or relaxed */
    SYNC_CLUSTER_DONE, /* its phase completed: told to every block that has not ended.  mask = 0 */
    SYNC_CLUSTER_WAIT, /* barrier.cluster.wait: the lanes go on */
    SYNC_WARP,      /* bar.warp.sync: the lanes go on together.  members */
    SYNC_EXCHANGE,  /* shfl, vote, match, redux, elect: the lanes go on together, memory is not ordered.  members; shfl: source */
    SYNC_FENCE,     /* sem, scope */
    SYNC_PROXY,     /* fence.proxy.async */
    SYNC_COMMIT,    /* cp.async.commit_group */
    SYNC_WAIT,      /* cp.async.wait_group, wait_all: all but the last `count` groups have landed; ALL_COPIES: everything */
    SYNC_COPY_ARRIVE, /* cp.async.mbarrier.arrive: off; waits = .noinc */
    SYNC_MBARRIER,  /* mbarrier: op (MbarOp), off, count by lane in values (NULL: 1), sem; test and try_wait: done.  Told before it is
                     * done */
    SYNC_MBARRIER_DONE, /* a phase of the block's mbarrier at off[0] completed.  mask = 0 */
    SYNC_BULK_COMMIT, /* cp.async.bulk.commit_group */
    SYNC_BULK_WAIT, /* cp.async.bulk.wait_group: all but the last `count` groups are complete; waits = .read: have read their sources */
    SYNC_WGMMA_COMMIT, /* wgmma.commit_group */
    SYNC_WGMMA_WAIT, /* wgmma.wait_group: all but the last `count` groups are complete */
    SYNC_GRID,      /* griddepcontrol.wait: the lanes go on behind the grids that this one depends on */
    SYNC_WMMA,      /* wmma.load, wmma.store, before it is done: addr, values = leading dimensions in bits; count = bytes of a thread's fragment */
    SYNC_EXIT,      /* the lanes end */
    SYNC_MALLOC,    /* device-side malloc: addr, values = bytes; lanes that got nothing are not in mask */
    SYNC_FREE       /* device-side free: addr */
} SyncKind;
#define ALL_COPIES UINT32_MAX

typedef enum MbarOp {
    MBAR_INIT, MBAR_INVAL, MBAR_EXPECT_TX, MBAR_COMPLETE_TX, MBAR_ARRIVE_TX, MBAR_ARRIVE_NC, MBAR_ARRIVE, MBAR_DROP_TX, MBAR_DROP_NC,
    MBAR_DROP, MBAR_TEST_PARITY, MBAR_TEST, MBAR_COPIES, MBAR_COPIES_NOINC
} MbarOp;

typedef struct SyncEvent {
    uint32_t instr;
    uint8_t  kind;         /* SyncKind */
    uint8_t  op, sem, scope;
    bool     waits;
    uint32_t mask, live;   /* lanes that take part; lanes of the warp that have not exited */
    uint32_t warp;
    uint64_t block;
    uint32_t id, count;
    const uint32_t *members; /* by lane: its member mask; NULL: those in mask */
    const uint8_t  *source;  /* by lane: the lane whose value it gets; NULL: not a shuffle */
    uint32_t done;         /* lanes that saw the phase complete */
    uint32_t leaving;      /* lanes of the warp that exit next */
    const uint32_t *off;   /* by lane: offset in the block's shared window; another block's: its rank + 1 << 24 | offset */
    const uint64_t *addr;  /* by lane: global address */
    const uint64_t *values; /* of a shuffle: by lane, what it gets */
    uint32_t       *undefined; /* of a shuffle where values are followed (Observer.use): by lane, to be filled in where what it gets is undefined,
                                * its origin with ORIGIN_UNDEFINED in it; elsewhere 0.  NULL: they are not followed */
} SyncEvent;

/* What an asynchronous operation completes at. */
typedef enum AsyncBy { ASYNC_BY_MBARRIER, ASYNC_BY_GROUP, ASYNC_BY_WGMMA } AsyncBy;

typedef struct AsyncRun { /* bytes in a row */
    uint64_t at; /* address, or offset in the owner's window */
    uint32_t bytes;
} AsyncRun;

/* What an asynchronous operation is going to read or write: one call for each side, when it is issued.  Bulk and tensor copies, st.async
 * and red.async; wgmma.mma_async: each warp tells what it reads of shared memory. */
typedef struct AsyncAccess {
    uint32_t instr, warp, lane; /* who issued it; wgmma: lane 0 */
    uint32_t twins;             /* a store by bulk group: lower lanes that issue the very same one in the same instruction */
    uint64_t block;
    uint8_t  space, by;         /* ACCESS_GLOBAL or ACCESS_SHARED; AsyncBy: what it completes at */
    bool     writes, reduces;
    bool     each;              /* wgmma: the rows of A that the warp alone reads */
    bool     registers;         /* st.async, red.async */
    uint64_t product;           /* wgmma: the n-th product of the warp; those of the four warps are one */
    bool     tensor;            /* the bytes stand in shared memory as `swizzle` (0: none, then 32, 64, 128 bytes) says */
    uint8_t  swizzle;
    uint64_t owner;             /* SHARED: whose */
    uint64_t mbar_block; uint32_t mbar; /* BY_MBARRIER: block and offset */
    const AsyncRun *run; size_t nruns;
} AsyncAccess;

struct Func;
struct Instr;
struct Var;
enum { EMU_FUSES_NOT, EMU_FUSES_PRODUCT, EMU_FUSES_SUM }; /* a product that a sum takes; such a sum */

typedef struct EmuInstr {    /* what an instruction id stands for */
    const struct Func  *func;
    const struct Instr *in;
    bool waits;     /* stands in a loop that waits for other threads (ptx/waits.h) */
    bool contracts; /* rounds once or twice, as the assembler chooses (ptx/contract.h) */
    uint8_t fuses; /* EMU_FUSES_...: as ptx/contract.h has it */
    uint32_t merges; /* what the assembler makes of it beside one machine instruction (ptx/merge.h) */
} EmuInstr;

typedef struct LaunchInfo {  /* fixed for the launch */
    uint32_t grid[3], block[3];
    uint32_t cluster[3];     /* blocks of a cluster; 1, 1, 1 without clusters */
    uint32_t instrs;         /* number of instruction ids */
    uint32_t workers;
    uint32_t shared_bytes;   /* of the block's window: the hardware's KiB, static, dynamic */
    uint32_t shared_room;    /* the same in whole units: accesses may reach so far (EmuLaunch.granular) */
    const EmuInstr *instr; /* by id */
    /* shared variables the kernel can reach, and where each lies in the window; several may be the dynamic array */
    const struct Var *const *shared_var; const uint32_t *shared_offset; uint32_t nshared;
    uint32_t local_bytes;    /* of a thread */
    uint64_t local_window, shared_window; /* where theirs, and a block's, lie as generic addresses */
    uint64_t *stirs;         /* counts up whenever what Observer.rests has said may be so no longer; atomic */
} LaunchInfo;

static inline void launch_stir(const LaunchInfo *info) { __atomic_fetch_add(info->stirs, 1, __ATOMIC_RELEASE); }

/* Loads, or one store, of a warp that follow each other, each by all 32 lanes: native code tells of them at once.  Their addresses stand at
 * fixed distances from a few places, which alone differ from time to time. */
typedef struct SweepParty { /* accesses from one place */
    uint8_t  space;         /* ACCESS_GLOBAL or ACCESS_SHARED */
    uint32_t bytes;         /* from the lowest byte to behind the highest */
} SweepParty;

typedef struct SweepAccess {
    const Access *seen;     /* but for mask, warp, block, off, addr, memory, regs */
    uint32_t party;
    uint32_t low, high;     /* bytes from the party's lowest: where the access begins and ends */
    uint32_t lane[LANES];   /* likewise: each lane's */
} SweepAccess;

typedef struct Sweep {
    SweepParty  *party; uint32_t nparties; /* at most SWEEP_PARTIES */
    SweepAccess *access; uint32_t naccesses; /* in the order of the program */
    uint32_t     number;                     /* which it is of those that one worker meets */
} Sweep;

typedef struct SweepCall {
    const Sweep    *of;
    uint32_t        warp;
    uint64_t        block;
    const uint64_t *at;     /* by party: its lowest address, or offset in the block's shared window */
    uint32_t        rests;  /* parties, a bit each, of which every observer has said that it rests */
    const uint8_t  *memory, *regs; /* as Access */
} SweepCall;

typedef struct SweepRange { uint64_t low, high; } SweepRange; /* of a party's place, which is in [low, high] */

static inline void range_narrow(SweepRange *r, uint64_t low, uint64_t high)
{
    r->low  = r->low < low ? low : r->low;
    r->high = r->high > high ? high : r->high;
}

typedef struct SweepRoom { /* for what sweep_access makes */
    uint64_t addr[LANES];
    uint32_t off[LANES];
} SweepRoom;

/* The i-th access by itself; valid as long as room. */
static inline Access sweep_access(const SweepCall *s, uint32_t i, SweepRoom *room)
{
    const SweepAccess *x  = &s->of->access[i];
    uint64_t           at = s->at[x->party];
    Access             a  = *x->seen;
    bool               shared = s->of->party[x->party].space == ACCESS_SHARED;
    a.space  = s->of->party[x->party].space;
    a.mask   = UINT32_MAX;
    a.warp   = s->warp;
    a.block  = s->block;
    a.memory = shared ? s->memory : NULL;
    a.regs   = a.slot ? s->regs : NULL;
    a.off    = shared ? room->off : NULL;
    a.addr   = shared ? NULL : room->addr;
    for (int k = 0; k < LANES && shared; k++)
        room->off[k] = (uint32_t)at + x->lane[k];
    for (int k = 0; k < LANES && !shared; k++)
        room->addr[k] = at + x->lane[k];
    return a;
}

typedef struct Observer Observer;
struct Observer {
    uint8_t wants[ACCESS_SPACES];                              /* bit 1 << AccessOp: which accesses it wants */
    bool    alone;                                             /* the launch must run on one worker */
    bool    gaps;                                              /* it wants to know who goes past what alloca gave */
    bool    tops;                                              /* it wants Access.top of accesses to local memory */
    void *(*fork)(Observer *o, const LaunchInfo *info, unsigned worker); /* state of one worker */
    void  (*access)(void *state, const Access *a);
    /* Both may be NULL, and are for an observer that must see every access by itself.  The same load or store by all 32 lanes, n times:
     * lanes' addresses always had these differences, and the first lane's were equal modulo what `period` says, a power of two; 0, of shared
     * memory: they were equal. */
    void  (*many)(void *state, const Access *a, uint64_t n);
    uint32_t (*period)(const Observer *o, AccessSpace space, AccessOp op, unsigned bytes);
    /* Both NULL for an observer that must see every access by itself.  takes: false where it must see these by themselves, because something
     * in them is not as usual; it changes nothing.  NULL: never.  sweep: what `access` would do for each, once all observers have said
     * yes; NULL: nothing.  There may be accesses among them that it does not want. */
    bool  (*takes)(void *state, const SweepCall *s);
    void  (*sweep)(void *state, const SweepCall *s);
    /* May be NULL: never.  Just told of s: of which of the `parties` (a bit each) would it find nothing and change nothing if it were told of the
     * same Sweep again, by any warp and block, wherever that party lies in the range that it makes narrower here?  That holds until
     * LaunchInfo.stirs changes.  A Sweep all of whose parties rest is not told. */
    uint32_t (*rests)(void *state, const SweepCall *s, uint32_t parties, SweepRange *range);
    bool  (*skips)(void *state, uint64_t block);               /* may be NULL.  true: nothing of it wants to be taken or swept */
    /* May be NULL.  A load that has MERGE_SINKS among its EmuInstr.merges, where the assembler makes it (ptx/sinks.h): told beside the access itself, to who
     * wants ACCESS_SUNK of its space, without regs. */
    void  (*sunk)(void *state, const Access *a);
    void  (*sync)(void *state, const SyncEvent *e);             /* may be NULL */
    void  (*async)(void *state, const AsyncAccess *a);          /* may be NULL */
    void  (*use)(void *state, const PoisonUse *u);              /* may be NULL; not NULL: poison is tracked */
    void  (*block_start)(void *state, uint64_t block);          /* may be NULL */
    /* May be NULL.  Before block_end, of each of its warps: how many instructions it ran, by all its groups of lanes. */
    void  (*warp_end)(void *state, uint64_t block, uint32_t warp, uint64_t instructions);
    void  (*block_end)(void *state, uint64_t block);            /* may be NULL */
    void  (*join)(Observer *o, void *state);                    /* consumes the state */
};

#endif
