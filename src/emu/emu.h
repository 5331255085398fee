/* SPDX-License-Identifier: Apache-2.0
 *
 * The emulator as the device layer sees it: a device with memory, modules of lowered code, launches.
 * Device addresses are host addresses inside one reserved range (its base is the same in every run when the host allows it),
 * so a global access is a bounds check and a host load.  Not thread-safe per device, but a launch uses many threads itself. */
#ifndef WW_EMU_EMU_H
#define WW_EMU_EMU_H

#include "base/parcel.h"
#include "base/status.h"
#include "emu/observer.h"
#include "model/limits.h"
#include "ptx/ptx.h"

typedef struct EmuDevice EmuDevice;
typedef struct EmuModule EmuModule;

/* When cp.async copies land: at issue; at the wait that covers them; either, by the seed. */
typedef enum EmuAsync { EMU_ASYNC_EAGER, EMU_ASYNC_LATE, EMU_ASYNC_RANDOM } EmuAsync;

/* Who runs kernels.  Results, counters and findings are the same.  JIT: native code from a kernel's first launch on, which waits for it.
 * AUTO: native code, made beside the interpreter, once a kernel has run long. */
typedef enum EmuEngine { EMU_INTERPRETER, EMU_JIT, EMU_AUTO } EmuEngine;

typedef struct EmuOptions {
    unsigned    threads; /* 0 = host cores */
    uint64_t    memory;  /* bytes of global memory; 0 = the card's (address space; pages are taken when touched) */
    const char *simd;    /* "avx512", "avx2", "baseline"; NULL = best */
    uint64_t    seed;
    EmuAsync    async;
    EmuEngine   engine;
    const Limits *limits; /* of the card; NULL: the default profile's.  Copied. */
} EmuOptions;

/* Why no native code can be made here; NULL: it can.  Without it, the interpreter runs everything. */
const char *emu_native_missing(void);

/* simd not available here: WW_ERR_UNAVAILABLE. */
Status      emu_open(const EmuOptions *o, EmuDevice **out);
void        emu_close(EmuDevice *d);
const char *emu_simd(const EmuDevice *d);   /* the level in use */
/* Levels compiled in and supported by this CPU, best first; NULL after the last. */
const char *emu_simd_level(unsigned i);

/* ---- memory (memory.c) ---- */
Status   emu_alloc(EmuDevice *d, uint64_t bytes, uint64_t align, uint64_t *address);
Status   emu_free(EmuDevice *d, uint64_t address);
/* Names an allocation in messages; the text stays the caller's. */
void     emu_name(EmuDevice *d, uint64_t address, const char *name);
/* Checks that [address, address + bytes) lies in one live allocation; on failure *why says what is there instead (text owned by d). */
Status   emu_range(EmuDevice *d, uint64_t address, uint64_t bytes, const char **why);
/* Host view of a checked range. */
void    *emu_host(EmuDevice *d, uint64_t address);

/* Zeroes a checked range; pages of it that take no memory yet go on taking none, so that what nobody touches costs nothing. */
void     emu_clear(EmuDevice *d, uint64_t address, uint64_t bytes);

/* The live allocation that holds the address; false: none.  *name is NULL but for variables. */
bool     emu_find(EmuDevice *d, uint64_t address, uint64_t *base, uint64_t *bytes, const char **name);

/* The reserved range, and how much of it was ever used. */
void     emu_reserved(const EmuDevice *d, uint64_t *base, uint64_t *bytes, uint64_t *used);

/* From now on memory that was freed is given out again only when there is no other room, so that its use shows. */
void     emu_keep_apart(EmuDevice *d);

/* The device-side heap; *base 0: no module needs it yet, and *bytes is what it will have. */
void     emu_heap(const EmuDevice *d, uint64_t *base, uint64_t *bytes);
/* Blocks of the device-side heap that are in use. */
void     emu_heap_used(EmuDevice *d, uint64_t *blocks, uint64_t *bytes);

/* Gives the heap another size.  WW_ERR_INVALID: a kernel had memory of it; WW_ERR_NO_MEMORY: the device has not as much. */
Status   emu_set_heap(EmuDevice *d, uint64_t bytes);
/* A thread's stack in kernels whose depth of calls is not known beforehand: as many bytes, or more. */
void     emu_set_stack(EmuDevice *d, uint32_t bytes);
/* All blocks of the heap are free, and heap and stack are what they were at first. */
void     emu_reset_limits(EmuDevice *d);

/* Memory that keeps its place, and whose use is one of freed memory while it rests. */
void     emu_rest(EmuDevice *d, uint64_t address, bool rests);

/* Memory of the host that kernels may use as an allocation of their own (pinned, or of another device).  The owner frees it, after
 * emu_disown.  WW_ERR_INVALID: the range meets one that the device has. */
