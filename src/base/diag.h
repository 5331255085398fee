/* SPDX-License-Identifier: Apache-2.0
 *
 * Diagnostics: located messages about bad input.  A Diags collects them; nothing here prints.
 * Rendered form:   file:line:col: error: message
 *                  source line
 *                  ^ caret under the column                                                     */
#ifndef WW_BASE_DIAG_H
#define WW_BASE_DIAG_H

#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"

typedef enum DiagSeverity { DIAG_NOTE, DIAG_WARNING, DIAG_ERROR } DiagSeverity;

typedef struct Diag {
    DiagSeverity severity;
    const char  *file;    /* as the user named it; may be NULL */
    unsigned     line, col; /* from 1; 0 = unknown */
    const char  *message; /* what is wrong, what was expected, what to do; no trailing newline */
    const char  *source;  /* the source line without its newline, or NULL */
} Diag;

typedef struct Diags {
    Arena *arena; /* owns the strings */
    Diag  *list;
    size_t count, cap;
    size_t errors; /* how many of them are DIAG_ERROR */
} Diags;

void diags_init(Diags *d);
void diags_free(Diags *d);
/* Adds one; strings are copied.  `source` points into the text at the start of the line (it is cut at the
 * newline or at the terminating zero), or is NULL. */
void diag_add(Diags *d, DiagSeverity sev, const char *file, unsigned line, unsigned col, const char *source,
              const char *fmt, ...) __attribute__((format(printf, 7, 8)));
/* Appends the rendered form of all to `out`. */
void diags_render(const Diags *d, Str *out);

#endif
