/* SPDX-License-Identifier: Apache-2.0
 *
 * --fail-on: what makes a report fail.  Conditions separated by commas, each one of
 *   error, warning, note          a finding of this severity or a worse one
 *   RULE or a category            a finding of it
 *   COUNTER OP NUMBER[@PLACE]     bank_conflicts>0@gemm.cu:42; OP: > >= < <= == !=; COUNTER: a name of counters.def, Nsight
 *                                 Compute's name of it, or bank_conflicts, requests, sectors, wavefronts (sums over the operations);
 *                                 PLACE: FILE, FILE:LINE or a kernel's name; without it the whole program */
#ifndef WW_REPORT_FAIL_H
#define WW_REPORT_FAIL_H

#include "base/status.h"
#include "base/str.h"
#include "report/report.h"

/* WW_ERR_INVALID: *why says what is wrong with the text. */
Status fail_check(const char *text, Str *why);
/* True when a condition holds.  `text` was checked.  Appends a line to *met for each that does: what it is, by how much, and where most of it is. */
bool   report_fails(Report *r, const char *text, Str *met);

#endif
