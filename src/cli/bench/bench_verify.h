/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a product is right: what its operands say of it, once, and then any number of results. */
#ifndef WW_CLI_BENCH_VERIFY_H
#define WW_CLI_BENCH_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpwright/blas.h"

/* Dense, row by row, op applied when read; alpha = 1, beta = 0.  m, n > 0. */
typedef struct BenchMatrices {
    WwType      type;
    size_t      m, n, k;
    bool        ta, tb;
    const void *a, *b;
    bool        short_sums; /* tensor cores keep 13 bits below the largest of a step of 32 (8-bit operands) */
    double      unit; /* of float sums that were rounded to fewer bits: of what part of it a result may be off */
} BenchMatrices;

typedef struct BenchTruth BenchTruth;
BenchTruth               *bench_truth_new(const BenchMatrices *p, uint64_t seed);
void                      bench_truth_free(BenchTruth *t);
/* symmetric: C must be its own transpose, bit for bit. */
bool bench_verify(const BenchTruth *t, const void *c, bool symmetric, double *max_error, const char **problem);

#endif
