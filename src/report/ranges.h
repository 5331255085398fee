/* SPDX-License-Identifier: Apache-2.0
 *
 * NVTX ranges in which a program launches, as text and as the expressions of --nvtx-include and --nvtx-exclude, which are Nsight Compute's:
 *
 *     [DOMAIN@]A/B/+/C   ranges that were pushed, from the outer to the inner: each directly in the one before; `+` in the place of a
 *                          range: any one, a star: any number; `[` before the first: it is the outermost, `]` behind the last: it is the innermost.
 *                          One range alone: A/
 *     [DOMAIN@]A,B         ranges that were started and not ended, all of them
 *
 * A name is meant as it is, or behind `regex:` as a regular expression; `\` takes the special meaning from what follows. */
#ifndef WW_REPORT_RANGES_H
#define WW_REPORT_RANGES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

typedef struct RangePath { /* of one domain */
    const char        *domain; /* NULL: the default one */
    bool               pushed; /* the ranges of a thread's stack, outermost first; false: one range that was started */
    const char *const *name;
    size_t             n;
} RangePath;

/* As an expression that fits it: "io@load/", "step 3/forward/", "io@load". */
void range_text(const RangePath *p, Str *out);
/* Bytes of such a text up to and with the outer range that ends behind the first `from` of them. */
size_t range_outer(const char *text, size_t from);
/* Is it an expression?  false: *why says what is wrong. */
bool range_check(const char *expression, Str *why);
/* Does it fit what is open at a launch?  Of one that is none: false. */
bool range_fits(const char *expression, const RangePath *path, size_t n);

#endif
