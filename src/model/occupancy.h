/* SPDX-License-Identifier: Apache-2.0
 *
 * Occupancy: how many blocks of a kernel one multiprocessor holds at once, and what keeps it from holding more.  Pure; the only place that
 * computes it. */
#ifndef WW_MODEL_OCCUPANCY_H
#define WW_MODEL_OCCUPANCY_H

#include "model/limits.h"

typedef struct Occupancy {
    unsigned    blocks, warps, most_warps; /* on one multiprocessor; most_warps: what it can hold */
    const char *limiter;                   /* "threads", "blocks", "registers" or "shared memory"; NULL when it is full */
} Occupancy;

/* registers: of a thread, 0 = not known: they then limit nothing and the result is an upper bound.  shared: bytes of a block. */
Occupancy occupancy_of(const Limits *l, unsigned threads, unsigned registers, uint64_t shared);

/* Of a cooperative launch of so many blocks, which must all be resident at once.  `why` gets the limit, where it is refused. */
Refusal occupancy_together(const Limits *l, uint64_t blocks, unsigned threads, uint64_t shared, char why[REFUSAL_TEXT]);

/* The other way round: bytes that each of so many blocks has, its own variables included, so that a multiprocessor holds them all. */
unsigned occupancy_shared_each(const Limits *l, unsigned blocks);

#endif
