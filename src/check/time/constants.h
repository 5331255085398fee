/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines of constants that machine code reads: each one is waited for once on a multiprocessor. */
#ifndef WW_CHECK_TIME_CONSTANTS_H
#define WW_CHECK_TIME_CONSTANTS_H

#include "sass/cubin.h"
#include "sass/word.h"

enum { CONSTANT_BANKS = 32, CONSTANT_LINES = 256 }; /* that a word can name; of a bank */

typedef struct Constants { /* zeros: none were read */
    bool   read[CONSTANT_BANKS][CONSTANT_LINES];
    double indexed[CONSTANT_BANKS]; /* bytes, at places that the code does not name */
} Constants;

/* An instruction that a warp runs so often; 0: it does not. */
void   constants_add(Constants *c, const SassWord *w, double times);
/* Of the arguments: without those lines that the launch of any kernel brings. */
double constants_arguments(const Constants *c, const CubinFunc *f);
/* Of all other banks. */
double constants_others(const Constants *c, const CubinFunc *f);

#endif
