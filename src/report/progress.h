/* SPDX-License-Identifier: Apache-2.0
 *
 * The line on a terminal that says how far a long launch has come.  What uses it draws while kernels run and clears before anything else is
 * printed. */
#ifndef WW_REPORT_PROGRESS_H
#define WW_REPORT_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

typedef struct Progress { /* zero it first */
    bool            begun, drawn; /* drawn: atomic, the line stands on the terminal */
    uint64_t        launch;       /* the one that the times are of */
    struct timespec first, last;  /* when it was first told of; when it was last drawn */
} Progress;

typedef struct ProgressNow {
    const char *kernel;   /* as people read it */
    uint64_t    launch;   /* the n-th of the process, from 0 */
    uint64_t    done, blocks;
    size_t      findings; /* of the launches before */
} ProgressNow;

/* May the line be drawn at all: standard error is a terminal that can take a line back. */
bool progress_possible(void);
/* Draws the line on standard error: from two seconds after the launch was first told of, four times a second.  Not by two threads at once. */
void progress_tell(Progress *p, const ProgressNow *now);
/* Takes the line away, where one stands. */
void progress_clear(Progress *p);

#endif
