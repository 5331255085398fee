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

typedef struct SweptWord { /* of one access */
    uint32_t at;            /* from the party's lowest byte */
    uint8_t  first, second; /* lanes that read it; the same: only one does */
} SweptWord;

typedef struct SweptAccess {
    uint32_t word, nwords; /* Swept.word; 0: it is looked at lane by lane */
    uint16_t site;
    uint8_t  shape, groups;
    uint8_t  first[SWEPT_GROUPS]; /* lanes */
} SweptAccess;

typedef struct SweptRun { /* bytes in a row that a party touches, none of the run beside it */
    uint32_t at, bytes;   /* at: from the party's lowest */
    uint64_t number;      /* of the page of global memory that it was met in last */
    Page    *page;        /* NULL: none */
} SweptRun;

typedef struct SweptParty {
    uint32_t first, nruns;
    uint32_t longest;     /* of its runs, in bytes */
    bool     in_rows;     /* each run is as long, and begins as far into a row (race_quiet.h) as the party does */
    uint64_t row, stirs;  /* the row it began in when it was last found quiet, and LaunchInfo.stirs then */
    uint32_t rows;        /* that each run reached into beyond its first */
    uint64_t from, end, since; /* pages that were quiet when LaunchInfo.stirs was `since` */
    uint32_t around;      /* so many on each side were looked at then */
} SweptParty;

typedef struct Swept { /* what is known of a Sweep */
    bool        simple; /* all of it is weak, in a kernel without flags, and nothing but cells is to be looked at */
    bool        writes; /* it is a store */
    bool        words;  /* whole words; a store: each by one lane */
    uint32_t    shared; /* parties in shared memory, a bit each */
    uint32_t    quiets; /* parties of weak reads of words in global memory */
    uint32_t    quiet;  /* those that swept_quiet found quiet last */
    uint32_t    reads;  /* parties of weak reads of words in shared memory */
    uint32_t    apart;  /* those of them where each word is read for one group of lanes only */
    SweptRun   *run;
    SweptWord  *word;
    SweptParty  party[SWEEP_PARTIES];
    SweptAccess access[];
} Swept;

/* site, strength: of an access. */
Swept *swept_new(RaceRun *r, const Sweep *of, unsigned (*site)(RaceRun *r, uint32_t instr),
                 Strength (*strength)(RaceRun *r, const Access *a));
void   swept_free(Swept *s);
/* Parties in global memory that would find nothing and leave nothing, but for those that rest. */
uint32_t swept_quiet(Cells *cells, const SweepCall *c, Swept *s);
/* Right behind that: which of these parties would it find quiet wherever they lie in the ranges, which are made narrower (Observer.rests)? */
uint32_t swept_rests(Cells *cells, const SweepCall *c, Swept *s, uint32_t parties, SweepRange *range);
/* A simple one.  Parties in `skip` are left out. */
void   swept_touch(Cells *cells, RaceBlock *b, const SweepCall *c, const Swept *s, uint32_t skip);

/* race_words.c.  The words that x reads, sorted, each once; how many, at most LANES for each word of a lane. */
uint32_t words_find(SweptWord *word, const SweepAccess *x);
/* Looks at a weak read of such words in global memory and keeps it.  false: the usual way must look at it, whatever was kept here. */
bool     words_touch(const Touch *t, const SweepCall *c, const SweepAccess *x, const SweptWord *word, uint32_t n);

/* race_cells.c.  The function for this processor.  t: by space, all but a, writes, and the site of me.  Parties in `skip` are left out. */
typedef void CellsSweep(const Touch t[2], const SweepCall *c, const Swept *s, uint32_t skip);
CellsSweep  *cells_sweep(void);
/* Would weak reads of [at, at + bytes) of the page find nothing and leave nothing? */
bool         cells_quiet(const Touch *t, const Page *p, uint32_t at, uint32_t bytes);

#endif
