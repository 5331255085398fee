/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix instructions: what lowering (lower_matrix.c) tells the handlers (matrix_mem.c, matrix_mma.c, matrix_wmma.c), and the
 * numeric core they share (matrix_sum.c). */
#ifndef WW_EMU_MATRIX_H
#define WW_EMU_MATRIX_H

#include "emu/program.h"
#include "ptx/matrix_form.h"

enum { MATRIX_REGS = 8, MATRIX_MAX_M = 32, MATRIX_MAX_N = 32, MATRIX_MAX_K = 256 };

typedef struct MmaInfo {
    MatrixForm form;
    bool       wmma;
    bool       is_and;                 /* b1: and instead of xor */
    Slot       a[MATRIX_REGS], b[MATRIX_REGS], c[MATRIX_REGS], d[MATRIX_REGS];
} MmaInfo;

typedef struct WmmaInfo { /* wmma.load, wmma.store */
    MemInfo  mem;
    unsigned m, n, k, regs;
    Type     type;
    char     which;      /* 'a', 'b', 'c', 'd' */
    bool     col, store; /* column-major in memory */
    bool     addr64;     /* the address slot has 64-bit lanes (mem is told the lanes' own addresses) */
    int64_t  base_offset;
} WmmaInfo;

/* A product as numbers: A row by row, B column by column, k elements side by side; C and D row by row.  Floating-point elements
 * are bits as they stand in registers; whole numbers of 4 and 8 bits are a byte each; b1: a byte holds eight. */
typedef union MatrixFactor { /* A or B */
    uint8_t  u8[MATRIX_MAX_M * 64];
    uint16_t u16[MATRIX_MAX_M * 16];
    uint32_t u32[MATRIX_MAX_M * 16];
    uint64_t u64[MATRIX_MAX_M * 16];
} MatrixFactor;

typedef union MatrixAcc { /* C or D */
    uint16_t u16[MATRIX_MAX_M * 16];
    uint32_t u32[MATRIX_MAX_M * 16];
    uint64_t u64[MATRIX_MAX_M * 16];
} MatrixAcc;

/* d = a * b + c (matrix_sum.c). */
void matrix_multiply(const MatrixForm *f, bool is_and, const MatrixFactor *a, const MatrixFactor *b, const MatrixAcc *c, MatrixAcc *d);

#endif
