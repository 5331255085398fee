/* SPDX-License-Identifier: Apache-2.0
 *
 * Code: what a PTX function is lowered to.  A PTX instruction becomes one or more micro-operations (Uop); a Uop is a handler
 * pointer and operand offsets into the warp's register frame.
 *
 *   frame layout (64-byte aligned, one per running call):
 *   +------------------+-----------------------------+--------------+---------------------------+
 *   | constants        | registers                   | temporaries  | param buffers (call args) |
 *   +------------------+-----------------------------+--------------+---------------------------+
 *   a slot is 32 lanes side by side:  1-byte type 32 B, 16-bit 64 B, 32-bit 128 B, 64-bit 256 B, 128-bit 512 B;
 *   a predicate is one uint32_t mask (bit = lane).  Constants are slots too: written once when a frame is made.
 *
 * Prefix uops run the next n uops under a changed state and then continue behind them:
 *   GUARD  n   mask &= predicate          (an instruction with @p)
 *   FPMODE n   MXCSR rounding / flush     (directed rounding, .ftz)
 * So handlers exist once per operation and type, never per modifier.  BLOCK stands at every basic block's head: it counts
 * executions and pays the instruction budget for the whole block. */
#ifndef WW_EMU_CODE_H
#define WW_EMU_CODE_H

#include <stdint.h>

#include "ptx/ptx.h"

/* x86's MXCSR while a launch runs, whatever the program's own is: to the nearest, nothing flushed, no exception told.  FPMODE adds to it. */
#define PLAIN_MXCSR 0x1f80u

typedef struct Warp Warp;
typedef struct Uop  Uop;
typedef uint32_t    Slot; /* byte offset in the frame */

/* Runs one uop for the lanes in w->mask and returns the next one. */
typedef const Uop *(*UopFn)(Warp *w, const Uop *u);

struct Uop {
    UopFn    fn;
    Slot     d, a, b, c;
    uint32_t e;      /* fifth operand or second destination */
    uint32_t instr;  /* instruction id, for faults, counters and observers */
    union {
        int64_t     imm;
        const Uop  *target; /* branches */
        const void *ptr;
        double      f;
    };
    uint32_t n;      /* prefixes: uops under them.  BLOCK: PTX instructions in the block */
    uint16_t x, y;   /* small parameters, per handler */
};

/* Lane types: the C types handlers are made for.  LANE_TYPE(name, C type, bytes) */
#define LANE_TYPES(X)                                                                                                      \
    X(u8, uint8_t, 1) X(s8, int8_t, 1) X(u16, uint16_t, 2) X(s16, int16_t, 2) X(u32, uint32_t, 4) X(s32, int32_t, 4)       \
    X(u64, uint64_t, 8) X(s64, int64_t, 8) X(f32, float, 4) X(f64, double, 8) X(f16, uint16_t, 2) X(bf16, uint16_t, 2)     \
    X(f16x2, uint32_t, 4) X(bf16x2, uint32_t, 4) X(u16x2, uint32_t, 4) X(s16x2, uint32_t, 4) X(b128, Lane128, 16)          \
    X(pred, uint32_t, 4)
typedef enum LaneType {
#define X(name, ctype, bytes) LT_##name,
    LANE_TYPES(X)
#undef X
    LT_COUNT
} LaneType;

typedef enum Ctl {
#define CTL(name, native) CTL_##name,
#include "emu/core/ctl.def"
#undef CTL
    CTL_COUNT
} Ctl;

typedef enum Mem {
#define MEM(name) MEM_##name,
#include "emu/core/mem.def"
#undef MEM
    MEM_COUNT
} Mem;

/* Handlers of one SIMD level, filled in by src/emu/exec/ (compiled once per level). */
typedef struct ExecTable {
    const char *level;                   /* "avx512" */
    UopFn (*lane)[LT_COUNT];             /* lane operations, by isa.def row (Op) and lane type; NULL = no such combination */
    UopFn mem[MEM_COUNT][2];             /* the MEM_ operations of mem.def; [1] = observed twin */
    const struct MatrixOps *matrix;      /* emu/matrix/matrix.h */
    const struct TexOps *texture;        /* emu/texture/texwarp.h */
} ExecTable;

/* The table of a SIMD level that this CPU has, the best one for NULL; NULL when it has not. */
const ExecTable *emu_exec_table(const char *level);

/* Control and warp-wide operations need no SIMD level: one table for all.  It names handlers of every room, so nobody but the device that
 * is opened (device.c) does: lowering and the handlers themselves find it there. */
extern const UopFn ctl_handlers[CTL_COUNT];

#endif
