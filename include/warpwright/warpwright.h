/* SPDX-License-Identifier: Apache-2.0
 *
 * warpwright: run CUDA kernels from PTX on an emulator or on a GPU, and read what they did to memory.
 *
 * The life of a program:   ww_device_open -> ww_module_load -> ww_alloc / ww_copy_in -> ww_launch -> ww_result_... -> ww_copy_out.
 *
 * Ownership: every ww_*_open / _load / _launch result is released with its _close / _unload / _free function; NULL is allowed there.
 * Strings returned by the library belong to the object they came from and live as long as it does.
 * Errors: a function that can fail returns a WwStatus; ww_device_error() then holds one message a person can act on.
 * The library never prints and never exits.  A WwDevice is used by one thread at a time; different devices are independent. */
#ifndef WARPWRIGHT_H
#define WARPWRIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <warpwright/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- statuses ------------------------------------------------------------------------------------------------ */

typedef enum WwStatus {
#define STATUS(name, text) WW_##name,
#include "warpwright/statuses.def"
#undef STATUS
} WwStatus;

/* "out of device memory" and so on; never NULL. */
const char *ww_status_text(WwStatus s);
/* WW_VERSION_STRING of the library that is loaded. */
const char *ww_version(void);

/* ---- devices ------------------------------------------------------------------------------------------------- */

typedef struct WwDevice WwDevice;
typedef struct WwModule WwModule;
typedef struct WwResult WwResult;
typedef struct WwStream WwStream;

/* An address on a device: global memory as the kernels see it. 0 is never valid. */
typedef uint64_t WwPtr;

typedef struct WwDeviceOptions {
    const char *profile; /* memory model and limits of a card: "sm_90" (default when NULL: an H200), "sm_20", a named card, ...; see profiles.def */
    unsigned    threads; /* emulator: worker threads; 0 = one per host core */
    uint64_t    seed;    /* emulator: for everything that is free to vary; 0 = the plain order */
    uint64_t    memory;  /* emulator: bytes of device memory, 1 MiB or more; 0 = the profile's */
    const char *simd;    /* emulator: "avx512", "avx2", "baseline"; NULL = the best this machine has */
    unsigned    ordinal; /* cuda: which GPU */
    const char *async;   /* emulator: when asynchronous copies land: "eager" (default when NULL) at issue, "late" at the wait that
                          * covers them, "random" either, by the seed */
    const char *check;   /* emulator: watch every launch for faults: "" every rule, else as --check takes them
                          * ("memory,-misaligned"); NULL = off.  WW_ERR_INVALID: the message says which word is wrong */
    const char *engine;  /* emulator: who runs kernels, with the same results: "auto" (default when NULL): native code that clang makes
                          * beside the interpreter once a kernel has run long; "jit": before its first launch; "interpreter".  Where no
                          * native code can be made, the interpreter runs everything (ww_engine_missing) */
    const char *blocks;  /* emulator: of a launch whose counters are observed, and which has more blocks, only so many run: "first:8" of the
                          * grid, "random:64" spread over the rest, or both, with a comma; NULL = all.  What such a launch was to compute
                          * is not there afterwards (ww_result_sample).  WW_ERR_INVALID: the message says what is wrong with it */
} WwDeviceOptions;

/* name: "emulator" or "cuda".  options may be NULL.  On failure *out is NULL and *message (if message is not NULL) is a static
 * or thread-local text. WW_ERR_UNAVAILABLE: no driver or no GPU. */
WwStatus ww_device_open(const char *name, const WwDeviceOptions *options, WwDevice **out, const char **message);
/* Why the emulator can make no native code on this machine, a static text; NULL: it can. */
const char *ww_engine_missing(void);
void     ww_device_close(WwDevice *d);
/* "emulator (AVX-512, sm_90)" or the GPU's own name. */
const char *ww_device_name(const WwDevice *d);
/* "emulator" or "cuda". */
const char *ww_device_kind(const WwDevice *d);
/* The name of the profile in force. */
const char *ww_device_profile(const WwDevice *d);
/* The message of the last call on this device that failed; "" if none did. */
const char *ww_device_error(const WwDevice *d);

