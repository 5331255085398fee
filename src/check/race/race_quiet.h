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
static inline __attribute__((always_inline)) uint32_t quiet_rows(const uint32_t *at, uint32_t lanes)
{
    uint32_t rows = 0;
    for (unsigned i = 0; i < LANES; i++)
        rows |= (lanes >> i & 1) << (at[i] >> ROW_BITS);
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
    if (!a || !c || p->tries++ & RETRY)
        return;
    for (uint32_t m = rows & ~p->quiet; m; m &= m - 1) {
        unsigned at    = (unsigned)__builtin_ctz(m) * ROW_WORDS;
        bool     quiet = true;
        for (unsigned i = at; i < at + ROW_WORDS; i++)
            quiet &= (a[i] >= since) & (c[i] >= since) & (((a[i] ^ c[i]) & differ) != 0) & (!w || w[i] < since) &
                     (!w2 || w2[i] < since);
        if (quiet) {
            p->quiet |= m & -m;
            p->tries = 0;
        }
    }
}

#endif
