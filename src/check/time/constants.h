/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines of constants that machine code reads: each one is waited for once on a multiprocessor. */
#ifndef WW_CHECK_TIME_CONSTANTS_H
#define WW_CHECK_TIME_CONSTANTS_H

#include "sass/cubin.h"
#include "sass/word.h"

enum { CONSTANT_BANKS = 32, CONSTANT_LINES = 1024 }; /* that a word can name; of a bank, each 64 bytes */

typedef struct Constants { /* zeros: none were read */
    bool   read[CONSTANT_BANKS][CONSTANT_LINES];
    double indexed[CONSTANT_BANKS]; /* bytes, at places that the code does not name */
} Constants;

/* An instruction that a warp runs so often; 0: it does not. */
void   constants_add(Constants *c, const SassWord *w, double times);
/* Clocks that a multiprocessor's first warp waits for them: `line` for each line, and `far` for each 256 bytes of the program's own. */
double constants_wait(const Constants *c, const CubinFunc *f, double line, double far);

#endif