/* ---- memory -------------------------------------------------------------------------------------------------- */

/* bytes of global memory, aligned to 256; contents undefined (the emulator remembers that they are). */
WwStatus ww_alloc(WwDevice *d, size_t bytes, WwPtr *out);
/* WW_ERR_INVALID: not an address ww_alloc returned, or freed before. 0 is allowed. */
WwStatus ww_free(WwDevice *d, WwPtr p);
WwStatus ww_copy_in(WwDevice *d, WwPtr dst, const void *src, size_t bytes);
WwStatus ww_copy_out(WwDevice *d, void *dst, WwPtr src, size_t bytes);
/* From device memory to device memory of the same device; WW_ERR_INVALID when the ranges overlap. */
WwStatus ww_copy(WwDevice *d, WwPtr dst, WwPtr src, size_t bytes);
/* Sets every byte to `value`. */
WwStatus ww_fill(WwDevice *d, WwPtr dst, uint8_t value, size_t bytes);

/* ---- tensor maps --------------------------------------------------------------------------------------------- */

enum { WW_TENSOR_MAP_BYTES = 128, WW_TENSOR_MAP_ALIGN = 64 };

/* A tensor in device memory and the box of it that cp.async.bulk.tensor copies; fields as cuTensorMapEncodeTiled and
 * cuTensorMapEncodeIm2col name them. */
typedef struct WwTensorMap {
    const char *type;    /* "u8" "u16" "u32" "s32" "u64" "s64" "f16" "bf16" "f32" "f32.ftz" "tf32" "tf32.ftz" "f64" */
    WwPtr       address;
    uint32_t    rank;    /* 1 to 5; dimension 0 is the innermost */
    uint64_t    dim[5];  /* elements */
    uint64_t    stride[4]; /* bytes, of dimensions 1 to rank - 1 */
    uint32_t    box[5];  /* elements; unused with im2col */
    uint32_t    element_stride[5]; /* 0 counts as 1 */
    uint32_t    swizzle, interleave; /* bytes: 0, 32, 64, 128; 0, 16, 32 */
    bool        fill_nan; /* outside of the tensor: the special NaN instead of zero */
    bool        im2col;
    int         lower[3], upper[3]; /* im2col: corners of the box of base pixels, W first */
    uint32_t    channels, pixels;   /* im2col: of a box */
    uint32_t    promote; /* bytes that a miss of a copy brings to the L2, at least: 0, 64, 128, 256 */
} WwTensorMap;

/* Writes the 128 bytes that a kernel takes as its tensor map, by value or in global memory.  They belong to this kind
 * of device: the emulator's differ from a GPU's.  WW_ERR_INVALID: the message says what the interface forbids. */
WwStatus ww_tensor_map(WwDevice *d, const WwTensorMap *t, void *map);

/* ---- modules ------------------------------------------------------------------------------------------------- */

/* Parses and checks PTX text (len bytes; need not end in a zero).  `name` stands in messages as the file's name.
 * WW_ERR_PARSE: ww_device_error() holds the located messages, one a line with source line and caret. */
WwStatus ww_module_load(WwDevice *d, const char *name, const char *ptx, size_t len, WwModule **out);
void     ww_module_unload(WwDevice *d, WwModule *m);
/* The same of a source in CUDA C: nvcc compiles it (of PATH, then /usr/local/cuda/bin) with line numbers, or clang where there is none, for
 * sources that hold kernels only.  `name` is what findings call the file.  WW_ERR_PARSE: ww_device_error() has the compiler's messages;
 * WW_ERR_UNAVAILABLE: there is no compiler.  What nvcc made is kept on disk ($WARPWRIGHT_CACHE, else ~/.cache/warpwright; "off": it is not). */
WwStatus ww_module_compile(WwDevice *d, const char *name, const char *source, size_t len, WwModule **out);
/* Names of the kernels (.entry), in the file's order. */
size_t      ww_module_kernel_count(const WwModule *m);
const char *ww_module_kernel_name(const WwModule *m, size_t i);
/* How many arguments the i-th kernel takes; the size of the k-th in bytes (0: there is none) and its PTX type without
 * the dot ("u64", "f32"; "b8": a structure or an array; NULL: there is none). */
