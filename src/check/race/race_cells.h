/* SPDX-License-Identifier: Apache-2.0
 *
 * What an access finds in the cells of shadow memory and leaves there. */
#ifndef WW_CHECK_RACE_CELLS_H
#define WW_CHECK_RACE_CELLS_H

#include "check/race/race.h"

enum { PAGE_CACHE = 1024 };

typedef struct Cells { /* one worker */
    RaceRun *run;
    Findings found;
    bool     locks; /* other workers look at the same pages */
    uint64_t number[PAGE_CACHE];
    Page    *page[PAGE_CACHE];
} Cells;

typedef struct RaceState { /* one worker */
    RaceRun       *run;
    RaceBlock     *current; /* the block of the last call */
    RaceBlock     *active, *idle;
    ClusterOrder  *clusters;
    Cells          cells;
    struct Swept **swept;
    uint32_t       nswept; /* by Sweep.number; NULL: not met yet */
} RaceState;

typedef struct Touch { /* one warp access */
    Cells        *cells;
    RaceBlock    *b, *owner; /* who; whose shared memory, NULL: global */
    const Access *a;
    Page         *pages; /* shared memory: whose it is */
    Stamp         dead;  /* what is below is nobody's business */
    Stamp         base;  /* likewise for what threads did */
    Stamp         me;    /* of lane 0 */
    uint32_t      flags; /* lanes whose volatile write sets a flag */
    bool          writes, strong;
} Touch;

/* race_bulk.c: one side of an asynchronous operation that b issued.  owner: whose shared memory, NULL: global; mbar: whose mbarrier, or
 * NULL. */
void race_bulk(Cells *cells, RaceBlock *b, RaceBlock *owner, RaceBlock *mbar, const AsyncAccess *a, unsigned site);
/* The block ends: nobody else may still need its shared memory. */
void race_bulk_end(Cells *cells, RaceBlock *b);
/* The page of a global address. */
Page *cells_page(Cells *s, uint64_t address);
/* A load through the read-only cache: reports what this launch wrote before it. */
void cells_read_only(const Touch *t);
/* Looks at every cell, reports clashes, and keeps the access: the function for this processor. */
typedef void CellsTouch(const Touch *t);
CellsTouch  *cells_touch(void);
/* Whose stamp in b's memory or in global memory; what is too old to matter counts as b's own launch's. */
static inline uint32_t cells_launch(const Cells *c, const RaceBlock *b, Stamp s)
{
    if (stamp_time(s) < c->run->floor || stamp_serial(s) == (uint32_t)(b->now >> TICK_BITS))
        return b->launch;
    return serials_info(b->serials, stamp_serial(s))->launch;
}

#endif
