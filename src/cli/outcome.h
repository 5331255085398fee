/* SPDX-License-Identifier: Apache-2.0
 *
 * What the processes of a run left in its status file, one line each, and what `run` makes of it.
 *
 *     file                                      a report could not be written
 *     kernel                                    a kernel could not be run
 *     findings TAB sentence                     a condition of --fail-on that holds
 *     used TAB row                              that row of the suppression file has suppressed something
 *     left TAB kernel                           --kernel, --launch-skip or --launch-count have left out launches of it
 *     unfinished                                it called MPI_Init and ended without MPI_Finalize: other ranks may wait for it
 *     process TAB pid TAB exit code TAB errors TAB warnings TAB notes TAB failed launches TAB launches that were looked at TAB program and arguments
 *
 * Processes append whole lines in any order; what is told is sorted. */
#ifndef WW_CLI_OUTCOME_H
#define WW_CLI_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

typedef struct Outcome {
    bool   file, kernel, findings, unfinished;
    char   **met, **left; /* conditions that hold, and kernels, each once and sorted */
    size_t   nmet, nleft;
    unsigned *used;       /* rows */
    size_t   nused;
    struct OutcomeProcess *process;
    size_t nprocesses;
} Outcome;

/* A file that cannot be read says nothing. */
Outcome outcome_read(const char *status);
void    outcome_free(Outcome *o);
/* The exit code: `code` is the program's own. */
int     outcome_code(const Outcome *o, int code);
/* the sums of all processes and a line for each with findings or failures (quiet: only where there are any), where CUDA was used by
 * more than the program itself (`child`). */
void    outcome_tell_processes(const Outcome *o, pid_t child, bool quiet, FILE *to);
/* Launches that were looked at. */
uint64_t outcome_watched(const Outcome *o);
/* the conditions that hold. */
void    outcome_tell_met(const Outcome *o, FILE *to);

#endif
