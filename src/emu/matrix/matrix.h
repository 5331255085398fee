/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix instructions: what lowering (lower_matrix.c, lower_wgmma.c) tells the handlers (matrix_mem.c, matrix_mma.c, matrix_wmma.c,
 * wgmma.c), and the numeric core they share: exec/matrix.c for 16 rows at once, matrix_sum.c for the elements that need more.
 *
 * Every element up to 32 bits is exactly a float, so the core knows no formats: a number is a float and, of its format, the
 * exponent of the smallest normal.  Whole numbers of up to 8 bits are floats too; of b1, 32 are a cell's bits. */
#ifndef WW_EMU_MATRIX_H
#define WW_EMU_MATRIX_H

#include "emu/core/program.h"
#include "ptx/matrix_form.h"

enum { MATRIX_REGS = 8, MATRIX_ROWS = 16, MATRIX_TERMS = 128, MATRIX_COLUMNS = 32 };

typedef enum MatrixSum { /* how products become an element of D */
    MATRIX_FLOATS,       /* steps of exact sums, cut */
    MATRIX_WHOLE,        /* whole numbers */
    MATRIX_BITS,         /* popcounts */
    MATRIX_F64,          /* a chain of fused multiply-adds */
    MATRIX_QUADS         /* m8n8k4 of f16: a chain in f32 */
} MatrixSum;

typedef struct MatrixRule { /* how one form adds up; docs/matrix.md */
    MatrixSum sum;
    Type      a, b;
    unsigned  terms;    /* cells of a row of A: the zeros of a sparse A among them */
    unsigned  step;     /* cells added at once */
    int       fraction; /* bits kept below the largest exponent */
    unsigned  keep;     /* bits of an f32 result's significand */
    int       least_a, least_b, least_c;
    bool      wide;     /* products of a and b may leave a float's range */
    bool      c_last;   /* the accumulator is added to the products' sum afterwards, as two f32 numbers are */
    bool      half;     /* D is f16 */
    bool      satfinite, is_and;
} MatrixRule;

typedef struct MatrixTile { /* 16 rows of A; term by term */
    float    a[MATRIX_TERMS][MATRIX_ROWS] __attribute__((aligned(64)));
    uint16_t absent[MATRIX_TERMS]; /* rows that have no element there (sparse A) */
} MatrixTile;

typedef uint32_t MatrixColumn[MATRIX_ROWS] __attribute__((aligned(64))); /* of C (a float or whole number) or D (bits) */

/* One SIMD level's (exec/matrix.c). */
typedef struct MatrixOps {
    /* n elements to cells. */
    void (*decode)(Type t, const void *from, unsigned n, float *to);
    /* d = a * b + c: for `columns` columns of B, b[column * terms + term]; c holds D afterwards. */
    void (*multiply)(const MatrixRule *r, const MatrixTile *a, const float *b, unsigned columns, MatrixColumn *c);
} MatrixOps;

MatrixRule matrix_rule(const MatrixForm *f);
/* Where term i stands among the cells: those of a step side by side. */
unsigned   matrix_place(const MatrixForm *f, unsigned i);
/* Does every term stand where it comes? */
bool       matrix_in_order(const MatrixForm *f);
/* The element of one row and column, for any input (matrix_sum.c).  c: a float. */
uint32_t   matrix_element(const MatrixRule *r, const MatrixTile *a, unsigned row, const float *b, float c);

typedef struct MmaInfo {
    MatrixForm form;
    MatrixRule rule;
    Slot       a[MATRIX_REGS], b[MATRIX_REGS], c[MATRIX_REGS], d[MATRIX_REGS];
    Slot       metadata;
    unsigned   selector;
} MmaInfo;

typedef struct WmmaSpot { /* of a lane's part of an access: elements across memory and along it; its byte of the fragment's copy */
    uint16_t slow, fast, copy;
} WmmaSpot;

typedef struct WmmaInfo { /* wmma.load, wmma.store */
    MemInfo  mem;
    unsigned m, n, k, regs;
    Type     type;
    char     which;      /* 'a', 'b', 'c', 'd' */
    bool     col, store; /* column-major in memory */
    unsigned unit;       /* bytes of a register whose elements stand side by side in memory */
    unsigned slow, fast; /* elements across memory and along it */
    unsigned accesses, lanes; /* that move the fragment; lanes that take part, from the first */
    enum {
        WMMA_ALONG, /* four lanes side by side along memory, eight across */
        WMMA_ACROSS, /* eight along, four across: one element each */
        WMMA_ROWS /* ldmatrix's */
    } way;
    unsigned run;        /* WMMA_ACROSS: neighbours across memory that one lane gets */
    bool     addr64;     /* the address slot has 64-bit lanes (mem is told the lanes' own addresses) */
    int64_t  base_offset;
    const uint16_t *place; /* by register, unit in it and lane: its byte of the fragment's copy */
    const WmmaSpot *spot;  /* by access and lane */
} WmmaInfo;

/* Fills in place and spot, from all but mem.v. */
void wmma_places(Arena *a, WmmaInfo *m);

#endif
