/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside `warpwright run`: one run of a program, and what its processes are told. */
#ifndef WW_CLI_RUN_OWN_H
#define WW_CLI_RUN_OWN_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "cli/cli.h"
#include "cli/together.h"

typedef struct Run {
    CliArgs  a;
    char     libs[PATH_MAX];                       /* the folder of the drop-in libraries */
    char    *status, *built, *json, *later, *link; /* temporary files; NULL = none; later: JSON of a later schedule */
    FILE    *log;                                  /* where what is told at the end goes */
    int      claim;                                /* see claim_report; 0 or less: none */
    pid_t    child;
    uint64_t schedule; /* that runs now, from 0 on */
    Together together; /* --ranks */
} Run;

/* Does each process write a file of its own under this option? */
bool        run_per_process(const Run *r, const char *option);
/* Where the processes write JSON; NULL: nowhere. */
const char *run_json_file(const Run *r);
uint64_t    run_seed_of(const Run *r, uint64_t schedule);

/* run_environment.c: sets every variable that the program's processes read (WARPWRIGHT_OPTION, the linker's, Python's). */
void run_environment(const Run *r);

#endif
