/* SPDX-License-Identifier: Apache-2.0
 *
 * A report as a document: the JSON that `run`, `check`, `lab` and `bench` write (docs/report.md), and what is made from it: SARIF, the
 * HTML page, text, and the comparison of two documents.  Writers never fail; what a document lacks is left out.
 *
 * Two kinds: a run has kernels[] and findings[], experiments have rows[]. */
#ifndef WW_REPORT_DOC_H
#define WW_REPORT_DOC_H

#include <jansson.h>
#include <stdbool.h>

#include "base/str.h"
#include "report/formats.h"
#include "report/report.h"

/* What the JSON file of a report would hold; program may be NULL, exit_code < 0: not known. */
json_t *doc_of(Report *r, const char *program, int exit_code);
/* The document of a file; NULL: *why says what is wrong with it.  json_decref frees it. */
json_t *doc_load(const char *file, Str *why);
bool    doc_is_run(const json_t *doc);

/* name -> its counters and `launches`, summed; to be json_decref'ed. */
json_t *doc_kernel_sums(const json_t *doc);
/* The findings as compilers write them, then a line for each kernel; of experiments, how many rows there are. */
void doc_text(const json_t *doc, bool colour, Str *out);
/* SARIF 2.1.0. */
void doc_sarif(const json_t *doc, Str *out);
/* Indented JSON, as it stands. */
void doc_json(const json_t *doc, Str *out);
/* Comma-separated values: a row for each launch. */
void doc_csv(const json_t *doc, Str *out);
/* JUnit's XML: a test case for each kernel. */
void doc_junit(const json_t *doc, Str *out);
/* doc_html of one document. */
void doc_page(const json_t *doc, Str *out);
/* One page that needs nothing else.  before and compared may be NULL. */
void doc_html(const json_t *doc, const char *before_name, const json_t *compared, Str *out);

/* Adds the entries of `from`, another document of a run, to `to`, as if the processes of both had written to it one after the other; keep: launches
 * that stand alone. */
void doc_join(json_t *to, const json_t *from, size_t keep);

/* Adds the document's findings to a report. */
void doc_findings(const json_t *doc, Report *r);

/* What got better or worse from a to b: {better, worse, rows: [{what, before, after, change}]}, of a kernel's counts also {kernel, metric,
 * lines: [{place, before, after, by}]}.  least: differences below that part of a value are none.  NULL: not of the same kind. */
json_t *doc_compare(const json_t *a, const json_t *b, double least);
void    doc_compare_text(const json_t *compared, bool lines, Str *out);
/* For a comment of a pull request; before, after: what the documents are called. */
void    doc_compare_markdown(const json_t *compared, const char *before, const char *after, Str *out);

/* May a report take the file's place?  Not where it holds something else: it exists, is not empty, and does not begin as a report does. */
bool doc_may_replace(const char *file);

/* A file's name: "%p" becomes the process id. */
void doc_name(const char *pattern, Str *out);
/* Writes the document to every file that is asked for.  false: *why says which file cannot be written. */
bool doc_render(const json_t *doc, const DocFiles *files, Str *why);
bool doc_write(const char *file, const Str *text, Str *why);

#endif
