/* SPDX-License-Identifier: Apache-2.0
 *
 * Regular expressions (POSIX, extended) and globs that a person writes. */
#ifndef WW_BASE_PATTERN_H
#define WW_BASE_PATTERN_H

#include <regex.h>
#include <stdbool.h>

#include "base/str.h"

/* regfree it.  false: *why says what is wrong, without the text: it is none, has back-references (whose time has no bound), or written
 * out has more than 65 536 parts. */
bool pattern_compile(const char *text, regex_t *out, Str *why);

/* A shell's glob against all of the text; * also stands for a slash.  A text is a glob of itself, whatever its characters. */
bool pattern_glob(const char *glob, const char *text);
/* The same against a path, or against its end behind a slash. */
bool pattern_glob_path(const char *glob, const char *path);

#endif
