/* SPDX-License-Identifier: Apache-2.0
 *
 * Program: one kernel with every function it can reach, lowered for one set of observed accesses.  Modules cache their programs.
 *
 * A call gets a new Frame: the callee's register frame, 32 lanes wide, shared by the lanes that made the call together. */
#ifndef WW_EMU_PROGRAM_H
#define WW_EMU_PROGRAM_H

#include "emu/core/code.h"
#include "emu/emu.h"
#include "emu/memory/memory.h"
#include "ptx/cfg.h"

enum { NATIVE_UOPS = 1500 }; /* larger functions stay with the interpreter */

typedef struct ConstSlot { /* value of a constant slot, in every lane */
    Slot     slot;
    uint32_t bytes; /* 1, 2, 4, 8; 0 = predicate */
    uint64_t bits;
} ConstSlot;

typedef struct NativeSet NativeSet;
typedef struct VarPlace VarPlace;
typedef struct FrameLine { /* 64 bytes of a frame: lanes of so many bytes each (0: 16 predicates) from `first` on, or LINE_APART */
    uint8_t bytes, first;
} FrameLine;
enum { LINE_APART = 255 };  /* in no lane's registers: constants, parameter buffers, what nobody uses */

typedef struct Code { /* one lowered function */
    const Func *func;
    const Cfg  *cfg;          /* of func, while the program is built */
    Uop        *uops;
    uint32_t    nuops, instr_base, frame_bytes;
    ConstSlot  *consts;
    uint32_t    nconsts;
    struct VarPlace { const Var *var; uint32_t at; } *place; size_t nplaces; /* of param and local variables, by their addresses */
    Slot        pbuf;         /* param buffers: lane l's bytes are at pbuf + l * pbuf_stride */
    uint32_t    pbuf_stride;
    uint32_t    local_bytes;  /* .local variables of one activation */
    uint32_t    index;        /* in Program.code; pools of frames are kept by it */
    Slot       *reg_slot;     /* by Reg.index */
    struct FrameRange { Slot slot; uint32_t bytes; } *unset; uint32_t nunset; /* registers that may be read before they are written */
    FrameLine  *line;         /* what lies in the frame, by 64 bytes */
    uint32_t    first_free;   /* frame bytes that registers and parameter buffers take */
    bool       *idle;         /* by 4 bytes of the frame: nothing but how long the function sleeps depends on them; NULL: it reads no clock, or more does */
    struct CallEdge { struct Code *callee; struct CallEdge *next; } *calls; /* direct calls */
    bool        calls_indirect, uses_alloca;
    bool        keeps_apart;  /* it has branches whose lanes keep apart (apart.h) */
    struct CodeBlock *block; uint32_t nblocks; /* in the order of uops */
    const struct Sink *sink; uint32_t nsinks;  /* loads that somebody wants to hear of where the assembler makes them (ptx/sinks.h), by block */
} Code;

typedef struct CodeBlock {    /* a basic block */
    uint32_t first;           /* uop */
    uint32_t meets;           /* where the paths from it meet again, by Code.block; UINT32_MAX: only behind the function's end */
    uint32_t depth;           /* blocks on the way of `meets` from here to the end */
} CodeBlock;

typedef struct Transfer { /* one argument or result: bytes of the caller's <-> callee's buffers or registers */
    uint32_t from, to, bytes;
    bool     from_reg, to_reg;
    bool     from_late, to_late; /* of an indirect call: a register of the callee, which from or to has as the number of its variable (results first) */
} Transfer;

/* The callee's variable of that number; NULL: it has fewer. */
static inline const Var *callee_variable(const Code *callee, uint32_t number)
{
    const Func *f = callee->func;
    return number < f->nrets ? &f->rets[number] : number - f->nrets < f->nparams ? &f->params[number - f->nrets] : NULL;
}

/* Where one end of a transfer lies in the frame of that code. */
static inline uint32_t transfer_place(const Code *code, uint32_t at, bool late)
{
    return late ? code->reg_slot[callee_variable(code, at)->reg->index] : at;
}

typedef struct CallInfo {
    Code     *callee;         /* NULL: indirect (Uop.a holds the address) */
    Transfer *args;  uint32_t nargs;
    Transfer *rets;  uint32_t nrets;
    const char *name;
} CallInfo;