Status   emu_adopt(EmuDevice *d, uint64_t address, uint64_t bytes);
Status   emu_disown(EmuDevice *d, uint64_t address);

/* Addresses that hold nothing (virtual memory management), or memory to which this device has no access; and no more of them in the range. */
void     emu_reserve(EmuDevice *d, uint64_t address, uint64_t bytes, bool mapped);
void     emu_unreserve(EmuDevice *d, uint64_t address, uint64_t bytes);

/* Maps a multicast object from `offset` on at an address of its own, for multimem instructions; and takes it away. */
struct Multicast;
void     emu_multicast_map(EmuDevice *d, uint64_t address, uint64_t bytes, const struct Multicast *object, uint64_t offset);
void     emu_multicast_unmap(EmuDevice *d, uint64_t address);

/* ---- modules ---- */
/* Takes ownership of m (also on failure). Lowers kernels lazily. extern functions that nobody defines are fine until called. */
Status   emu_module_load(EmuDevice *d, Module *m, EmuModule **out, const char **why);
void     emu_module_unload(EmuDevice *d, EmuModule *em);
const Module *emu_module_ptx(const EmuModule *em);
/* Address of a module-scope .global or .const variable; 0 if there is none. */
uint64_t emu_module_variable(const EmuModule *em, const char *name, uint64_t *bytes);

/* ---- launches ---- */
typedef enum FaultKind {
    FAULT_NONE,
#define RULE(...)
#define FAULT(ID, ...) FAULT_##ID,
#include "check/rules.def"
#undef RULE
#undef FAULT
} FaultKind;

typedef struct Fault {
    FaultKind   kind;
    uint32_t    instr;         /* id, UINT32_MAX = none */
    uint32_t    block[3], thread[3];
    uint32_t    lanes;         /* mask of the warp's lanes that showed it */
    uint64_t    address, bytes;
    Space       space;
    Refusal     refusal;       /* of FAULT_LAUNCH_CONFIG: as the card refuses it; REFUSED_NOT: it is the kernel's own bounds */
    char        text[512];     /* one sentence with what was expected and the nearest allocation */
    /* Of a load, store or atomic: all its lanes, those that went wrong, and what should have been accessed (room 0: not known). */
    uint32_t    mask, bad;     /* mask 0: not kept */
    uint8_t     op;            /* AccessOp */
    uint64_t    lane[32], base, room;
} Fault;

/* A fault after which the launch went on, with everything of its kind that the same instruction did. */
typedef struct KeptFault {
    Fault    fault; /* of the lowest block */
    FaultKind kind; /* before the fault was looked at closely: what entries are told apart by */
    uint64_t block, count; /* linear index; lanes */
    bool     done;  /* the access was carried out, as `granular` or `paged` asks.  Else its lanes were left out. */
} KeptFault;

enum { SAMPLE_BATCHES = 8 };
typedef enum SampleWhole { SAMPLE_ALLOWED, SAMPLE_COOPERATIVE, SAMPLE_WAITS } SampleWhole; /* why a launch runs whole */

typedef struct EmuResult EmuResult;
typedef struct EmuLaunch {
    uint32_t    grid[3], block[3];
    uint32_t    rank, ranks;   /* of so many stretches of the grid, in order, this one runs, whole clusters; 0 ranks: all.  Ends with WW_ERR_LIMIT
                                * where a block only waits: it may wait for one that runs elsewhere */
    uint32_t    first, random; /* only so many blocks run, whole clusters (run/sample.h); 0 and 0: all */
    /* Called where a launch is sampled, after each round of it: the first blocks, when there are any, then the batches of random ones;
     * what observers and the result have so far is the sum over all rounds.  blocks: so far.  May be NULL. */
    void      (*on_round)(void *round_user, const EmuResult *so_far, uint64_t blocks);
    void       *round_user;
    uint32_t    shared;        /* dynamic bytes */
    const void *params;        /* the kernel's parameter block, laid out as emu_param says */
    Observer  **observers; size_t nobservers;
    uint64_t    max_instructions;
    double      max_seconds;
    const volatile int *stop;  /* the launch ends with WW_ERR_LIMIT soon after *stop becomes non-zero; may be NULL */
    void      (*on_print)(void *user, const char *text, size_t len);
    void       *user;
    /* Called, while no block runs, when all that are resident only wait, or pause_after instructions after the last time: memory
     * may be allocated and freed in it, and other launches may run.  NULL: a launch does not pause. */
    void      (*on_pause)(void *user, WwPause *p);
    uint64_t    pause_after;
    /* Called now and then, by one of the workers at a time: so many of `blocks` have ended.  NULL: nobody asks. */
    void      (*on_progress)(void *progress_user, uint64_t done, uint64_t blocks);
    void       *progress_user;
    const bool *held;          /* griddepcontrol.wait waits while it is true: the grids that this one depends on have not ended.  NULL:
                                * they have.  It may become false in on_pause only */
    uint64_t    workspace;     /* memory of the grid barrier, told in %envreg1 (high half) and %envreg2 (low); 0 = none */
    bool        granular;      /* as on a card: an access past an allocation's end but in its last granule, or past shared memory's but in its
                                * last unit, is carried out, an arrival at
                                * an mbarrier of an exited block and the end of what is not an mbarrier do nothing; all are kept (EmuResult.kept) */
    bool        paged;         /* the same for an access to a page that a live allocation has bytes in: a card does not notice it either */
    bool        go_on;         /* lanes with a faulty load, store, atomic or free are left out of it, and the launch goes on; it ends
                                * with WW_ERR_FAULT */
    unsigned    max_resident;  /* blocks that may be resident at once; 0 = as on the profile's card */
    /* How many blocks of the kernel a multiprocessor holds by its registers, of which a thread has *registers; 0 = not known.  Asked once,
     * when blocks that wait may be more than fit.  May be NULL. */
    unsigned  (*fit)(void *fit_user, unsigned *registers);
    void       *fit_user;
    bool        cooperative;   /* all blocks must be resident at once */
    uint32_t    cluster[3];    /* blocks of a cluster; 0 = as the kernel says, without that single blocks */
} EmuLaunch;

