/* SPDX-License-Identifier: Apache-2.0
 *
 * Mends that are one change of one line: edits for editors and code-scanning sites. */
#ifndef WW_REPORT_FIXES_H
#define WW_REPORT_FIXES_H

#include <jansson.h>
#include <stdbool.h>

#include "report/source.h"

typedef struct Fix { /* columns from 1, in bytes; what is between them becomes `text` */
    size_t line, from, to;
    char   text[96];
} Fix;

/* The edit that makes the finding's mend, in the finding's own file; false: there is none that is sure. */
bool fix_of(const json_t *finding, Sources *s, Fix *out);

#endif
