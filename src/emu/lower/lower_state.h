/* SPDX-License-Identifier: Apache-2.0
 *
 * What the lower_*.c files share: the state of one function's lowering and where its variables live. */
#ifndef WW_EMU_LOWER_STATE_H
#define WW_EMU_LOWER_STATE_H

#include "emu/core/layout.h"
#include "emu/lower/lower.h"
#include "emu/core/program.h"
#include "emu/core/run.h"
#include "ptx/contract.h"

typedef struct ConstEntry ConstEntry;

typedef struct Temp {
    Slot     slot;
    unsigned bytes;
    bool     used;
} Temp;

typedef struct Fixup { /* a branch whose target is not emitted yet */
    uint32_t uop;
    uint32_t block;    /* CFG block, or CFG_NONE: `at` is a uop index */
    uint32_t at;
} Fixup;

struct Lower {
    EmuModule   *em;
    Program     *p;
    Code        *code;
    const Func  *f;
    const Instr *in;       /* being lowered */
    const Cfg   *cfg;
    const struct Parting *parting; /* by block */
    Uop         *uops;
    uint32_t     nuops, cap;
    uint32_t     instr;    /* its id */
    uint32_t     top;      /* frame bytes handed out */
    uint32_t     pred_left;
    Slot         pred_next;
    ConstEntry  *consts;
    Temp        *temps;
    uint32_t     ntemps, temps_cap;
    Fixup       *fixups;
    uint32_t     nfixups, fixups_cap;
    uint32_t    *block_uop; /* by CFG block */
    uint32_t     fpmode;    /* index of the open FPMODE uop, UINT32_MAX = none */
    Slot         carry;     /* NO_SLOT until asked for */
    const Contraction *contraction; /* by instruction */
    const bool  *idle;      /* by Reg.index: clocks decide it, and nothing else depends on it (ptx/idle_clock.h); NULL: none is */
    uint32_t    *wgmma_id;  /* by Reg.index: 1 + its number, 0 = not tracked; NULL: a function without wgmma */
};

/* lower_emit.c: the branch `uop` leads to a block of the Cfg, or to what is emitted next */
void lo_branch_to_block(Lower *lo, uint32_t uop, uint32_t block);
void lo_branch_here(Lower *lo, uint32_t uop);
/* Copies the constants that the function uses into its Code. */
void lo_keep_consts(Lower *lo);
/* The address of a variable plus off, as `bytes` wide lanes (4 or 8), in its own state space. */
Slot lo_address(Lower *lo, const Var *v, int64_t off, unsigned bytes);
bool lo_is_entry_param(const Lower *lo, const Var *v);

/* lower_mem.c: what a memory instruction's modifiers say; the slot of an address and, in m, how it is made */
MemInfo *lo_mem_info(Lower *lo, const Instr *in, AccessOp op);
Slot     lo_mem_address(Lower *lo, const Operand *mem, MemInfo *m);
/* Order and scope as the opcode names them; SEM_WEAK, SCOPE_NONE when it does not. */
Sem      lo_sem(const Opcode *o);
Scope    lo_scope(const Opcode *o);
/* lower_matrix.c: the same for an address that must be in shared memory; a generic one becomes an offset in the window */
Slot     lo_shared_address(Lower *lo, const Operand *mem, MemInfo *m);

/* lower_contract.c: finds what to do as the assembler does (in `a`), and does it */
void lower_contract_begin(Lower *lo, Arena *a);
bool lower_contracted(Lower *lo, const Instr *in);

/* lower_wgmma.c: finds the registers of wgmma.mma_async (ids live in `a`); watches over an instruction's use of them */
void lower_wgmma_begin(Lower *lo, Arena *a);
void lower_wgmma_watch(Lower *lo, const Instr *in);
bool lower_wgmma(Lower *lo, const Instr *in);

/* lower_ctl.c, lower_mem.c, lower_matrix.c, lower_async.c, lower_bulk.c, lower_tex.c: true if they lowered it */
bool lower_control(Lower *lo, const Instr *in);
bool lower_memory(Lower *lo, const Instr *in);
void lower_sunk(Lower *lo, const Instr *in);
bool lower_matrix(Lower *lo, const Instr *in);
bool lower_async(Lower *lo, const Instr *in);
bool lower_bulk(Lower *lo, const Instr *in);
bool lower_texture(Lower *lo, const Instr *in);
/* True for instructions whose handlers may give up the warp: a guard becomes a branch around them. */
bool lower_needs_branch(const Instr *in);

#endif
