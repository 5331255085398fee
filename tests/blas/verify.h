/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the matrix library's verification share: the device, random choices, and the table of what was run.
 *
 *   verify.c         options, the table
 *   product.c        one random product: its matrices, its reference, every element and every byte around compared
 *   verify_copies.c  copies between all offsets, next to pages that do not exist, of 1 byte to gigabytes, and of matrices */
#ifndef WW_TESTS_BLAS_VERIFY_H
#define WW_TESTS_BLAS_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "blas/blas.h"

typedef struct Row { /* a rung of a ladder, "auto" its choice, or a kind of copy */
    const char *ladder, *name;
    WwType      type;
    uint64_t    cases, elements, failed;
    bool        missing;
    double      worst; /* error of a float element in units of its bound */
} Row;

enum { MAX_ROWS = 128 };

typedef struct Verify {
    WwDevice *device;
    WwBlas   *blas;
    WwStream *stream;
    bool      cuda;
    const char *only; /* the rung, or NULL */
    size_t    most; /* m, n, k */
    uint64_t  random;
    uint64_t  findings;
    Row       row[MAX_ROWS];
    size_t    nrows;
} Verify;

/* The same numbers in every run. */
uint32_t random_bits(Verify *v);
size_t   random_below(Verify *v, size_t n);
Row     *row_of(Verify *v, const char *ladder, const char *name, WwType type);
/* Prints what went wrong, counts it in r, and gives false. */
bool     wrong(Row *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* One product of the rung (NULL: the library's choice); false when it is wrong. */
bool verify_gemm(Verify *v, Row *r, const char *rung);
bool verify_syrk(Verify *v, Row *r, const char *rung);

/* offsets: all 64 x 64 of that many sizes; huge: bytes of the largest copy. */
void verify_copies(Verify *v, size_t sizes, uint64_t huge);

#endif
