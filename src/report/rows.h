/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside the report: its rows, shared by the gatherer and the writers. */
#ifndef WW_REPORT_ROWS_H
#define WW_REPORT_ROWS_H

#include <jansson.h>
#include <regex.h>

#include "base/arena.h"
#include "check/count/count.h"
#include "check/rules.h"
#include "report/launches.h"
#include "report/report.h"
#include "report/suppress.h"

typedef struct RowLine {
    const char *file;
    uint32_t    line;
    WwCounters  counters;
} RowLine;

typedef struct Row { /* one kernel */
    const char *kernel, *symbol;
    uint64_t    launches, failed, unsupported;
    double      seconds;
    WwCounters  counters;
    uint64_t    exact, approximate, inexact; /* executed warp instructions by class */
    RowLine    *line; size_t nlines;         /* sorted by file and line */
    uint64_t    predicted;                   /* launches whose time was predicted */
    uint64_t    sampled, blocks, of;         /* launches of which only some blocks ran: so many of so many */
    uint64_t    spread;                      /* of them, those whose error is known */
    WwCounters  estimate, error;             /* of their whole grids */
    double      ns;                          /* the sum of those times */
    WwPrediction longest;                    /* of the launch that takes longest; its texts are the arena's */
    const char *why;                         /* the first launch that did not end well */
} Row;

typedef struct Missing {
    const char *name;
    uint64_t    calls;
} Missing;

typedef struct ReportFinding {
    WwFinding f;      /* kernel: as people read it */
    int64_t   launch; /* the first that showed it; -1: none */
    unsigned  schedule; /* likewise, from 1 on */
    json_t   *who;      /* program, arguments, pid of the first process that showed it; NULL: the report's own */
    json_int_t processes; /* that did */
} ReportFinding;

struct Report {
    Arena       *arena;
    Row         *row;     size_t nrows, rows_cap;
    Row         *range;   size_t nranges; /* kernel and symbol: an NVTX range; sums over the launches in it */
    bool         show_ranges;
    Missing     *missing; size_t nmissing;
    ReportCall  *call;    size_t ncalls; /* of libraries */
    const char **note;    size_t nnotes;
    uint64_t     looked;  /* launches that are not unwatched */
    size_t       keep;     /* launches that stand alone */
    Launches    *launches; /* when keep */
    ReportFinding *finding; size_t nfindings, findings_cap;
    unsigned     schedule; uint64_t seed; /* of what is added now */
    Parcel      *divert; /* where findings go instead; NULL: they are added */
    json_t      *who; json_int_t processes; /* likewise; who may be NULL */
    json_t      *own; /* who what is added by this process is of; NULL: not known */
    Suppressions suppress;
    RuleSet      rules;
    void       (*told)(void *user, const char *line); void *told_user; /* of each launch; NULL: nobody */
    uint64_t     limit; /* findings that are printed; 0: all */
    const char  *only;                       /* globs; NULL: every file */
    regex_t      kernels; bool has_kernels;
    const char **left; size_t nleft;         /* kernels that were left out */
};

/* findings_parcel.c: a finding, whole, into a parcel and out of it.  Its texts stay in the parcel, the rest is of the arena; p->bad says that it is
 * none. */
void      report_put_finding(Parcel *p, const WwFinding *f, const char *kernel, int64_t launch);
WwFinding report_read_finding(Arena *a, Parcel *p, const char **kernel, int64_t *launch);

/* A program's own PTX is text that nobody wrote: without -lineinfo it has no lines. */
bool report_is_written(const ReportLaunch *l, const WwLine *line);

/* Findings that are added from now on are of that process and not of our own, or of so many with that one as the first. */
void report_who(Report *r, json_t *who, json_int_t processes);

/* json.c */
/* NULL: null.  Names of files may be any bytes: of those that are not UTF-8 the ASCII part, the rest as '?'. */
json_t *text_json(const char *s);
json_t *launch_json(const ReportLaunch *l, bool first); /* first: of this kernel, whose patterns are listed */

#endif
