/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of a page that reads leave as they are.  A row is 32 words.  It is quiet when no write to it is alive and each of its words has two
 * readers that are as far apart as there are: another weak read would find nothing and leave nothing.  That stays so until somebody writes
 * to the page, or a barrier or a launch makes the readers too old, which changes what is dead (Page.quiet_since).
 * Not for kernels with flags, open launches and memory that asynchronous operations touch: there two readers are not enough. */
#ifndef WW_CHECK_RACE_QUIET_H
#define WW_CHECK_RACE_QUIET_H

#include "check/race/race_cells.h"

enum { ROW_BITS = 7, ROW_WORDS = 32, RETRY = 7 };

/* The rows of the lanes' places, a bit each. */
static inline uint32_t quiet_rows(const uint32_t *at, uint32_t lanes)
{
    uint32_t rows = 0;
    if (lanes == UINT32_MAX && at[0] >> ROW_BITS == at[LANES - 1] >> ROW_BITS &&
        at[LANES - 1] - at[0] < 1u << ROW_BITS &&
        at[0] >> ROW_BITS == at[LANES / 2] >> ROW_BITS) { /* mostly; the rest is looked at below */
        uint32_t row = at[0] >> ROW_BITS, other = 0;
        for (unsigned i = 0; i < LANES; i++)
            other |= at[i] >> ROW_BITS ^ row;
        if (!other)
            return UINT32_C(1) << row;
    }
    for (uint32_t m = lanes; m; m &= m - 1)
        rows |= UINT32_C(1) << (at[__builtin_ctz(m)] >> ROW_BITS);
    return rows;
}

static inline bool quiet_has(const Page *p, Stamp since, uint32_t rows)
{
    return p->quiet_since == since && !(rows & ~p->quiet);
}

/* A read found its words full: is the whole row?  differ: bits that tell readers apart that are far enough. */
static inline void quiet_try(Page *p, Stamp since, uint32_t rows, Stamp differ)
{
    const Stamp *w = p->plane[PLANE_WRITE], *w2 = p->plane[PLANE_WRITE2], *a = p->plane[PLANE_READ],
                *c = p->plane[PLANE_READ2];
    if (p->quiet_since != since) {
        p->quiet_since = since;
        p->quiet       = 0;
        p->tries       = 0;
    }
    if (!a || !c || (rows & (rows - 1)) || p->tries++ & RETRY)
        return;
    unsigned at    = (unsigned)__builtin_ctz(rows) * ROW_WORDS;
    bool     quiet = true;
    for (unsigned i = at; i < at + ROW_WORDS; i++)
        quiet &= (a[i] >= since) & (c[i] >= since) & (((a[i] ^ c[i]) & differ) != 0) & (!w || w[i] < since) &
                 (!w2 || w2[i] < since);
    if (quiet) {
        p->quiet |= rows;
        p->tries = 0;
    }
}

#endif