/* In on_pause: where the threads of the first block stand that has not ended. */
void emu_pause_where(const WwPause *p, Str *out);

/* Work that a kernel handed to the device: it runs when the kernel has ended. */
typedef enum EmuChildKind { EMU_CHILD_GRID, EMU_CHILD_COPY, EMU_CHILD_SET } EmuChildKind;
typedef struct EmuChild {
    EmuChildKind kind;
    bool         tail;         /* behind all other work of the kernel */
    bool         waits;        /* the kernel has made a stream wait for an event before, which may order it with others */
    uint64_t     stream;       /* as the kernel gave it */
    uint64_t     from, serial; /* linear index of the launching block; order in it */
    const Func  *kernel;
    uint32_t     grid[3], block[3], shared;
    uint8_t     *params;       /* laid out as emu_param says; owned */
    uint64_t     dst, src, dpitch, spitch, width, rows; /* of a grid: src is where the kernel put its parameters */
    uint8_t      value;
} EmuChild;

typedef struct EmuSample {
    bool        sampled;       /* only some blocks ran: what the launch was to compute is not there */
    bool        ended;         /* all that were chosen did */
    SampleWhole whole;         /* why it ran whole, although fewer blocks than it has were asked for */
    uint64_t    blocks, of, first; /* that began; of the grid; of those that began the first of the grid */
} EmuSample;

struct EmuResult {             /* zero it first; emu_result_free */
    Fault        fault;
    KeptFault   *kept;         /* sorted by instruction and kind */
    size_t       nkept;
    bool         went_on;      /* `fault` is the first of those in kept that were left out, not one that stopped the launch */
    uint32_t     ninstr;
    EmuInstr    *instr;        /* by id */
    uint64_t    *executed;     /* warp instructions by id */
    uint64_t    *lanes;        /* lane instructions by id */
    uint64_t    *parted;       /* groups that lanes of a warp parted into at a branch, beyond the first, by id */
    EmuChild    *child; size_t nchild; /* by block, then by time; tail launches last */
    const char  *left;         /* why the interpreter ran it although native code was asked for, or could not be made; else NULL */
    uint64_t     spent, compiled; /* warp instructions that blocks paid for; those of them in native code */
    EmuSample    sample;
};
void emu_result_free(EmuResult *r);

/* Of a launch whose stretches ran in several processes: the result and status of one, for the others; and adding that of a later stretch to one
 * of an earlier.  What comes behind a fault that stopped the launch does not count: false, and nothing is added.  (share.c) */
void emu_result_put(const EmuResult *r, Status s, Parcel *p);
bool emu_result_add(EmuResult *to, Status *s, Parcel *from);

/* Parameter i of a kernel: byte offset and size in the block.  Returns the block's total size. */
uint32_t emu_param(const Func *kernel, size_t i, uint32_t *offset, uint32_t *bytes);
/* As WwLaunch.args, one pointer a parameter, into such a block, which nobody writes by them. */
void emu_arguments(const Func *kernel, const void *params, void **args);

/* Statuses: NOT_FOUND, LAUNCH (r->fault.text says what limit), FAULT, LIMIT, UNSUPPORTED, or OK. */
Status emu_launch(EmuDevice *d, EmuModule *em, const char *kernel, const EmuLaunch *l, EmuResult *r);

#endif
