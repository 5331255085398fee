/* SPDX-License-Identifier: Apache-2.0
 *
 * A command whose grids are spread over the ranks of one start (mpirun -n 4 warpwright check ...): every rank does what the command says, each with its
 * stretch of every grid, and gives the others what its blocks did (device/emulator_share.c).  Rank 0 has the whole then: it alone tells and
 * writes, what one process would, and its exit code is that of all. */
#ifndef WW_CLI_SPREAD_H
#define WW_CLI_SPREAD_H

#include "base/ranks.h"
#include "cli/cli.h"
#include "device/device.h"

typedef struct Spread { /* zero it first; one process alone: nothing of it is used */
    const char *verb;
    RanksWho    who;
    Ranks      *ranks; /* NULL: alone */
    DeviceShare share;
} Spread;

typedef struct SpreadAsk {
    const char         *verb;
    const volatile int *stop; /* see RanksAsk */
    struct {
        const char *option, *why; /* "goes with all blocks in one process" */
    } alone[4];                   /* what cannot be spread; behind the last one NULL */
} SpreadAsk;

/* Meets the others, where this process is one of several and --ranks does not say off.  False after a message. */
bool spread_begin(Spread *k, const CliArgs *a, const SpreadAsk *ask);
/* Is another rank the one that writes and tells? */
bool spread_other(const Spread *k);
/* All have that of rank 0 then.  False after a message. */
bool spread_number(Spread *k, uint64_t *number);
/* All end with the code of rank 0; what is not CLI_OK on another one ends all with its message. */
int  spread_end(Spread *k, int code);

#endif
