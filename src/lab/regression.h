/* SPDX-License-Identifier: Apache-2.0
 *
 * The regression file of the banks experiment: every value of every kernel's output, and the seed its inputs came from.
 *
 *     # warpwright banks regression 1
 *     seed S
 *     kernel NAME COUNT
 *     VALUE            COUNT lines, nine significant digits: exact for a float
 *     kernel ...
 *
 * A file that exists is compared with, one that does not is written, and only when every result was verified. */
#ifndef WW_LAB_REGRESSION_H
#define WW_LAB_REGRESSION_H

#include "lab/run.h"

typedef struct Regression Regression;

/* Reads the file when it exists; malformed: lab_fail with its place. */
Status   regression_open(Lab *lab, const char *path, Regression **out);
void     regression_free(Regression *r);
/* Of the inputs: the file's, or `fresh` when there is none yet. */
uint64_t regression_seed(const Regression *r, uint64_t fresh);
/* Compares a kernel's output with the file, or keeps it to be written. */
void regression_take(Regression *r, Lab *lab, LabRow *row, const float *v, size_t n);
/* Writes a new file. */
Status regression_finish(Regression *r, Lab *lab);

#endif
