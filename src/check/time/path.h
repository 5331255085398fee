/* SPDX-License-Identifier: Apache-2.0
 *
 * How long one warp takes that runs machine code alone: from one stretch of it to the next, with its loops. */
#ifndef WW_CHECK_TIME_PATH_H
#define WW_CHECK_TIME_PATH_H

#include "sass/word.h"

typedef struct PathStretch { /* instructions of which only the last one jumps, and only the first one is jumped to */
    size_t first, end;
    double times; /* that all warps together run it; 0: never */
    size_t routine, returns; /* the stretches that it calls at its end, the first one and behind the last one; both 0: it calls nothing */
    bool   called;           /* it lies in a routine, and runs where that is called alone */
    double entered, entered_most; /* that control comes from outside to the loop that it begins; at most; 0: not known */
} PathStretch;

typedef struct PathInput {
    const SassWord    *word;
    const double      *there; /* by word: clocks until what its barrier tells is there */
    const double      *lines; /* by word: clocks that its access takes of L1, a line each; NULL: none */
    const double      *parts; /* by word: clocks that it takes more as lanes part there; NULL: none */
    const double      *fetch; /* by word: clocks that it takes at least, as code has to come from afar; NULL: none */
    size_t             words;
    double             near;  /* clocks until the sources of an instruction were read, where a barrier tells */
    const PathStretch *stretch; /* all words in their order */
    size_t             stretches;
    double             warps, blocks; /* that take this way; blocks may be fewer than launched: those that work */
} PathInput;

/* Is the instruction a jump that is always taken, or an end? */
bool path_ends(const SassWord *w);

/* Of each stretch: behind the last one of the loop that it begins; 0: it begins none.  `times` are not looked at. */
void path_loops(const PathInput *in, size_t *end);

/* Clocks from the first to the last instruction of a warp that does what its block waits for. */
double path_clocks(const PathInput *in);

#endif
