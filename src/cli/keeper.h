/* SPDX-License-Identifier: Apache-2.0
 *
 * What ends a run's processes when `run` itself is killed outright and can do nothing any more.
 *
 * The program itself dies with its parent (PR_SET_PDEATHSIG), but what it started does not.  So a second process, the keeper, waits at a pipe:
 * a word from `run` sends it home, the pipe's end means that `run` is gone.  Then it kills every process whose environment names the run, and
 * that is all that descends from it, whatever session or parent it has by then; only what took the name out of its environment stays.  The keepers
 * of runs among these are left to end by themselves, as each removes its own run's temporary files.
 * A run that ends by itself leaves alone what its program left behind: that may be meant. */
#ifndef WW_CLI_KEEPER_H
#define WW_CLI_KEEPER_H

#include <stddef.h>
#include <sys/types.h>

typedef struct Keeper {
    pid_t pid; /* 0: there is none */
    int   pipe;
} Keeper;

/* Names the run in this process's environment, which those that it starts inherit, and starts the keeper.  name: unique, without a colon.
 * files: n temporary ones, which go with the run where it is killed; NULL: none.
 * Without processes or descriptors to spare there is no keeper, and the run goes on. */
Keeper keeper_start(const char *name, char *const *files, size_t n);
/* The run ends by itself. */
void   keeper_end(Keeper *k);

#endif
