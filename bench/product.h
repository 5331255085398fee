/* SPDX-License-Identifier: Apache-2.0
 *
 * One measured matrix product: what it is, and what came out.  Blocks have 16 x 16 threads; sizes are multiples of that. */
#ifndef WW_BENCH_PRODUCT_H
#define WW_BENCH_PRODUCT_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "warpwright/warpwright.h"

enum { PRODUCT_BLOCK = 16 };

typedef struct Product {
    const char *kernel;
    bool        x_on_rows; /* a thread's x is the row of its element, else the column */
    unsigned    m, k, n;   /* m x k by k x n */
    unsigned    threads, runs;
    bool        counters;
    const char *check;     /* as WwDeviceOptions */
    const char *simd;      /* NULL: the best level */
} Product;

typedef struct Reading {
    double   seconds, processor; /* of the fastest launch, by the clock and of processor time; negative: failed, after a message */
    uint64_t instructions;       /* of a warp */
    double   memory_mib;         /* peak of the process */
} Reading;

/* Runs it on the emulator, in a process of its own. */
Reading product_measure(const Product *p);

/* ---- for whoever computes it elsewhere ----- */

WwDim3 product_grid(const Product *p);
/* Element i of a factor (seed 1: left, 2: right): between -0.5 and 0.5. */
float product_element(unsigned seed, unsigned i);
/* Are some elements of the result right?  `element` gives those asked for; false after a message. */
bool product_right(const Product *p, bool (*element)(void *user, uint64_t at, float *out), void *user);
/* Seconds. */
double product_clock(clockid_t clock);

#endif
