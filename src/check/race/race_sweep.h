/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses that native code tells of at once (observer.h). */
#ifndef WW_CHECK_RACE_SWEEP_H
#define WW_CHECK_RACE_SWEEP_H

#include "check/race/race_cells.h"

/* What all lanes of a weak read of words in shared memory look like, where that is one of: words side by side; the same 16 for both halves
 * of the warp; a few words, each for several lanes side by side. */
typedef enum SweptShape { SHAPE_OTHER, SHAPE_ROW, SHAPE_TWINS, SHAPE_GROUPS } SweptShape;

enum { SWEPT_GROUPS = 4 };

typedef struct SweptAccess {
    uint16_t site;
    uint8_t  shape, groups;
    uint8_t  first[SWEPT_GROUPS]; /* lanes */
} SweptAccess;

typedef struct Swept { /* what is known of a Sweep */
    bool        simple; /* all of it is weak, in a kernel without flags, and nothing but cells is to be looked at */
    uint32_t    reads;  /* parties of weak reads of words in shared memory, a bit each */
    uint32_t    apart;  /* those of them where each word is read for one group of lanes only */
    SweptAccess access[];
} Swept;

/* site, strength: of an access.  free(). */
Swept *swept_new(RaceRun *r, const Sweep *of, unsigned (*site)(RaceRun *r, uint32_t instr),
                 Strength (*strength)(RaceRun *r, const Access *a));
/* A simple one. */
void   swept_touch(Cells *cells, RaceBlock *b, const SweepCall *c, const Swept *s);

/* race_cells.c.  The function for this processor.  t: by space, all but a, writes, and the site of me.  Parties in `skip` are left out. */
typedef void CellsSweep(const Touch t[2], const SweepCall *c, const Swept *s, uint32_t skip);
CellsSweep  *cells_sweep(void);
/* Would weak reads of [at, at + bytes) of the page find nothing and leave nothing? */
bool         cells_quiet(const Touch *t, const Page *p, uint32_t at, uint32_t bytes);

#endif