size_t      ww_module_kernel_arg_count(const WwModule *m, size_t i);
size_t      ww_module_kernel_arg_bytes(const WwModule *m, size_t i, size_t k);
const char *ww_module_kernel_arg_type(const WwModule *m, size_t i, size_t k);
/* The kernel's name as people read it, without its parameters: "scale<float>"; cut to `bytes` with the terminating 0.  What it would
 * take without the 0 is returned. */
size_t ww_kernel_text(const char *symbol, char *text, size_t bytes);
/* Address and size of a .global or .const variable. */
WwStatus ww_module_variable(WwDevice *d, WwModule *m, const char *name, WwPtr *address, size_t *bytes);

/* ---- streams ------------------------------------------------------------------------------------------------- */

/* An order of launches.  On a GPU a launch on a stream is enqueued and its call returns at once: the memory it works on must stay until
 * ww_stream_wait, and a failure may be reported by a later call on the device.  On the emulator it is complete when the call returns.
 * native: a CUstream or cudaStream_t of the caller's, which stays the caller's; NULL: a new stream, which waits for the copies
 * and launches made without one, and they for it.  The emulator knows no native streams: anything but NULL is WW_ERR_INVALID. */
WwStatus ww_stream_open(WwDevice *d, void *native, WwStream **out);
/* Returns when everything that was put on the stream is complete. */
WwStatus ww_stream_wait(WwStream *s);
/* Frees it; one that the library made is waited for before.  Before the device is closed. */
void     ww_stream_close(WwStream *s);

/* ---- launches ------------------------------------------------------------------------------------------------ */

typedef struct WwDim3 { uint32_t x, y, z; } WwDim3;

typedef enum WwObserve {
    WW_OBSERVE_NOTHING  = 0,
    WW_OBSERVE_COUNTERS = 1, /* every counter of counters.def, in total, by source line and by instruction */
    WW_OBSERVE_ACCESSES = 2, /* WwLaunch.on_access is called for every warp access, by one thread at a time, in block
                              * order with threads = 1 */
    WW_OBSERVE_TIME     = 4, /* how long it takes on the profile's card is predicted: ww_result_prediction */
    WW_OBSERVE_WARM     = 8, /* with it: as one of many launches alike, which finds in L2 what fits; else L2 is empty */
} WwObserve;

/* One memory access of one warp instruction, as on_access receives it. */
typedef struct WwAccess {
    const char *space; /* "global", "shared", "local" */
    const char *op;    /* "ld", "st", "atom", "red", "ldsm", "stsm"; "copy": cp.async, once for each of its two spaces */
    uint32_t    bytes; /* per lane */
    uint32_t    mask;  /* active lanes */
    const uint64_t *address; /* 32 of them, as the kernel forms them: in the block's shared window (whose first KiB is the
                              * hardware's), in the thread's local frame, or global; inactive lanes: unspecified */
    WwDim3      block;
    uint32_t    warp;  /* of the block */
    const char *file;  /* source file, or NULL */
    uint32_t    line;
    uint32_t    ptx_line;
    uint32_t    wavefronts, conflicts, sectors; /* by the profile; 0 where the space has none */
} WwAccess;

/* A moment in which no block of a launch runs. */
typedef struct WwPause {
    bool     waits;   /* all resident blocks only wait */
    bool     stands;  /* and come back to the states that they had: unless somebody else changes memory, the launch never ends */
    bool     changed; /* since the last pause it changed what others may see, or read a clock */
    unsigned threads; /* of the host that it has besides the caller's */
    bool     still;   /* answer: since the last pause, and in this one, nobody else changed memory that the launch may look at */
    bool     end;     /* answer: a launch that stands ends, with the finding `endless-wait` */
    const void *launch;
} WwPause;

