/* SPDX-License-Identifier: Apache-2.0
 *
 * Measured matrix products: what one is, who computes it, and readings taken in turns.  Blocks have 16 x 16 threads; sizes are multiples of that.
 *
 * A shared host runs the same launch at half its speed from one second to the next, so two readings compare only when they were taken side by
 * side.  Each party has a process of its own (memory and SIMD level are its own), all of them are ready at the same time, and
 * product_turns asks one after the other for a launch, round after round. */
#ifndef WW_BENCH_PRODUCT_H
#define WW_BENCH_PRODUCT_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "warpwright/warpwright.h"

enum { PRODUCT_BLOCK = 16, MOST_TURNS = 64 };

typedef struct Product {
    const char *kernel;
    bool        x_on_rows; /* a thread's x is the row of its element, else the column */
    unsigned    m, k, n;   /* m x k by k x n */
    unsigned    threads;
    bool        counters;
    const char *check;     /* as WwDeviceOptions */
    const char *simd;      /* NULL: the best level */
} Product;

typedef struct Reading {
    double   seconds, processor; /* of a launch, by the clock and of processor time */
    double   native;             /* the share of it that ran as native code */
    uint64_t instructions;       /* of a warp */
} Reading;

/* Who computes it. */
typedef struct Maker {
    bool (*is_here)(void);                  /* false after a message */
    void *(*open)(const Product *p);        /* NULL after a message */
    bool (*launch)(void *x, Reading *out);  /* false after a message */
    bool (*close)(void *x, const Product *p); /* is the result right?  false after a message */
} Maker;
extern const Maker product_emulator;

typedef struct Party {
    const Maker *maker;
    Product      product;
    /* What came out: of round i the fastest launch, 0 where it had no turn.  `failed` after a message; `missing`: its maker is not here. */
    bool    failed, missing;
    double  seconds[MOST_TURNS], processor[MOST_TURNS];
    Reading last;
    double  memory_mib; /* peak of the process */
    /* Its process. */
    int      to, from;
    int      process;
    unsigned every; /* it has a turn in every so many rounds */
} Party;

/* Readings of all, for about so many seconds; the first party has a turn in every round.  False: one failed. */
bool product_turns(Party *parties, unsigned count, double seconds);
/* Of all rounds: the least, and the median of what a took over what b took in the same round.  By processor time, or (`clock`) by the clock. */
double party_least(const Party *p, bool clock);
double party_ratio(const Party *a, const Party *b, bool clock);

/* ---- for makers ----- */

WwDim3 product_grid(const Product *p);
/* Element i of a factor (seed 1: left, 2: right): between -0.5 and 0.5. */
float product_element(unsigned seed, unsigned i);
/* Are some elements of the result right?  `element` gives those asked for; false after a message. */
bool product_right(const Product *p, bool (*element)(void *user, uint64_t at, float *out), void *user);
/* Seconds. */
double product_clock(clockid_t clock);

#endif
