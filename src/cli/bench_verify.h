/* SPDX-License-Identifier: Apache-2.0
 *
 * The residual test of `warpwright bench`. */
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
    bool        ta, tb, symmetric;
    const void *a, *b, *c;
} BenchMatrices;

bool bench_verify(const BenchMatrices *p, uint64_t seed, double *max_error, const char **problem);

#endif
