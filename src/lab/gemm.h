/* SPDX-License-Identifier: Apache-2.0
 *
 * Float matrix products in the lab: random inputs, the reference, and the comparison.  One Gemm is made for an
 * experiment's sizes and kept between its cases, since the reference is the dearest part. */
#ifndef WW_LAB_GEMM_H
#define WW_LAB_GEMM_H

#include "lab/run.h"

/* C (m x n) = A (m x k) * B (k x n); dense, row by row. */
typedef struct Gemm {
    Arena  *arena;
    int64_t m, n, k;
    bool    transposed; /* B is A's transpose */
    float  *a, *b;
    size_t *rows; /* rows of C that have a reference, ascending */
    size_t  nrows;
    double *want;              /* nrows x n */
    double *row_len, *col_len; /* Euclidean lengths of A's rows and B's columns */
} Gemm;

/* The lab's Gemm for these sizes, made or kept. NULL, and a problem in the row, when the host has not the memory. */
const Gemm *gemm_get(Lab *lab, LabRow *row, int64_t m, int64_t n, int64_t k, bool transposed);
void        gemm_free(Gemm *g);

/* A result to compare: rows ldc elements apart; elements between rows must still be LAB_POISON. */
typedef struct GemmResult {
    const Gemm  *gemm;
    const float *c;
    size_t       ldc;
} GemmResult;

/* LabLaunch.verify with a GemmResult as user. */
void gemm_verify(Lab *lab, const LabCase *c, LabRow *row, void *result);

#endif
