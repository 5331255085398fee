/* SPDX-License-Identifier: Apache-2.0
 *
 * The observer boundary: what the emulator tells the world about memory, one call per warp access, synchronously.
 * An instruction no observer wants runs a plain handler; the choice is made when code is lowered.
 *
 * A launch forks every observer once per worker thread (fork), so that access() needs no locks, and joins the states in worker
 * order at the end (join).  Block order within a worker is ascending.  Observers never change what the kernel computes. */
#ifndef WW_EMU_OBSERVER_H
#define WW_EMU_OBSERVER_H

#include <stdbool.h>
#include <stdint.h>

enum { LANES = 32 };

typedef enum AccessSpace { ACCESS_GLOBAL, ACCESS_SHARED, ACCESS_LOCAL, ACCESS_SPACES } AccessSpace;
/* LDSM, STSM: ldmatrix and stmatrix, one 16-byte row a lane.  COPY: cp.async, told twice: what it reads of global memory and what
 * it writes to shared memory. */
typedef enum AccessOp {
    ACCESS_LD,
    ACCESS_ST,
    ACCESS_ATOM,
    ACCESS_RED,
    ACCESS_LDSM,
    ACCESS_STSM,
    ACCESS_COPY,
    ACCESS_OPS
} AccessOp;
/* Which cache a load was told to use (ld.ca / .cg / .cs / .cv, .nc is set separately). */
typedef enum AccessCache { CACHE_DEFAULT, CACHE_CA, CACHE_CG, CACHE_CS, CACHE_LU, CACHE_CV, CACHE_WB, CACHE_WT } AccessCache;

typedef struct Access {
    uint32_t instr;      /* instruction id: EmuInstr index of the launch (emu.h) */
    uint8_t  space, op;  /* AccessSpace, AccessOp */
    uint8_t  cache;      /* AccessCache */
    bool     nc, is_volatile;
    uint8_t  bytes;      /* per lane: 1, 2, 4, 8, 16, 32 */
    uint32_t mask;       /* lanes that take part; never 0 */
    uint32_t warp;       /* index in the block */
    uint64_t block;      /* linear block index */
    /* Exactly one is set.  Entries of inactive lanes are arbitrary.
     * off:  byte offset in the block's shared window, or in the thread's local frame.
     * addr: global address. */
    const uint32_t *off;
    const uint64_t *addr;
} Access;

struct Func;
struct Instr;
struct Var;
typedef struct EmuInstr {    /* what an instruction id stands for */
    const struct Func  *func;
    const struct Instr *in;
} EmuInstr;

typedef struct LaunchInfo {  /* fixed for the launch */
    uint32_t grid[3], block[3];
    uint32_t instrs;         /* number of instruction ids */
    uint32_t workers;
    uint32_t shared_bytes;   /* of the block's window: the hardware's KiB, static, dynamic */
    const EmuInstr *instr; /* by id */
    /* shared variables the kernel can reach, and where each lies in the window; several may be the dynamic array */
    const struct Var *const *shared_var; const uint32_t *shared_offset; uint32_t nshared;
} LaunchInfo;

typedef struct Observer Observer;
struct Observer {
    uint8_t wants[ACCESS_SPACES];                              /* bit 1 << AccessOp: which accesses it wants */
    void *(*fork)(Observer *o, const LaunchInfo *info, unsigned worker); /* state of one worker */
    void  (*access)(void *state, const Access *a);
    void  (*barrier)(void *state, uint64_t block);              /* a block-wide barrier completed; may be NULL */
    void  (*block_end)(void *state, uint64_t block);            /* may be NULL */
    void  (*join)(Observer *o, void *state);                    /* consumes the state */
};

#endif
