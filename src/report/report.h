/* SPDX-License-Identifier: Apache-2.0
 *
 * What a program's kernels did, gathered launch by launch, and its writers: a table for people, JSON for programs.
 *
 * A Report holds one row for each kernel (sums over its launches), the source lines of each, the entry points that were called and
 * are not implemented, and, when asked to keep launches, one JSON object for each.  It is not thread-safe. */
#ifndef WW_REPORT_REPORT_H
#define WW_REPORT_REPORT_H

#include <stdbool.h>

#include "base/str.h"
#include "warpwright/warpwright.h"

typedef enum LaunchOutcome { LAUNCH_OK, LAUNCH_FAILED, LAUNCH_UNSUPPORTED } LaunchOutcome;

typedef struct ReportLaunch {
    const char     *kernel;  /* as people read it */
    const char     *symbol;  /* its name in the module */
    uint64_t        launch;  /* the n-th of the process, from 0 */
    WwDim3          grid, block;
    LaunchOutcome   outcome;
    double          seconds;
    const char     *why;     /* message of a launch that did not end well, or NULL */
    const WwResult *result;  /* NULL: it never began */
} ReportLaunch;

typedef struct Report Report;

Report *report_new(bool keep_launches);
void    report_free(Report *r);
void    report_add(Report *r, const ReportLaunch *l);
/* An entry point was called that is not implemented; repeated names are counted. */
void    report_missing(Report *r, const char *entry_point);
/* A remark for the end of the table. */
void    report_note(Report *r, const char *text);
/* Nothing was launched, nothing missing, nothing remarked. */
bool    report_empty(const Report *r);
bool    report_unsupported(const Report *r);
/* True when a finding is at or above what --fail-on names: a severity (error, warning, note) or a rule. */
bool    report_fails(const Report *r, const char *fail_on);

/* The table, then the source lines that cost most. */
void report_text(const Report *r, Str *out);
/* Adds this process's kernels and findings to `file`, under a lock; a file that holds no such document is written afresh.
 * program may be NULL; exit_code < 0: not known (null).  WW_ERR_IO with errno set. */
WwStatus report_json(const Report *r, const char *file, const char *program, int exit_code);

#endif
