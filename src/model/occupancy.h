/* SPDX-License-Identifier: Apache-2.0
 *
 * Occupancy: how many blocks of a kernel one multiprocessor holds at once, and what keeps it from holding more.  Pure. */
#ifndef WW_MODEL_OCCUPANCY_H
#define WW_MODEL_OCCUPANCY_H

#include "model/profile.h"

typedef struct Occupancy {
    unsigned    blocks, warps, most_warps; /* on one multiprocessor; most_warps: what it can hold */
    const char *limiter;                   /* "threads", "blocks", "registers" or "shared memory"; NULL when it is full */
} Occupancy;

/* registers: of a thread, 0 = not known: they then limit nothing and the result is an upper bound.  shared: bytes of a block. */
Occupancy occupancy_of(const Arch *a, unsigned threads, unsigned registers, unsigned shared);

#endif