typedef struct WwLaunch WwLaunch;
struct WwLaunch {
    WwDim3      grid, block; /* zero components are errors, as on the driver */
    uint32_t    shared;      /* dynamic shared memory, bytes */
    void      **args;        /* one pointer to each argument, in order; sizes are the kernel's own */
    size_t      arg_count;
    const size_t *arg_bytes; /* optional: sizes to check against the kernel's; NULL = trust */
    unsigned    observe;     /* WwObserve, or-ed */
    bool        time;        /* cuda: measure; the kernel then runs many times, so it should be one that may */
    unsigned    repeats;     /* cuda with time: runs measured after a warm-up; 0 = 20 */
    uint64_t    max_instructions; /* emulator: warp instructions; 0 = no limit */
    double      max_seconds;      /* emulator: 0 = no limit */
    const volatile int *stop;     /* emulator: the launch ends with WW_ERR_LIMIT soon after *stop becomes non-zero; may be NULL */
    void      (*on_print)(void *user, const char *text, size_t len); /* device printf, in block order; NULL = dropped */
    void      (*on_access)(void *user, const WwAccess *a);
    void       *user;
    /* emulator: a grid that a kernel launched has run (dynamic parallelism); such grids run after the kernel, before ww_launch returns.
     * launch, r and what they point to are gone after the call; may be NULL. */
    void      (*on_child)(void *user, const char *kernel, const WwLaunch *launch, WwStatus s, const WwResult *r);
    /* emulator: called while no block runs, when all that are resident only wait for something from outside, or about
     * pause_after warp instructions after the last time; the device may be used in it, other launches included.  NULL: the launch does not pause. */
    void      (*on_pause)(void *user, WwPause *p);
    uint64_t    pause_after;
    bool        cooperative; /* emulator: blocks may wait for each other at a grid-wide barrier */
    bool        granular;    /* emulator: allocations fill whole granules of 512 bytes, shared memory whole units (128 bytes on an H200), as
                              * on a card: an access past the end but in the last of them is carried out, and is a warning instead of the
                              * end of the kernel */
    bool        paged;       /* emulator: the same for an access to a page of 2 MiB in which a live allocation has bytes */
    WwDim3      cluster;     /* blocks of a cluster, at most 16; x = 0: as the kernel says (.reqnctapercluster), without that single blocks */
    WwStream   *stream;      /* NULL: the launch runs to its end before ww_launch returns; not together with time */
    bool        programmatic; /* cuda: it may begin before the launch in front of it on its stream has ended; the kernel waits for that
                               * (griddepcontrol.wait); older drivers and the emulator run it behind that one */
};

/* Runs to the end, unless launch->stream is set.  *out (if out is not NULL) is set whenever the launch began, also when
 * it failed: the counts so far are in it.  Statuses: WW_ERR_NOT_FOUND (no such kernel; the message lists those there
 * are), WW_ERR_LAUNCH, WW_ERR_FAULT, WW_ERR_LIMIT, WW_ERR_UNSUPPORTED; WW_ERR_INVALID: also when the device cannot
 * observe what launch->observe asks for. */
WwStatus ww_launch(WwDevice *d, WwModule *m, const char *kernel, const WwLaunch *launch, WwResult **out);
void     ww_result_free(WwResult *r);
/* Calls seen after every launch on the device that began, in the thread that launched, those that the matrix library makes too; result belongs to
 * the library and is gone afterwards.  NULL: nobody. */
void     ww_device_on_result(WwDevice *d, void (*seen)(void *user, const char *kernel, const WwResult *result), void *user);
/* In on_pause: where the threads of the first block stand that has not ended, cut to `bytes` with the terminating 0. */
void     ww_pause_where(const WwPause *p, char *text, size_t bytes);

/* ---- results ------------------------------------------------------------------------------------------------- */

typedef struct WwCounters {
#define COUNTER(name, text) uint64_t name;
#include "warpwright/counters.def"
#undef COUNTER
} WwCounters;

/* Number of counters, and the name, text and value of the i-th. */
size_t      ww_counter_count(void);
const char *ww_counter_name(size_t i);
const char *ww_counter_text(size_t i);
uint64_t    ww_counter_value(const WwCounters *c, size_t i);

/* Totals of the launch; all zero when counters were not observed. */
const WwCounters *ww_result_counters(const WwResult *r);

