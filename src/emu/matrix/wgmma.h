/* SPDX-License-Identifier: Apache-2.0
 *
 * wgmma: what lowering (lower_wgmma.c) tells the handlers (wgmma.c), and the product of one warp (wgmma_product.c). */
#ifndef WW_EMU_WGMMA_H
#define WW_EMU_WGMMA_H

#include "emu/matrix/matrix.h"
#include "emu/core/run.h"

enum { WGMMA_MOST_D = 128, WGMMA_RUNS = 256 * 4 };

typedef struct WgmmaReg { /* a register that some wgmma.mma_async of the program uses */
    uint32_t    id;       /* index into WgmmaState's arrays */
    bool        written;  /* WgmmaTouch */
    const char *name;
} WgmmaReg;

typedef struct WgmmaTouch { /* registers another instruction reads or writes */
    unsigned  n;
    WgmmaReg *reg;
} WgmmaTouch;

typedef struct WgmmaInfo {
    MatrixForm form;
    MatrixRule rule;
    bool       a_in_regs, negate, trans_a, trans_b; /* negate: of the factors, one */
    Slot       a[4], d[WGMMA_MOST_D];
    Slot       desc_a, desc_b, metadata, scale_d;
    unsigned   selector;
    WgmmaReg   reg_a[4], reg_d[WGMMA_MOST_D];
} WgmmaInfo;

typedef struct WgmmaOp { /* issued and not waited for */
    const WgmmaInfo *info;
    const Uop       *uop;
    uint8_t         *regs;  /* the frame's */
    uint64_t         desc_a, desc_b;
    uint32_t         group; /* commits before it */
    bool             scale_d;
} WgmmaOp;

/* d = a * b (+ d) of the 16 rows that are this warp's.  false: metadata that means nothing; *lane has it. */
bool wgmma_product(Warp *w, const WgmmaOp *op, unsigned *lane);
/* What the matrix takes of shared memory, in the block's window; of A only the rows from `row`, `rows` of them.  run has room for
 * WGMMA_RUNS. */
size_t wgmma_runs(const WgmmaInfo *m, bool is_a, uint64_t desc, uint32_t row, uint32_t rows, AsyncRun *run);
/* The swizzle that the descriptor names: 0 = none, then 32, 64, 128 bytes. */
unsigned wgmma_swizzle(uint64_t desc);
/* The bytes that a descriptor's matrix takes: where they end; begins are the start address. */
uint32_t wgmma_extent(const WgmmaInfo *m, bool is_a, uint64_t desc);

/* Nobody can run, and w waits at u for the other warps of its warpgroup: the fault. */
void wgmma_explain(Warp *w, const Uop *u);

/* A block starts anew: nothing is in flight. */
void wgmma_reset(Warp *w);
void wgmma_free(Warp *w);

#endif
