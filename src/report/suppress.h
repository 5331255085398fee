/* SPDX-License-Identifier: Apache-2.0
 *
 * Findings that somebody has read and does not want to see again: from comments in the source and from a suppression file.
 *
 *   in the source   // warpwright: ignore[rule,rule]     on the finding's line or the line above; ignore alone: every rule
 *   in a file       one a line:  rule  FILE[:LINE]  KERNEL
 *                   rule: or a category; FILE: the end of the path; KERNEL: may be left out; each may be a glob; # at the start or
 *                   behind a blank begins a comment; a name with such bytes stands in quotation marks, with \ before " \ and n (a line's end) */
#ifndef WW_REPORT_SUPPRESS_H
#define WW_REPORT_SUPPRESS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/status.h"
#include "base/str.h"

typedef struct Suppression {
    const char *rule, *file, *kernel; /* globs */
    uint32_t    line;                 /* 0: any */
    unsigned    row;                  /* of the file, from 1 on */
    bool        used;
} Suppression;

typedef struct Suppressions {
    Arena       *arena;
    Suppression *list; size_t n;
    uint64_t     hits;
} Suppressions;

/* Adds the rows of a file.  WW_ERR_IO with errno set; WW_ERR_PARSE: *why is the located message. */
Status suppressions_read(Suppressions *s, const char *file, Str *why);
/* Is it suppressed?  Counts it when it is. */
bool   suppressions_match(Suppressions *s, const WwFinding *f);
/* A row that suppresses exactly this finding. */
void   suppression_row(const WwFinding *f, Str *out);
void   suppressions_free(Suppressions *s);

#endif
