/* SPDX-License-Identifier: Apache-2.0
 *
 * run --ranks: the runs of all ranks of one start, each with its own program and its own emulated devices, and one report of them.
 *
 *     together_begin     all have come
 *     ... each runs its program ...
 *     together_gather    all programs have ended; the first rank knows what every other one has to say
 *     ... the first rank writes and tells the report ...
 *     together_end       it is written: all may end (an MPI launcher kills the others when one ends badly) */
#ifndef WW_CLI_TOGETHER_H
#define WW_CLI_TOGETHER_H

#include "base/ranks.h"
#include "cli/cli.h"

typedef struct TogetherRank {
    int  code; /* its program's exit code */
    bool gone; /* it ended before it could say so */
} TogetherRank;

typedef struct Together { /* zero it first */
    RanksWho      who;
    Ranks        *ranks; /* NULL: this is the only one */
    char         *json;  /* the document of this rank's processes */
    TogetherRank *rank;  /* by rank, after together_gather on the first one that is left */
    bool          given; /* the others have what this one has to say */
    bool          first; /* this one writes and tells the report: rank 0, or the lowest that is left */
    Str           gone;  /* ranks that are gone, as a sentence; empty: none */
} Together;

/* False after a message.  stop: see RanksAsk. */
bool together_begin(Together *t, const CliArgs *a, const volatile int *stop);
/* Worker threads for each of the ranks that share this machine's cores, where nobody gave each its own. */
unsigned together_threads(const RanksWho *w);
/* Is this process a rank, whether or not --ranks is given? */
bool together_is_rank(void);
/* What the program's processes are told. */
void together_export(const Together *t, const CliArgs *a);
enum { TOGETHER_GRACE = 5 }; /* seconds */
/* status: this rank's status file (outcome.h).  That of the first rank gets the rows of all.  bad: its program ended so that the others may wait for it
 * for ever; then this waits for them TOGETHER_GRACE seconds at most, as the launcher will not end them before this rank ends. */
bool together_gather(Together *t, int code, bool bad, const char *status);
/* This rank's document becomes that of all.  False after a message. */
bool together_join(const Together *t, const CliArgs *a);
/* Was it one of several? */
bool together_end(Together *t);

#endif
