/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of a page that reads leave as they are.  A row is 16 words.  It is quiet when no write to it is alive and each of its words has two
 * readers that are as far apart as there are: another weak read would find nothing and leave nothing.  That stays so until somebody writes
 * to the page, or a barrier or a launch makes the readers too old, which changes what is dead (Page.quiet_since).
 * Not for kernels with flags, open launches and memory that asynchronous operations touch: there two readers are not enough. */
#ifndef WW_CHECK_RACE_QUIET_H
#define WW_CHECK_RACE_QUIET_H

#include "check/race/race_cells.h"

enum { ROW_BITS = 6, ROW_BYTES = 1 << ROW_BITS, ROW_WORDS = 16, RETRY = 7 };

/* The rows of the lanes' places, a bit each. */
static inline __attribute__((always_inline)) uint64_t quiet_rows(const uint32_t *at, uint32_t lanes)
{
    uint64_t rows = 0;
    for (unsigned i = 0; i < LANES; i++)
        rows |= (uint64_t)(lanes >> i & 1) << (at[i] >> ROW_BITS);
    return rows;
}

static inline bool quiet_has(const Page *p, Stamp since, uint64_t rows)
{
    return p->quiet_since == since && !(rows & ~p->quiet);
}

/* The rows of bytes [low, high] of a page. */
static inline uint64_t rows_between(uint32_t low, uint32_t high)
{
    return (UINT64_C(2) << (high >> ROW_BITS)) - (UINT64_C(1) << (low >> ROW_BITS));
}

/* A read found its words full: is the whole row?  differ: bits that tell readers apart that are far enough. */
static inline void quiet_try(Page *p, Stamp since, uint64_t rows, Stamp differ)
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
    for (uint64_t m = rows & ~p->quiet; m; m &= m - 1) {
        unsigned at    = (unsigned)__builtin_ctzll(m) * ROW_WORDS;
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
