/* SPDX-License-Identifier: Apache-2.0
 *
 * The C library writes repetitions out: a+ as aa*, a{3} as aaa, so nested ones ("a++++...", "((a{99}){99}){99}") take all memory.  How many
 * parts an expression has is therefore worked out before: a part for each character, set or anchor, a group has its parts, and a
 * repetition multiplies what stands before it.  Where the reading here and the C library's differ (a brace that is none), the number is
 * only larger. */
#include "base/pattern.h"

#include <fnmatch.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 1 << 14, DEEPEST = 64 };

/* Behind a set: "[]a]", "[^]a]" and "[[:alpha:]]" have brackets inside. */
static const char *skip_set(const char *p)
{
    p += p[1] == '^' ? 2 : 1;
    for (p += *p == ']'; *p && *p != ']'; p++)
        if (*p == '[' && p[1] && strchr(":.=", p[1])) {
            const char end[3] = {p[1], ']', 0}, *inner = strstr(p + 2, end);
            p = inner ? inner + 1 : p;
        }
    return *p ? p + 1 : p;
}

/* How often the repetition at p stands for what is before it: 1: it is written once.  *end: behind it; p when there is none. */
static uint64_t repeats(const char *p, const char **end)
{
    char         *rest;
    unsigned long low, high;
    *end = p + (*p && strchr("*+?", *p));
    if (*p != '{' || !p[1] || !strchr("0123456789,", p[1]))
        return *p == '+' ? 2 : 1;
    low = high = strtoul(p + 1, &rest, 10);
    if (*rest == ',')
        high = strtoul(rest + 1, &rest, 10);
    if (*rest != '}')
        return 1;
    *end = rest + 1;
    low  = high > low ? high : low;
    return low < MOST_PARTS ? low + 1 : MOST_PARTS;
}

/* The number of parts, MOST_PARTS + 1 when there are more; 0: it has a back-reference. */
static uint64_t parts(const char *p)
{
    uint64_t sum[DEEPEST] = {0},
             last         = 0; /* of the groups that are open; of what stands last, which sum does not have yet */
    size_t depth          = 0;
    while (*p && sum[depth] + last <= MOST_PARTS) {
        const char *end;
        uint64_t    n = repeats(p, &end);
        if (end != p) {
            last = (last ? last : 1) * n;
            p    = end;
            continue;
        }
        sum[depth] += last;
        last = 1;
        if (*p == '\\' && p[1] >= '1' && p[1] <= '9')
            return 0;
        if (*p == '(' && depth + 1 == DEEPEST)
            return MOST_PARTS + 1;
        if (*p == '(') {
            sum[++depth] = 1;
            last         = 0;
        } else if (*p == ')' && depth) {
            last = sum[depth--];
        }
        p = *p == '[' ? skip_set(p) : p + 1 + (*p == '\\' && p[1]);
    }
    for (; depth; depth--)
        sum[depth - 1] += sum[depth];
    return sum[0] + last + 1 > MOST_PARTS ? MOST_PARTS + 1 : sum[0] + last + 1;
}

bool pattern_compile(const char *text, regex_t *out, Str *why)
{
    char     what[128];
    uint64_t n = parts(text);
    if (!n || n > MOST_PARTS) {
        str_add(why, n ? "its repetitions written out are too many" : "it has a back-reference (\\1)");
        return false;
    }
    int e = regcomp(out, text, REG_EXTENDED | REG_NOSUB);
    if (e) {
        regerror(e, out, what, sizeof what);
        str_printf(why, "it is not a regular expression: %s", what);
    }
    return e == 0;
}

bool pattern_glob(const char *glob, const char *text)
{
    return !strcmp(glob, text) || fnmatch(glob, text, 0) == 0;
}

bool pattern_glob_path(const char *glob, const char *path)
{
    for (const char *p = path; p; p = strchr(p, '/') ? strchr(p, '/') + 1 : NULL)
        if (pattern_glob(glob, p))
            return true;
    return false;
}