/* Counters by source line (.loc; the PTX text itself where there is none), sorted by file and line. */
typedef struct WwLine {
    const char *file;
    uint32_t    line;
    WwCounters  counters;
    WwCounters  waiting; /* the part of them from loops that wait for other threads, whose turns depend on time */
} WwLine;
size_t        ww_result_line_count(const WwResult *r);
const WwLine *ww_result_line(const WwResult *r, size_t i);

/* Executed warp instructions by how their results were computed. */
typedef struct WwInstructionClasses { uint64_t exact, approximate, unsupported; } WwInstructionClasses;
WwInstructionClasses ww_result_instructions(const WwResult *r);
/* Full opcodes that ran and are approximate or unsupported: "ex2.approx.ftz.f32". */
size_t      ww_result_inexact_count(const WwResult *r);
const char *ww_result_inexact(const WwResult *r, size_t i, bool *unsupported, uint64_t *warp_instructions);

/* A place in a source file. */
typedef struct WwPlace {
    const char *file;
    uint32_t    line, col;
} WwPlace;

/* A call of the host's code. */
typedef struct WwFrame {
    const char *function, *file; /* NULL: not known */
    uint32_t    line;
} WwFrame;

/* The other end of a finding: the access it races with, where the memory came from, ... */
typedef struct WwFindingEnd {
    const char *kernel;
    const char *file;     /* NULL: not known */
    uint32_t    line, col;
    WwDim3      block, thread;
    const char *message;  /* what this end is: "written here" */
    const WwPlace *inlined; /* calls that inlined the function this line is in, innermost first; ninlined of them */
    size_t      ninlined;
} WwFindingEnd;

/* One access of a warp, for a picture of it. */
typedef struct WwPicture {
    const char *space, *op;    /* as in WwAccess; they live as long as the library */
    uint32_t    bytes, mask;
    uint32_t    bad;           /* lanes that must not access what they do */
    uint64_t    of;            /* bytes of what should have been accessed, where that is known: offsets are from its beginning */
    int64_t     offset[32];    /* else in the block's shared window, or from the lowest 128-byte line; of lanes that are bad and whose memory
                                * is not known, addresses; 0 in idle lanes */
} WwPicture;

/* A change that was tried on what was recorded, and what it brings. */
typedef struct WwMend {
    const char *text;          /* "pitch 32 -> 33 floats" */
    const char *unit;          /* what before and after count: "passes", "sectors" */
    uint64_t    before, after;
    int64_t     shared_bytes;  /* shared memory it costs a block */
    double      gain;          /* how many times as fast the launch would be with it, predicted (WW_OBSERVE_TIME); 0: not predicted */
    const WwPicture *from, *to; /* one access that it changes, before and after; NULL: none was kept */
} WwMend;

/* What is wrong with a kernel: what stopped it (present when ww_launch returned WW_ERR_FAULT, _LIMIT or _UNSUPPORTED), and, on a
 * device opened with WwDeviceOptions.check, everything else that was found.  What stopped it comes first. */
typedef struct WwFinding {
    const char *rule;     /* "out-of-bounds", ...; the ids of `warpwright rules` */
    const char *category; /* "memory", "init", "race", "sync", "perf" */
    const char *severity; /* "error", "warning", "note" */
    const char *kernel;   /* NULL: found outside any kernel */
    const char *file;     /* source file, or the module's name; NULL: not known */
    uint32_t    line, col;
    WwDim3      block, thread;
    uint64_t    address;  /* 0 when it has none */
    uint64_t    count;    /* lanes and launches that showed it */
    const char *message;
    const WwFindingEnd *other; /* or NULL */
    const WwMend       *mend;  /* or NULL */
    uint64_t    seed;     /* of the schedule that showed it; 0: any does */
    const WwPlace *inlined; /* as in WwFindingEnd */
    size_t      ninlined;
    const WwFrame *host;  /* of what a call of the host did: its callers, innermost first */
    size_t      nhost;
    const char *snippet;  /* the line of PTX, where the kernel has no source lines and the place is one in its PTX; else NULL */
    const WwPicture *picture; /* of the access, where it is one that goes wrong; or NULL */
} WwFinding;
size_t           ww_result_finding_count(const WwResult *r);
const WwFinding *ww_result_finding(const WwResult *r, size_t i);

