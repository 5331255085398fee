/* SPDX-License-Identifier: Apache-2.0
 *
 * What a program's kernels did, gathered launch by launch, and its writers: a table for people, JSON for programs.
 *
 * A Report holds one row for each kernel (sums over its launches), the source lines of each, the entry points that were called and
 * are not implemented, and, when asked to keep launches, the entries of its document (launches.h).  It is not thread-safe. */
#ifndef WW_REPORT_REPORT_H
#define WW_REPORT_REPORT_H

#include <stdbool.h>

#include "base/parcel.h"
#include "base/status.h"
#include "base/str.h"
#include "warpwright/warpwright.h"

typedef enum LaunchOutcome { LAUNCH_OK, LAUNCH_FAILED, LAUNCH_UNSUPPORTED } LaunchOutcome;

typedef struct ReportLaunch {
    const char     *kernel;  /* as people read it */
    const char     *symbol;  /* its name in the module */
    uint64_t        launch;  /* the n-th of the process, from 0 */
    const uint64_t *made_by; /* the host's launch that it came out of, where a kernel made it; NULL: the host did */
    WwDim3          grid, block;
    LaunchOutcome   outcome;
    double          seconds;
    const char     *why;     /* message of a launch that did not end well, or NULL */
    const WwResult *result;  /* NULL: it never began */
    bool            unwatched; /* its findings do not count */
    const char *const *ranges; size_t nranges; /* NVTX ranges that were open around the call, as range_text has them */
    bool            generated; /* the PTX came out of an executable: places in it are left out */
} ReportLaunch;

typedef struct Report Report;

/* What `--keep-launches` is without the option. */
enum { REPORT_LAUNCHES = 1000 };

/* keep_launches: that many stand alone in the document, the others are joined; 0: it is not made. */
Report *report_new(size_t keep_launches);
void    report_free(Report *r);
/* Entries of a document carry the process that they are of: this one (pid 0: null).  To be called before the document is made. */
void    report_process(Report *r, const char *program, const char *const *arguments, size_t n, long pid);
/* And, behind that, which rank of several it is or belongs to. */
void    report_rank(Report *r, unsigned rank);
void    report_add(Report *r, const ReportLaunch *l);
/* From now on told gets a line of each launch that is added: kernel, size, how it ended, time. */
void    report_tell(Report *r, void (*told)(void *user, const char *line), void *user);
/* An entry point was called that is not implemented; repeated names are counted. */
void    report_missing(Report *r, const char *entry_point);
typedef struct ReportCall { /* of a library, computed by the host: nothing of it was emulated */
    const char *library, *call; /* names, as its documentation has them */
    const char *by;             /* what computed it */
    uint64_t    count;
    double      operations;     /* floating-point ones of all of them; 0: not told */
} ReportCall;
/* Joined with what is of the same three names; the texts are copied. */
void    report_call(Report *r, const ReportCall *c);
/* A remark for the end of the table. */
void    report_note(Report *r, const char *text);
/* Nothing was launched, nothing missing, nothing remarked. */
bool    report_empty(const Report *r);
bool    report_unsupported(const Report *r);

/* ---- findings (findings.c, suppress.c; what makes a report fail: fail.h) ---- */

/* Adds one, joined with what is the same finding.  kernel: as people read it; launch -1: found outside any kernel. */
void   report_add_finding(Report *r, const WwFinding *f, const char *kernel, int64_t launch);
/* From now on findings go into the parcel, each behind REPORT_FINDING, for report_take_finding of another process; NULL: no more. */
enum { REPORT_FINDING = 1 };
void   report_divert(Report *r, Parcel *to);
/* Adds the one that is next, its REPORT_FINDING taken.  (findings_parcel.c) */
void   report_take_finding(Report *r, Parcel *from);
size_t report_finding_count(const Report *r);
typedef struct ReportSums {
    size_t errors, warnings, notes;
    uint64_t failed, launches; /* launches that ended badly; that were looked at */
} ReportSums;
ReportSums report_sums(const Report *r);
/* What follows was shown by the schedule of this seed; 0: the plain one.  Of every schedule but the first only findings
 * are kept, and of them only those that are new and do not speak of cost. */
void   report_schedule(Report *r, uint64_t seed);
/* Leaves only what later schedules showed. */
void   report_only_later(Report *r);
/* Leaves out findings of rules that are off; text as rules_select takes it, checked before. */
void   report_select(Report *r, const char *rules);
/* Reads a suppression file: what it names and what comes later is left out.  WW_ERR_IO, WW_ERR_PARSE: *why is the message. */
Status report_suppress(Report *r, const char *file, Str *why);
/* Appends "FILE:ROW: nothing was suppressed by this row" for each row of suppression files that was not used, one a line. */
void   report_unused(const Report *r, const char *file, Str *out);
/* Rows that were used, or are elsewhere: used(row) for each. */
void   report_used(Report *r, void (*each)(void *user, unsigned row), void *user);
void   report_use(Report *r, unsigned row);
/* From now on only findings in files that one of the globs fits (separated by commas; a finding without a place stays), and of kernels whose
 * name the expression fits; NULL: all. */
void   report_only(Report *r, const char *globs, const char *kernels);
/* A launch was left out, as its kernel does not fit. */
void   report_left_out(Report *r, const char *kernel);
/* Of such kernels the n-th, in order of their first launch; NULL: there are no more. */
const char *report_left(const Report *r, size_t n);
/* Appends a row for each finding, so that the next run with this file has none. */
Status report_write_suppressions(Report *r, const char *file);
/* Sorted by place: file:line:col: severity: message [rule], source line and caret; then how many there are. */
void   report_findings_text(Report *r, bool coloured, Str *out);
/* The warnings alone, without the last line. */
void   report_warnings_text(Report *r, bool coloured, Str *out);
void   report_sort(Report *r);
/* Prints at most so many of them; 0: all. */
void   report_limit(Report *r, uint64_t findings);

/* The text has a table of NVTX ranges, too. */
void report_show_ranges(Report *r);
/* The table, then the source lines that cost most. */
void report_text(const Report *r, Str *out);
/* Adds this process's kernels and findings to `file`, under a lock; a file that holds no such document is written afresh.
 * program may be NULL; exit_code < 0: not known (null).  WW_ERR_IO with errno set. */
WwStatus report_json(Report *r, const char *file, const char *program, int exit_code);

#endif
