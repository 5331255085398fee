/* SPDX-License-Identifier: Apache-2.0
 *
 * What an access finds in the cells of shadow memory and leaves there. */
#ifndef WW_CHECK_RACE_CELLS_H
#define WW_CHECK_RACE_CELLS_H

#include "check/race.h"

enum { PAGE_CACHE = 1024 };

typedef struct Cells { /* one worker */
    RaceRun *run;
    Findings found;
    bool     locks; /* other workers look at the same pages */
    uint64_t number[PAGE_CACHE];
    Page    *page[PAGE_CACHE];
} Cells;

typedef struct Touch { /* one warp access */
    Cells        *cells;
    RaceBlock    *b;
    const Access *a;
    Stamp         dead;  /* what is below is nobody's business */
    Stamp         me;    /* of lane 0 */
    uint32_t      flags; /* lanes whose volatile write sets a flag */
    bool          writes, strong, async;
} Touch;

/* Looks at every cell, reports clashes, and keeps the access: the function for this processor. */
typedef void CellsTouch(const Touch *t);
CellsTouch  *cells_touch(void);

#endif
