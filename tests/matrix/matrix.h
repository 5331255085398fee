/* SPDX-License-Identifier: Apache-2.0
 *
 * The matrix sweep: its rows (rows.c), their kernels (kernel.c) and inputs (inputs.c). */
#ifndef WW_TESTS_MATRIX_H
#define WW_TESTS_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum { MAX_TRIALS = 64, MAX_BYTES = 1 << 16, LANES = 32, WARPGROUP = 128, STYLES = 10, INT_STYLES = 3 };
enum { A, B, C, D, E, MATRICES }; /* E: metadata of a sparse A */

typedef struct Format {
    const char *name;
    unsigned    bytes;        /* as stored; elements narrower than a byte are drawn as bytes */
    unsigned    ebits, mbits; /* 0: a whole number */
    unsigned    unused;       /* low bits that are stored and not read */
    bool        has_inf;
    unsigned    bits;         /* of one element */
} Format;

typedef struct Layout { /* of a wgmma factor in shared memory; NULL name: in registers */
    const char *name;
    unsigned    swizzle, leading, stride, start, base; /* fields of the descriptor, in bytes where they are addresses */
    bool        major_mn;
} Layout;

typedef enum RowKind { ROW_MMA, ROW_WMMA, ROW_WGMMA } RowKind;

typedef struct Row {
    unsigned      trials;
    const char   *name; /* in files and on the command line */
    const char   *op;   /* the opcode */
    RowKind       kind;
    const Format *format[D + 1];
    unsigned      regs[D + 1];
    const char   *matrix_layout[D + 1]; /* wmma */
    const char   *shape;
    unsigned      m, n, k;
    const Layout *layout[2]; /* wgmma */
    bool          sparse, scale_d;
    unsigned      selector;
    const char   *immediates; /* wgmma: behind scale-d */
} Row;

unsigned   rows_count(void);
const Row *rows_get(unsigned i);
unsigned   row_threads(const Row *r);
unsigned   row_bytes(const Row *r, unsigned x); /* of matrix x in the kernel's input or output */

/* Writes the row's kernel: k(in, out), a block a trial. */
void kernel_write(const Row *r, Str *s);
/* Bytes of one trial's input; fills them. */
unsigned kernel_input_bytes(const Row *r);

/* Fills `bytes` bytes with elements of the format. */
void inputs_fill(const Format *f, unsigned style, bool is_c, uint64_t seed, uint8_t *to, size_t bytes);
/* The same with metadata: four bits for each four (tf32: two) elements. */
void inputs_metadata(bool pairs, uint64_t seed, uint8_t *to, size_t bytes);

#endif