/* The access patterns that cost most, of lines with source positions; on a device opened with WwDeviceOptions.check. */
typedef struct WwPattern {
    const char *file;
    uint32_t    line;
    const char *space, *op; /* as in WwAccess */
    uint32_t    bytes, mask;
    uint64_t    count;      /* executions by a warp */
    const uint64_t *offset; /* 32 of them: in the block's shared window, else from the lowest 128-byte line; 0 in idle lanes */
    uint32_t    wavefronts, conflicts, sectors, ideal; /* of one execution */
} WwPattern;
size_t           ww_result_pattern_count(const WwResult *r);
const WwPattern *ww_result_pattern(const WwResult *r, size_t i);

/* ---- what one access costs ----------------------------------------------------------------------------------------- */

/* Of one warp instruction; 0 where its space has none. */
typedef struct WwAccessCost {
    /* shared memory: passes over the banks, those that packed bytes would need, and those beyond one a part */
    uint32_t wavefronts, ideal_wavefronts, bank_conflicts;
    /* global and local memory: sectors are 32 bytes, lines 128; transactions of whatever size the profile has */
    uint32_t requests, sectors, ideal_sectors, lines, transactions, useful_bytes, moved_bytes;
    /* shared memory: its banks, and the lanes of a part, which are served together */
    uint32_t banks, bank_bytes, part_lanes;
    uint8_t  pass[32][9]; /* of each lane, each word from its first on: the pass of its part that serves it, from 1; 0: none */
} WwAccessCost;

/* The cost of an access on a profile (NULL: sm_90); of *access space, op, bytes, mask and address are read.  l1: global loads go through L1
 * as the profile does (0), always (1), never (2).  WW_ERR_NOT_FOUND: no such profile; WW_ERR_INVALID: the hardware would refuse it.
 * why (may be NULL) gets the message, cut to `size` bytes. */
WwStatus ww_access_cost(const char *profile, const WwAccess *access, int l1, WwAccessCost *out, char *why, size_t size);
/* The byte offsets of the lanes in mask by an expression of lane in C's notation: "(lane % 8) * 16"; 0 for other lanes.  WW_ERR_INVALID:
 * why says where it is malformed, or which offset is negative. */
WwStatus ww_access_offsets(const char *expression, uint32_t mask, uint64_t offset[32], char *why, size_t size);

/* What the assembler makes of the kernel, and how many of its warps a multiprocessor of the profile holds. */
typedef struct WwResources {
    uint32_t    registers, stack, spill_stores, spill_loads; /* of a thread; the last three in bytes */
    uint32_t    shared;                                      /* bytes of a block */
    uint32_t    warps, most_warps;
    const char *limiter; /* "threads", "blocks", "registers", "shared memory"; NULL: nothing */
    bool        spills_known; /* false: the program's machine code was read, which does not say */
} WwResources;
/* Why the interpreter ran the kernel although native code was asked for (engine "jit"), or clang failed at it; NULL: neither.  One sentence
 * without its subject's name, which lives as long as the library. */
const char *ww_result_interpreted(const WwResult *r);
/* The share of the launch's warp instructions that native code ran, block by block; the interpreter ran the rest.  0 where the device is no
 * emulator.  Engine "auto" makes native code while a launch runs, so there it differs from run to run. */
double ww_result_native(const WwResult *r);
/* false: not known (no machine code for the profile's architecture and no ptxas, or the device does not check performance). */
bool ww_result_resources(const WwResult *r, WwResources *out);

/* Of a launch of which only some blocks ran, or were asked for (WwDeviceOptions.blocks).  ww_result_counters and the lines are of the blocks
 * that ran. */