/* A memory instruction's details, for the general handlers. */
typedef struct MemInfo {
    Access   seen;            /* what observers are told, but for lanes, addresses, warp and block */
    uint8_t  space;           /* Space */
    uint8_t  op;              /* AccessOp */
    uint8_t  bytes;           /* one element */
    uint8_t  reg_bytes;       /* a destination or source slot's lane */
    uint8_t  nvec;            /* 1, 2, 4, 8 */
    uint8_t  cache;           /* AccessCache */
    bool     is_signed, nc, is_volatile, sync; /* sync: orders with other threads, so a loop of it may be a wait */
    bool     addr64;          /* the address slot has 64-bit lanes */
    bool     no_base;         /* the address is the offset alone */
    bool     observed;
    bool     cluster;         /* may reach the shared memory of other blocks of the cluster */
    int64_t  offset;
    Slot     v[8];            /* data slots; UINT32_MAX = sink */
    /* atomics */
    uint8_t  atom;            /* AtomOp */
    uint8_t  atom_type;       /* Type */
    bool     acc_f32;         /* multimem: sums of halves in single precision */
    Slot     b, c;            /* operands */
    Slot     bv[8];           /* elements of b when it is a vector */
} MemInfo;

typedef struct Program {
    Arena    *arena;
    const Func *kernel;
    Code    **code;  uint32_t ncode;   /* [0] is the kernel */
    Code    **code_of;                 /* by Func.index; NULL: not reached */
    EmuInstr *instr; uint32_t ninstr;
    uint32_t  static_shared;           /* bytes, the reserved KiB not counted */
    uint32_t  shared_align;
    uint32_t  dynamic_base;            /* offset of extern .shared arrays in the window */
    uint32_t  largest_inc;             /* of setmaxnreg */
    uint32_t  local_bytes;             /* per thread; all activations without recursion */
    bool      clustered;               /* for clusters of several blocks: shared addresses hold the block's rank */
    bool      recursive;               /* some call path returns to itself, or calls are indirect */
    bool      reuses_shared;           /* it may forget a barrier (ptx/reuse.h) */
    bool      has_mbarriers;           /* it reads or changes them */
    bool      reads_reserved;          /* it asks where the shared memory lies that the system reserves */
    uint32_t  wgmma_regs;              /* registers that wgmma.mma_async uses */
    uint8_t   wants[ACCESS_SPACES];    /* what was observed when this was lowered */
    struct Program *next;
    struct Frame **kept; size_t kept_bytes; uint64_t kept_turn; struct Program *next_kept; /* frames of earlier launches, by Code.index (frame.c); NULL: none */
    NativeSet *native;                 /* what the JIT made of it (jit.c) */
    uint64_t   ran;                    /* warp instructions of its launches so far */
    /* shared variables by index: offset in the window */
    const Var **shared_var; uint32_t *shared_offset; uint32_t nshared;
} Program;

struct EmuModule {
    EmuDevice *dev;
    Module    *ptx;
    uint64_t  *var_address;            /* by Module.vars index; 0 = not in memory */
    Program   *programs;
};

struct EmuDevice {
    Memory           mem;
    const ExecTable *exec;
    const UopFn     *ctl;              /* ctl_handlers */
    unsigned         threads;
    uint64_t         seed;
    uint64_t         launches;         /* so far */
    EmuAsync         async;
    EmuEngine        engine;
    Limits           limits;
    uint32_t         stack_bytes;      /* of a thread whose depth of calls is not known beforehand */
    uint64_t         param_base;       /* the launch's parameter block, in device memory */
    struct TexObject **textures; size_t ntextures; /* by handle; NULL: not of this device (texture.h) */
    Program         *kept;             /* those that have frames of earlier launches (frame.c) */
    size_t           kept_bytes;
    uint64_t         kept_turns;
    char             why[512];
};

/* Finds or lowers. */
Program *program_get(EmuModule *em, const Func *kernel, const uint8_t wants[ACCESS_SPACES], bool clustered);
void     program_free(Program *p);
/* lower.c: fills in code->uops. */
void     lower_function(EmuModule *em, Program *p, Code *code);

#endif