typedef struct WwSample {
    uint64_t    blocks, of, first; /* blocks that ran; of the grid; of those that ran the first of the grid, the others are random */
    const char *whole;     /* not NULL: all ran, and why although fewer were asked for */
    bool        estimated; /* all that were chosen ran: estimate holds */
    bool        spread;    /* there were two random blocks or more, so error holds */
    WwCounters  estimate;  /* of the whole grid: the first blocks as they are, the mean of the random ones for all others; with no
                            * random ones, the mean of the first for all */
    WwCounters  error;     /* the estimate's standard error, from the spread of the batches of random blocks */
} WwSample;
/* NULL: all blocks ran, as nothing else was asked for, or the grid has no more.  Of the result. */
const WwSample *ww_result_sample(const WwResult *r);

/* What would take how long alone. */
typedef struct WwTimePart {
    const char *name; /* "device memory" */
    double      ns;
} WwTimePart;
/* What L1 is asked for by the loads of a source line from global memory; the line as in WwLine. */
typedef struct WwCachedLine {
    const char *file;
    uint32_t    line;
    uint64_t    sectors; /* of 32 bytes, counted */
    uint64_t    hits;    /* those that L1 has, modelled; L2 is asked for the rest */
} WwCachedLine;
/* What the time model says of a launch on the profile's card (docs/time-model.md: how good it is). */
typedef struct WwPrediction {
    double      ns;
    const char *limiter;                  /* the part that takes longest */
    double      share, headroom;          /* its share of the time; how many times as fast the launch would be without it */
    double      l1_hit_rate, l2_hit_rate; /* of sectors; L1: of loads, from the blocks that were replayed */
    uint64_t    l2_sectors;               /* that multiprocessors ask L2 for, or send there */
    uint64_t    dram_read_bytes, dram_write_bytes;
    uint64_t    instructions;             /* machine instructions, by warps */
    uint32_t    registers;                /* 0: not known */
    const char *source;                   /* who spoke for the machine code: "cubin", "ptxas", or "ptx": nobody */
    uint64_t    blocks_sampled;           /* replayed through L1 */
    const WwTimePart *parts; size_t nparts;
    const WwCachedLine *lines; size_t nlines; /* by file and line; those without such loads are left out */
    const char *card;                     /* whose figures these are, "h200" */
    double      most_instructions, most_l2_bytes, most_dram_bytes; /* that the card does in a ns: machine instructions of warps; bytes between
                                              * L2 and all multiprocessors; bytes read of device memory */
    unsigned    resident_blocks, resident_warps, most_warps; /* that a multiprocessor holds of this launch at once; warps that it can hold */
    const char *resident_limiter;         /* what keeps it from holding more: "registers", "shared memory" ...; NULL: it is full */
    double      waves;                    /* blocks of the launch by those that the whole card holds at once */
    uint64_t    half_flops, single_flops, double_flops; /* floating-point operations of the launch, a fused one being two; without matrix instructions */
    double      most_half_flops, most_single_flops, most_double_flops; /* that the card does in a ns; 0: not known */
    uint64_t    host_read_bytes, host_write_bytes; /* of the host's memory: pinned, registered, managed with the host preferred */
    uint64_t    texture_sectors, texture_hits; /* that fetches of textures and loads of surfaces ask L1 for; those that it has, modelled */
    uint64_t    managed_bytes;            /* that the launch uses of other managed memory, as if all of it lay on the card */
} WwPrediction;
/* false: not asked for (WW_OBSERVE_TIME), the launch did not end well, or the card's figures are not known. */
bool ww_result_prediction(const WwResult *r, WwPrediction *out);

/* cuda with time: milliseconds of one launch, median and fastest of `runs` runs.  false: not measured; a failed kernel has
 * no time.  A run is the time between two events around ww_result_time_batch() launches, divided by their number: a kernel
 * of 1 ms or more is launched once per run, a shorter one as often as a run of 1 ms needs, so that the events' resolution
 * and the start of the first launch do not matter; its time then contains the gap between one launch and the next, and is
 * never below the 2 to 3 us at which the host can launch. */
bool     ww_result_time(const WwResult *r, double *median_ms, double *min_ms, unsigned *runs);
unsigned ww_result_time_batch(const WwResult *r);

#ifdef __cplusplus
}
#endif
#endif
